package client

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"time"
)

// Kill ends a process that calls the mock, with SIGKILL, and testifies which of its
// connections that has ended, and when, so that the verdict holds neither the calls
// in the middle of which it died against it, nor answers that it had not come to
// write down. That takes it unwritten, 0 for a second: from so long before its death
// on they may be lost. The connections are known exactly: the process is stopped first.
//
// It wants Linux, and a process of the same machine and user; elsewhere the error wraps
// errors.ErrUnsupported, and the process lives. Where it has ended by itself the error
// wraps os.ErrProcessDone.
func (c *Client) Kill(ctx context.Context, process *os.Process, unwritten time.Duration) error {
	port, err := c.port()
	if err != nil {
		return err
	}
	if unwritten <= 0 {
		unwritten = time.Second
	}
	since := time.Now().Add(-unwritten)
	connections, err := stopped(ctx, process, port)
	at := time.Now() // on a busy machine it takes a while until every thread has stopped
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, os.ErrProcessDone) {
		return err
	}
	// Whatever came of that, the process must not be left standing.
	if err = errors.Join(err, process.Kill()); err != nil {
		return fmt.Errorf("kill process %d: %w", process.Pid, err)
	}
	if len(connections) == 0 {
		return nil
	}
	_, err = c.Testify(ctx, Testimony{Died: connections, At: at, Since: since})
	return err
}

// port is the one that the mock listens on.
func (c *Client) port() (uint16, error) {
	address, err := url.Parse(c.root)
	if err != nil {
		return 0, err
	}
	switch {
	case address.Port() != "":
		port, err := strconv.ParseUint(address.Port(), 10, 16)
		return uint16(port), err
	case address.Scheme == "https":
		return 443, nil
	default:
		return 80, nil
	}
}
