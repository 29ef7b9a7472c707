package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// step is one thing that the demo shows. It makes calls, which are told as they are made,
// looks at what has come of them, and tells that with holds or comes.
type step struct {
	title string
	take  func(context.Context, *stage) error
}

// chapter is some steps with a title.
type chapter struct {
	title string
	steps []step
}

const (
	// stepTime bounds a step, beside the start of a service, which has its own bound.
	stepTime = 90 * time.Second
	// again is the pause between two looks at something that is to come.
	again = 100 * time.Millisecond
)

var errInterrupted = errors.New("interrupted")

// play shows the chapters, and returns how many steps held. Its error names the first
// that does not.
func (s *stage) play(ctx context.Context, story []chapter) (number int, err error) {
	for _, chapter := range story {
		s.tell.chapter(chapter.title)
		for _, step := range chapter.steps {
			number++
			s.tell.step(number, step.title)
			err := s.take(ctx, step)
			if ctx.Err() != nil {
				return number, errInterrupted
			}
			if err != nil {
				s.tell.fails(err)
				return number, fmt.Errorf("step %d, %q, does not hold: %w", number, step.title, err)
			}
		}
	}
	return number, nil
}

func (s *stage) take(ctx context.Context, step step) error {
	ctx, cancel := context.WithTimeout(ctx, startTime+stepTime)
	defer cancel()
	err := step.take(ctx, s)
	s.tellPartnerCalls(ctx)
	return err
}

// holds tells what was found to hold, unless there is an error.
func (s *stage) holds(ctx context.Context, err error, facts ...string) error {
	s.tellPartnerCalls(ctx)
	if err != nil {
		return err
	}
	for _, fact := range facts {
		s.tell.holds(fact)
	}
	return nil
}

// comes is for what may take a while to hold: it looks again and again until it does.
func (s *stage) comes(ctx context.Context, look func(context.Context) ([]string, error)) error {
	s.tellPartnerCalls(ctx)
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	var missing error
	for {
		facts, err := look(ctx)
		if err == nil {
			return s.holds(ctx, nil, facts...)
		}
		if ctx.Err() == nil {
			missing = err // and not that the time was over as it was looked
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return fmt.Errorf("%w, still after %s", missing, stepTime)
		}
	}
}

// want is an error where something is not what is wanted.
func want[T comparable](what string, wanted, got T) error {
	if got == wanted {
		return nil
	}
	return fmt.Errorf("%s: expected %v, received %v", what, wanted, got)
}
