package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"time"
)

// mock is a running mock partner.
type mock struct {
	url     string
	process *exec.Cmd
	ended   chan error // holds the process's end, once
	stopped func()     // ends its context
	log     *os.File
}

// startTimeout bounds the wait for the mock partner's address. It starts in a
// fraction of a second; a machine that is compiling something else may be slow.
const startTimeout = 30 * time.Second

// startMock starts the mock partner on a free port and waits for its address.
func (d demo) startMock(ctx context.Context, key string) (*mock, error) {
	log, err := d.log("mockpartner")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	process := d.command(ctx, "mockpartner", "serve", "--addr", "127.0.0.1:0")
	process.Env = append(os.Environ(), "MOCKPARTNER_AUTH_KEY="+key)
	address := &addressReader{found: make(chan string, 1)}
	process.Stdout = io.MultiWriter(log, address)
	process.Stderr = log
	m := &mock{process: process, ended: make(chan error, 1), stopped: cancel, log: log}
	if err := process.Start(); err != nil {
		cancel()
		return nil, errors.Join(fmt.Errorf("start the mock partner: %w", err), log.Close())
	}
	go func() { m.ended <- process.Wait() }()

	select {
	case m.url = <-address.found:
		return m, nil
	case err := <-m.ended:
		m.ended <- err
		m.stop()
		return nil, fmt.Errorf("the mock partner ended before it served (%v): see %s", err, log.Name())
	case <-ctx.Done():
		m.stop()
		return nil, ctx.Err()
	case <-time.After(startTimeout):
		m.stop()
		return nil, fmt.Errorf("the mock partner printed no address within %s: see %s", startTimeout, log.Name())
	}
}

// stop ends the mock partner, and returns when it has ended.
func (m *mock) stop() {
	m.stopped()
	<-m.ended
	_ = m.log.Close() // nothing is written any more; what was, the kernel has
}

// terminate asks a process to end.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// addressReader finds the first http URL in what a command prints.
type addressReader struct {
	found   chan string
	printed []byte // until the address is found
	done    bool
}

var baseURL = regexp.MustCompile(`http://[0-9.]+:[0-9]+`)

// maxPreamble bounds what is kept of a command that prints no address.
const maxPreamble = 64 << 10

func (a *addressReader) Write(p []byte) (int, error) {
	if a.done {
		return len(p), nil
	}
	a.printed = append(a.printed, p...)
	// A line that is still being written may hold half of a port.
	if whole := bytes.LastIndexByte(a.printed, '\n'); whole >= 0 {
		if url := baseURL.Find(a.printed[:whole]); url != nil {
			a.found <- string(url)
			a.printed, a.done = nil, true
			return len(p), nil
		}
	}
	if len(a.printed) > maxPreamble {
		a.printed, a.done = nil, true
	}
	return len(p), nil
}
