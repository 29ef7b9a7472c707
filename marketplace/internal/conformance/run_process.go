package conformance

import (
	"bytes"
	"context"
	"sync"
	"time"
)

// mostProgress limits a process's stored progress, in bytes.
const mostProgress = 1 << 20

// keyVariable is the environment variable of the partner's key.
const keyVariable = "CONFORMANCE_AUTH_KEY"

// runProcess is a process that judges or cleans up for a run.
type runProcess struct {
	*process
	progress runOutput
}

// ledgerLine starts a line by which a process asks to have its ledger stored. It then waits for a
// line of input.
var ledgerLine = []byte(`{"ledger":`)

// runOutput collects the lines of a process's output. It is safe for concurrent use.
type runOutput struct {
	mu    sync.Mutex
	rest  []byte // of an incomplete line
	text  bytes.Buffer
	room  int           // how many more bytes are collected
	asked chan struct{} // the process waits until its ledger is stored
}

// Write never fails, because the process must not stop because of its output.
func (l *runOutput) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, text...)
	for {
		end := bytes.IndexByte(l.rest, '\n') + 1
		if end == 0 {
			break
		}
		l.add(l.rest[:end])
		l.rest = l.rest[end:]
	}
	if len(l.rest) > mostProgress {
		l.rest = nil
	}
	return len(text), nil
}

func (l *runOutput) add(line []byte) {
	if bytes.HasPrefix(line, ledgerLine) {
		select {
		case l.asked <- struct{}{}:
		default: // it sends one request at a time
		}
		return
	}
	if len(line) <= l.room {
		l.room -= len(line)
		l.text.Write(line)
	}
}

// take returns the lines since the last call.
func (l *runOutput) take() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.text.Next(l.text.Len()))
}

// startRun starts the command in a folder, with the partner's key.
func startRun(path, dir, key string, args ...string) (*runProcess, error) {
	p := &runProcess{progress: runOutput{room: mostProgress, asked: make(chan struct{}, 1)}}
	var err error
	p.process, err = startCommand(command{path, dir, []string{keyVariable + "=" + key}, &p.progress}, args...)
	return p, err
}

// confirmStored notifies the process that its ledger has been stored.
func (p *runProcess) confirmStored() { _, _ = p.input.Write([]byte("\n")) } // an error means that it has ended

// watch calls each repeatedly until the process has ended, and once after that: at intervals, and
// when the process waits for its ledger to be stored. It ends the process and returns the error if
// ctx ends or each fails. The process continues when each has stored everything.
func (p *runProcess) watch(ctx context.Context, every, patience time.Duration, each func() (all bool, err error)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for asked := false; ; {
		select {
		case <-p.gone:
			_, err := each()
			return err
		case <-ctx.Done():
			p.end(patience)
			return ctx.Err()
		case <-p.progress.asked:
			asked = true
		case <-tick.C:
		}
		all, err := each()
		if err != nil {
			p.end(patience)
			return err
		}
		if asked && all {
			p.confirmStored()
			asked = false
		}
	}
}
