package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// step is one thing that the demo shows.
type step struct {
	title string
	// does it, by calls that are told as they are made.
	does func(context.Context, *stage) error
	// holds looks at what has come of it, and returns what is told, or what does not hold.
	holds func(context.Context, *stage) ([]string, error)
	// comes says that what holds may take a while to come: until then it is looked at
	// again and again.
	comes bool
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

// take takes one step, and tells what holds after it.
func (s *stage) take(ctx context.Context, step step) error {
	ctx, cancel := context.WithTimeout(ctx, startTime+stepTime)
	defer cancel()
	err := step.does(ctx, s)
	s.tellPartnerCalls(ctx)
	if err != nil {
		return err
	}
	facts, err := s.look(ctx, step)
	s.tellPartnerCalls(ctx)
	if err != nil {
		return err
	}
	for _, fact := range facts {
		s.tell.holds(fact)
	}
	return nil
}

// look looks whether a step holds: once, or where that may take a while until it does.
func (s *stage) look(ctx context.Context, step step) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	var missing error
	for {
		facts, err := step.holds(ctx, s)
		if err == nil || !step.comes {
			return facts, err
		}
		if ctx.Err() == nil {
			missing = err // and not that the time was over as it was looked
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return nil, fmt.Errorf("%w, still after %s", missing, stepTime)
		}
	}
}

// want is an error where something is not what is wanted.
func want[T comparable](what string, wanted, got T) error {
	if got == wanted {
		return nil
	}
	return fmt.Errorf("%s: want %v, got %v", what, wanted, got)
}
