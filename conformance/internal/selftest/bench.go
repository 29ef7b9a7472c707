package selftest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"
)

// Bench tries the suite on one case after another, or several at once.
type Bench struct {
	command string
	now     time.Time // where the clocks of all mocks begin, so that all sell the same slots
	plain   func() (answers, error)
}

// NewBench returns a bench for the suite of that conformance command, a file.
func NewBench(command string) *Bench {
	b := &Bench{command: command, now: time.Now()}
	b.plain = sync.OnceValues(b.askPlain)
	return b
}

// askPlain has the mock judged as it is, and returns what it answered.
func (b *Bench) askPlain() (counted answers, err error) {
	dir, err := os.MkdirTemp("", "conformance-selftest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	plain := mockAsItIs()
	plain.Flags = nil // as defects are judged
	s, err := b.serve(plain)
	if err != nil {
		return nil, err
	}
	defer s.close()
	// Whoever waits for it has a context of its own: a run takes a second.
	if _, err := b.judge(context.Background(), dir, s); err != nil {
		return nil, fmt.Errorf("the mock as it is: %w", err)
	}
	return s.answers(), nil
}
