package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// grace is how long a command may take to end after it was asked to: the
	// marketplace finishes what is under way, the suite releases its holds.
	grace = 25 * time.Second
	// startTime bounds the wait for a service's address: the marketplace may have to
	// download its PostgreSQL first.
	startTime = 6 * time.Minute
)

// foreign are the beginnings of variables that would have the commands do something
// else than the demo tells: a database of the user's own, say.
var foreign = []string{"MARKETPLACE_", "MOCKPARTNER_", "CONFORMANCE_", "PG"}

// environment is the demo's own, without what is foreign, and with what is given.
func environment(given ...string) []string {
	kept := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return slices.ContainsFunc(foreign, func(begin string) bool { return strings.HasPrefix(variable, begin) })
	})
	return append(kept, given...)
}

// command prepares one of the built commands, whose output goes into its log. When ctx
// ends it is asked to end, and ended only where it does not. A Ctrl-C is for the demo
// alone: what it started ends in order.
func (s *stage) command(ctx context.Context, log *os.File, given []string, name string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...)
	command.Env = environment(given...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = apart()
	command.Cancel = func() error {
		if runtime.GOOS == "windows" { // which knows no other end
			return command.Process.Kill()
		}
		return command.Process.Signal(syscall.SIGTERM)
	}
	command.WaitDelay = grace
	return command
}

// running is a command that was started.
type running struct {
	gone chan struct{} // closed when it has ended
	err  error         // how; read after gone
}

// run starts a command. It is one that the kernel ends with us: the thread that started it
// is kept until then.
func run(command *exec.Cmd) (*running, error) {
	r, started := &running{gone: make(chan struct{})}, make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			r.err = command.Wait()
			close(r.gone)
		}
	}()
	return r, <-started
}

// wait waits for a command's end.
func (r *running) wait() error {
	<-r.gone
	return r.err
}

// service is a command that serves until it is stopped.
type service struct {
	*running
	name string
	stop context.CancelFunc
	log  *os.File
}

// baseURL is an address in a whole line: one that is still being written may hold half of a port.
var baseURL = regexp.MustCompile(`(http://[0-9.]+:[0-9]+)\b.*\n`)

// serve starts a service and waits for the address that it prints. It runs on when ctx
// ends: the stage's close ends it.
func (s *stage) serve(ctx context.Context, given []string, name string, args ...string) (url string, err error) {
	log, err := s.logFile(name)
	if err != nil {
		return "", err
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	v := &service{name: name, stop: stop, log: log}
	if v.running, err = run(s.command(life, log, given, name, args...)); err != nil {
		stop()
		return "", errors.Join(fmt.Errorf("start %s: %w", name, err), log.Close())
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, fmt.Errorf("expected an address from %s, received none within %s", name, startTime))
	defer cancel()
	for {
		if found := baseURL.FindStringSubmatch(printed(log)); found != nil {
			s.services = append(s.services, v)
			return found[1], nil
		}
		select {
		case <-v.gone:
			stop()
			return "", errors.Join(fmt.Errorf("%s ended before it served (%w): %s", name, v.err, lastLine(log)), log.Close())
		case <-ctx.Done():
			return "", errors.Join(context.Cause(ctx), v.close())
		case <-time.After(again):
		}
	}
}

// close ends the service, and returns when it has ended.
func (v *service) close() error {
	v.stop()
	err := v.wait()
	if errors.Is(err, context.Canceled) { // it was asked to end, and has, in order
		return v.log.Close()
	}
	return errors.Join(fmt.Errorf("expected %s to exit with 0, received %w: %s", v.name, err, lastLine(v.log)), v.log.Close())
}

// printed is what a command has printed so far.
func printed(log *os.File) string {
	text, _ := os.ReadFile(log.Name()) // it is open
	return string(text)
}

// lastLine is the last line of a log that is not empty, such as why a command ended.
func lastLine(log *os.File) string {
	text := strings.TrimSpace(printed(log))
	return text[strings.LastIndexByte(text, '\n')+1:]
}
