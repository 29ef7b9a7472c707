package partner

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// turns makes stories that are played at the same time share what the run knows: only one of them goes on at any moment, while
// the others wait for their answers. It is nil while one story is played after another.
type turns chan struct{}

// wait does what takes time, and lets other stories go on meanwhile.
func (t turns) wait(do func()) {
	if t != nil {
		<-t
		defer func() { t <- struct{}{} }()
	}
	do()
}

// take does something in a turn of its own, on another goroutine than those of the stories.
func (t turns) take(do func()) {
	if t != nil {
		t <- struct{}{}
		defer func() { <-t }()
	}
	do()
}

// Wait waits for d, or until ctx is done, and lets other stories go on meanwhile.
func (c *Caller) Wait(ctx context.Context, d time.Duration) { c.turns.wait(func() { Wait(ctx, d) }) }

// Interleave plays stories, n at the same time, until next returns nil. A story goes on while the others wait for the partner,
// so that no two of them use the run's state together. The times of the calls are not judged meanwhile: a partner that serves
// one caller after another is slow for the last one, which is allowed.
func (c *Caller) Interleave(n int, next func() (story func())) {
	if n > 1 {
		c.turns = make(turns, 1)
		defer func() { c.turns = nil }()
	}
	play := func() {
		for story := next(); story != nil; story = next() {
			story()
		}
	}
	if n <= 1 {
		play()
		return
	}
	var playing sync.WaitGroup
	var fault any
	for range n {
		playing.Go(func() {
			c.turns.take(func() {
				defer func() { fault = cmp.Or(fault, recover()) }()
				play()
			})
		})
	}
	playing.Wait()
	if fault != nil {
		panic(fault) // where the caller expects it
	}
}

// Interleaves reports whether several stories are played at the same time.
func (c *Caller) Interleaves() bool { return c.turns != nil }
