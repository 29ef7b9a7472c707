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

// Bounds of what is kept of a process's output, in bytes: of its progress altogether, and
// of the end of its errors.
const (
	mostProgress = 1 << 20
	mostErrors   = 4 << 10
)

// memory is what the command is asked to keep within.
const memory = "GOMEMLIMIT=256MiB"

// keyVariable is where the command reads the partner's key.
const keyVariable = "CONFORMANCE_AUTH_KEY"

// passed are the variables that a process gets of the service's own: none has a secret.
var passed = []string{"PATH", "HOME", "TMPDIR", "TZ", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "SYSTEMROOT", "TEMP", "TMP"}

// process is a conformance command that runs in a folder.
type process struct {
	command  *exec.Cmd
	input    io.WriteCloser
	progress lines
	errors   tail
	gone     chan struct{} // closed when it has ended
	ended    error         // how; read after gone
}

// ledgerLine is what a process begins a line with by which it asks for its ledger to be
// stored. It then waits for a line.
var ledgerLine = []byte(`{"ledger":`)

// lines keeps the lines that a process has written. It is safe to be read meanwhile.
type lines struct {
	mu    sync.Mutex
	rest  []byte // of a line that is not complete
	text  bytes.Buffer
	room  int           // how much more is kept
	asked chan struct{} // the process waits for its ledger to be stored
}

// Write never fails: the process must not end because of what it says.
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
		default: // it asks once at a time
		}
		return
	}
	if len(line) <= l.room {
		l.room -= len(line)
		l.text.Write(line)
	}
}

// take takes the lines that were kept since the last call.
func (l *lines) take() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.text.Next(l.text.Len()))
}

// tail keeps the end of what a process has written. It is safe to be read meanwhile.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write never fails: the process must not end because of what it says.
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

// start starts the command in a folder. A process whose service dies receives a signal to end, where
// the system can do that.
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
		// Linux tells the process of its parent's death when the thread ends that started it.
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

// stored tells the process that its ledger is stored.
func (p *process) stored() { _, _ = p.input.Write([]byte("\n")) } // an error means that it has ended

// interrupt has the process undo what it holds and end. It waits for its ledger no longer.
func (p *process) interrupt() {
	defer p.input.Close()
	if p.command.Process.Signal(os.Interrupt) != nil {
		_ = p.command.Process.Kill() // the system has no interrupts, or the process has ended
	}
}

// end ends a process that has not ended by itself: it is asked to, and killed if it does not.
func (p *process) end(patience time.Duration) {
	p.interrupt()
	select {
	case <-p.gone:
	case <-time.After(patience):
		_ = p.command.Process.Kill()
		<-p.gone
	}
}

// code is the exit code of a process that has ended; -1 where it was killed.
func (p *process) code() int { return p.command.ProcessState.ExitCode() }

// watch calls each until the process has ended, and once after that: every so often, and when
// the process waits for its ledger to be stored. It ends the process when ctx ends or each
// returns an error, which it then returns. The process goes on when each has stored all.
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
