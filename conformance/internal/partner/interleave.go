package partner

import (
	"cmp"
	"sync"
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

// interleave plays stories, n at the same time, until next returns nil.
func (t *turns) interleave(n int, next func() (story func())) {
	play := func() {
		for story := next(); story != nil; story = next() {
			story()
		}
	}
	if n <= 1 {
		play()
		return
	}
	*t = make(turns, 1)
	defer func() { *t = nil }()
	var playing sync.WaitGroup
	var fault any
	for range n {
		playing.Go(func() {
			t.take(func() {
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
