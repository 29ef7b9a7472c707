package booking

import (
	"context"
	"sync"
)

// running counts the calls in progress.
type running struct{ sync.WaitGroup }

// Wait returns when every call has ended, also those whose callers have left.
func (s *Service) Wait() { s.calls.WaitGroup.Wait() }

// detach runs a call to its end, even if the caller leaves meanwhile. The caller's error is returned
// then, and the call's outcome goes to late, if that is not nil.
func detach[T any](ctx context.Context, r *running, call func(context.Context) (T, error), late func(context.Context, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome)
	r.Go(func() {
		through, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
		defer cancel()
		value, err := call(through)
		select {
		case done <- outcome{value, err}:
		case <-ctx.Done():
			if late != nil {
				late(context.WithoutCancel(ctx), err)
			}
		}
	})
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
