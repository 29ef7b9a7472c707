package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// step is a step of the demo. It makes calls, which are printed, checks their results, and prints
// these with holds or comes.
type step struct {
	title string
	take  func(context.Context, *stage) error
}

// chapter is a group of steps with a title.
type chapter struct {
	title string
	steps []step
}

const (
	// stepTime limits a step, except for the start of a service, which has its own limit. A busy
	// machine may need minutes for what takes seconds.
	stepTime = 10 * time.Minute
	// again is the pause between two checks of a condition.
	again = 100 * time.Millisecond
)

var errInterrupted = errors.New("interrupted")

// play runs the chapters and returns the number of steps that succeeded. The error names the first
// step that failed.
func (s *stage) play(ctx context.Context, chapters []chapter) (number int, err error) {
	for _, chapter := range chapters {
		s.output.chapter(chapter.title)
		for _, step := range chapter.steps {
			number++
			s.output.step(number, step.title)
			err := s.take(ctx, step)
			if ctx.Err() != nil {
				return number, errInterrupted
			}
			if err != nil {
				s.output.fails(err)
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
	s.printPartnerCalls(ctx)
	return err
}

// holds prints what was verified, unless there is an error.
func (s *stage) holds(ctx context.Context, err error, facts ...string) error {
	s.printPartnerCalls(ctx)
	if err != nil {
		return err
	}
	for _, fact := range facts {
		s.output.holds(fact)
	}
	return nil
}

// comes repeats a check until it succeeds or stepTime is over, and prints what was verified.
func (s *stage) comes(ctx context.Context, look func(context.Context) ([]string, error)) error {
	s.printPartnerCalls(ctx)
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	var missing error
	for {
		facts, err := look(ctx)
		if err == nil {
			return s.holds(ctx, nil, facts...)
		}
		if ctx.Err() == nil {
			missing = err // and not the error of the deadline during the check
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return fmt.Errorf("%w, still after %s", missing, stepTime)
		}
	}
}

// want returns an error if two values differ.
func want[T comparable](what string, wanted, got T) error {
	if got == wanted {
		return nil
	}
	return fmt.Errorf("%s: expected %v, received %v", what, wanted, got)
}
