package certification

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Limits of a process's stored output, in bytes: all of its progress, and the end of its errors.
const (
	mostProgress = 1 << 20
	mostErrors   = 4 << 10
)

// memory limits the command's memory.
const memory = "GOMEMLIMIT=256MiB"

// keyVariable is the environment variable of the partner's key.
const keyVariable = "CONFORMANCE_AUTH_KEY"

// passed are the environment variables that a process inherits. None contains a secret.
var passed = []string{"PATH", "HOME", "TMPDIR", "TZ", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "SYSTEMROOT", "TEMP", "TMP"}

// process is a running conformance command with its folder.
type process struct {
	command  *exec.Cmd
	input    io.WriteCloser
	progress lines
	errors   tail
	gone     chan struct{} // closed when the process has ended
	ended    error         // its result; valid after gone is closed
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

// tail collects the end of a process's output. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write never fails, because the process must not stop because of its output.
func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(text)
	t.text.Next(max(t.text.Len()-mostErrors, 0))
	return len(text), nil
}

func (t *tail) lastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(t.text.String())
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// start starts the command in a folder. Where the system supports it, a process receives a signal
// when the service crashes.
func start(path, dir, key string, args ...string) (*process, error) {
	p := &process{gone: make(chan struct{}), progress: lines{room: mostProgress, asked: make(chan struct{}, 1)}}
	p.command = exec.Command(path, args...)
	p.command.Dir, p.command.Env = dir, []string{keyVariable + "=" + key, memory}
	for _, name := range passed {
		if value, given := os.LookupEnv(name); given {
			p.command.Env = append(p.command.Env, name+"="+value)
		}
	}
	p.command.Stdout, p.command.Stderr, p.command.WaitDelay = &p.progress, &p.errors, time.Second
	separate(p.command)
	var err error
	if p.input, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	started := make(chan error)
	go func() {
		// Linux sends the signal when the thread that started the process ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.command.Start()
		started <- err
		if err == nil {
			p.ended = p.command.Wait()
			close(p.gone)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start the conformance command: %w", err)
	}
	yield(p.command.Process)
	return p, nil
}

// stored tells the process that its ledger has been stored.
func (p *process) stored() { _, _ = p.input.Write([]byte("\n")) } // an error means that it has ended

// interrupt makes the process undo its holds and end, without waiting for its ledger to be stored.
func (p *process) interrupt() {
	defer p.input.Close()
	if p.command.Process.Signal(os.Interrupt) != nil {
		_ = p.command.Process.Kill() // the system has no interrupts, or the process has ended
	}
}

// end interrupts a running process and kills it if it does not end in time.
func (p *process) end(patience time.Duration) {
	p.interrupt()
	select {
	case <-p.gone:
	case <-time.After(patience):
		_ = p.command.Process.Kill()
		<-p.gone
	}
}

// code returns the exit code of a process that has ended; -1 if it was killed.
func (p *process) code() int { return p.command.ProcessState.ExitCode() }

// watch calls each repeatedly until the process has ended, and once after that: at intervals, and
// when the process waits for its ledger to be stored. It ends the process and returns the error if
// ctx ends or each fails. The process continues when each has stored everything.
func (p *process) watch(ctx context.Context, every, patience time.Duration, each func() (all bool, err error)) error {
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
			p.stored()
			asked = false
		}
	}
}
