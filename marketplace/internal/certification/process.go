package certification

import (
	"bytes"
	"context"
	"sync"
	"time"

	"partnerkit.dev/marketplace/internal/suite"
)

// mostProgress limits a process's stored progress, in bytes.
const mostProgress = 1 << 20

// keyVariable is the environment variable of the partner's key.
const keyVariable = "CONFORMANCE_AUTH_KEY"

// process is a running conformance command with its folder.
type process struct {
	*suite.Process
	progress lines
}

// ledgerLine starts a line by which a process asks to have its ledger stored. It then waits for a
// line of input.
var ledgerLine = []byte(`{"ledger":`)

// lines collects the lines of a process's output. It is safe for concurrent use.
type lines struct {
	mu    sync.Mutex
	rest  []byte // of an incomplete line
	text  bytes.Buffer
	room  int           // how many more bytes are collected
	asked chan struct{} // the process waits until its ledger is stored
}

// Write never fails, because the process must not stop because of its output.
func (l *lines) Write(text []byte) (int, error) {
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

func (l *lines) add(line []byte) {
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
func (l *lines) take() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.text.Next(l.text.Len()))
}

// start starts the command in a folder, with the partner's key.
func start(path, dir, key string, args ...string) (*process, error) {
	p := &process{progress: lines{room: mostProgress, asked: make(chan struct{}, 1)}}
	var err error
	p.Process, err = suite.Start(suite.Command{Path: path, Dir: dir, Env: []string{keyVariable + "=" + key}, Output: &p.progress}, args...)
	return p, err
}

// confirmStored notifies the process that its ledger has been stored.
func (p *process) confirmStored() { _, _ = p.Input.Write([]byte("\n")) } // an error means that it has ended

// watch calls each repeatedly until the process has ended, and once after that: at intervals, and
// when the process waits for its ledger to be stored. It ends the process and returns the error if
// ctx ends or each fails. The process continues when each has stored everything.
func (p *process) watch(ctx context.Context, every, patience time.Duration, each func() (all bool, err error)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for asked := false; ; {
		select {
		case <-p.Gone:
			_, err := each()
			return err
		case <-ctx.Done():
			p.End(patience)
			return ctx.Err()
		case <-p.progress.asked:
			asked = true
		case <-tick.C:
		}
		all, err := each()
		if err != nil {
			p.End(patience)
			return err
		}
		if asked && all {
			p.confirmStored()
			asked = false
		}
	}
}
