package conformance

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

const (
	// memory is the memory that the command tries to stay within.
	memory = "GOMEMLIMIT=256MiB"
	// mostErrors limits the stored end of a process's errors, in bytes.
	mostErrors = 4 << 10
)

// passed are the environment variables that a process inherits. None contains a secret.
var passed = []string{"PATH", "HOME", "TMPDIR", "TZ", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "SYSTEMROOT", "TEMP", "TMP"}

// command is how the conformance command is started.
type command struct {
	path, dir string
	env       []string  // in addition to passed and the limits
	output    io.Writer // must not fail or block
}

// process is a running conformance command.
type process struct {
	input   io.WriteCloser
	gone    chan struct{} // closed when the process has ended
	command *exec.Cmd
	errors  tail
}

// startCommand starts the command. Where the system supports it, the process receives a signal when the
// service crashes.
func startCommand(c command, args ...string) (*process, error) {
	p := &process{gone: make(chan struct{}), command: exec.Command(c.path, args...)}
	p.command.Dir, p.command.Env = c.dir, append([]string{memory}, c.env...)
	for _, name := range passed {
		if value, given := os.LookupEnv(name); given {
			p.command.Env = append(p.command.Env, name+"="+value)
		}
	}
	p.command.Stdout, p.command.Stderr, p.command.WaitDelay = c.output, &p.errors, time.Second
	var err error
	if p.input, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	started := make(chan error)
	go func() {
		// Linux sends the signal when the thread that started the process ends. The thread has a
		// lower priority by then, so it ends with this goroutine.
		runtime.LockOSThread()
		err := startLimited(p.command)
		started <- err
		if err == nil {
			_ = p.command.Wait() // code returns its result
			close(p.gone)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start the conformance command: %w", err)
	}
	return p, nil
}

// interrupt makes the process undo its holds and end, without waiting for more input.
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

// lastError returns the last line of the process's errors.
func (p *process) lastError() string { return p.errors.lastLine() }

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
