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
	// grace is how long a command may take to stop: the marketplace finishes its work, the suite
	// releases its holds.
	grace = 5 * time.Minute
	// startTime limits the wait for a service's address. The marketplace may first download its
	// PostgreSQL.
	startTime = 6 * time.Minute
)

// foreign are prefixes of variables that would change what the commands do, for example by setting
// another database.
var foreign = []string{"MARKETPLACE_", "MOCKPARTNER_", "CONFORMANCE_", "PG"}

// environment returns the demo's environment without foreign variables and with the given ones.
func environment(given ...string) []string {
	kept := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return slices.ContainsFunc(foreign, func(begin string) bool { return strings.HasPrefix(variable, begin) })
	})
	return append(kept, given...)
}

// command prepares one of the built commands. Its output goes to its log. When ctx ends, the
// command receives a signal, and is killed only if it does not stop. A Ctrl-C reaches only the
// demo, which stops its commands in order.
func (s *stage) command(ctx context.Context, log *os.File, given []string, name string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...)
	command.Env = environment(given...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = ownProcessGroup()
	command.Cancel = func() error {
		if runtime.GOOS == "windows" { // Windows has no other signal
			return command.Process.Kill()
		}
		return command.Process.Signal(syscall.SIGTERM)
	}
	command.WaitDelay = grace
	return command
}

// running is a started command.
type running struct {
	gone chan struct{} // closed when it has ended
	err  error         // the command's error; read it after gone
}

// run starts a command. The kernel ends the command when the thread that started it ends, so run
// keeps that thread.
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

// wait waits for a command to end.
func (r *running) wait() error {
	<-r.gone
	return r.err
}

// service is a command that runs until it is stopped.
type service struct {
	*running
	name string
	stop context.CancelFunc
	log  *os.File
}

// baseURL matches an address in a complete line. A partial line may contain half of a port.
var baseURL = regexp.MustCompile(`(http://[0-9.]+:[0-9]+)\b.*\n`)

// serve starts a service and waits for the address that it prints. The service does not end with
// ctx; the stage's close stops it.
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
		if found := baseURL.FindStringSubmatch(readLog(log)); found != nil {
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

// close stops the service and waits for its end.
func (v *service) close() error {
	v.stop()
	err := v.wait()
	if errors.Is(err, context.Canceled) { // it stopped as requested
		return v.log.Close()
	}
	return errors.Join(fmt.Errorf("expected %s to exit with 0, received %w: %s", v.name, err, lastLine(v.log)), v.log.Close())
}

// readLog returns the output of a command so far.
func readLog(log *os.File) string {
	text, _ := os.ReadFile(log.Name()) // the file is open
	return string(text)
}

// lastLine returns the last non-empty line of a log, for example why a command ended.
func lastLine(log *os.File) string {
	text := strings.TrimSpace(readLog(log))
	return text[strings.LastIndexByte(text, '\n')+1:]
}
