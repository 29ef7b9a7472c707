//go:build unix

package pgembed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lock locks the folder for this process. The lock ends with the process, however it ends: children
// do not inherit the file (Go opens files close-on-exec).
func lock(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%w %s: stop it, or choose another data folder with MARKETPLACE_DATA_DIR", ErrInUse, dir)
		}
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return file, nil
}

// unlock releases the folder. Closing the file alone would leave it locked while a child that is
// being started has a copy.
func unlock(file *os.File) {
	_ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN)
	_ = file.Close()
}

// pidFile is the file in which PostgreSQL records its process and state.
const pidFile = "postmaster.pid"

// orphanTime limits the wait for an orphaned server's end.
const orphanTime = 30 * time.Second

// endOrphan ends a server that a killed service left behind, and removes an outdated pid file.
// Otherwise a pid that another process now has would prevent the next start.
func endOrphan(ctx context.Context, data, sockets string) error {
	pid, err := serverPID(data)
	if err != nil {
		return err
	}
	if pid != 0 {
		if err := syscall.Kill(pid, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop the leftover PostgreSQL (process %d): %w", pid, err)
		}
		ctx, cancel := context.WithTimeout(ctx, orphanTime)
		defer cancel()
		gone := func() bool { return !worksIn(pid, data) }
		if !pollUntil(ctx, gone) {
			return fmt.Errorf("the leftover PostgreSQL (process %d) does not stop: stop it yourself", pid)
		}
	}
	// Its children end a little later if it was killed. Two servers' processes on the same files
	// would destroy them.
	ctx, cancel := context.WithTimeout(ctx, orphanTime)
	defer cancel()
	if !pollUntil(ctx, func() bool { return !hasProcess(data) }) {
		return fmt.Errorf("processes of an earlier PostgreSQL still use %s: stop them", data)
	}
	for _, path := range []string{filepath.Join(data, pidFile), filepath.Join(sockets, socketName), filepath.Join(sockets, socketName+".lock")} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove files of an earlier PostgreSQL: %w", err)
		}
	}
	return nil
}

// serverPID returns the id of the server's process for data, or 0.
func serverPID(data string) (int, error) {
	lines, err := pidLines(data)
	if err != nil || len(lines) == 0 {
		return 0, err
	}
	pid, err := strconv.Atoi(lines[0])
	if err != nil || pid <= 0 || !worksIn(pid, data) {
		return 0, nil
	}
	return pid, nil
}

// pidLines returns the lines of the pid file: the process id is the first, the state the eighth.
func pidLines(data string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(data, pidFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("check for a running PostgreSQL: %w", err)
	}
	return strings.Fields(string(text)), nil
}

// pollUntil calls done repeatedly until it returns true. It returns false if ctx ends first.
func pollUntil(ctx context.Context, done func() bool) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-ctx.Done():
			return done()
		case <-tick.C:
		}
	}
	return true
}
