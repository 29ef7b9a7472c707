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

// lock takes the folder for this process. It ends with the process, however that
// ends: the file is closed in every child (Go opens files close-on-exec).
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

// unlock gives the folder free. Closing the file alone would leave it taken while a
// child of this process that is being started has a copy of it, until that runs.
func unlock(file *os.File) {
	_ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN)
	_ = file.Close()
}

// pidFile is where PostgreSQL writes down who runs on the data, and when it is ready.
const pidFile = "postmaster.pid"

// orphanTime bounds the wait for the end of an orphan.
const orphanTime = 30 * time.Second

// endOrphan ends a server that a killed service left behind on data, and takes away
// what an unclean end has left: a pid file whose number belongs to somebody else by
// now would keep the next server from starting.
func endOrphan(ctx context.Context, data, sockets string) error {
	pid, err := running(data)
	if err != nil {
		return err
	}
	if pid != 0 {
		if err := syscall.Kill(pid, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop the leftover PostgreSQL (process %d): %w", pid, err)
		}
		ctx, cancel := context.WithTimeout(ctx, orphanTime)
		defer cancel()
		gone := func() bool { return !livesIn(pid, data) }
		if !until(ctx, gone) {
			return fmt.Errorf("the leftover PostgreSQL (process %d) does not stop: stop it yourself", pid)
		}
	}
	// Its children end by themselves, a little later than it does where it was killed. Two
	// servers' processes on the same files would destroy them.
	ctx, cancel := context.WithTimeout(ctx, orphanTime)
	defer cancel()
	if !until(ctx, func() bool { return !inhabited(data) }) {
		return fmt.Errorf("processes of an earlier PostgreSQL still use %s: stop them", data)
	}
	stale := []string{filepath.Join(data, pidFile)}
	locks, _ := filepath.Glob(filepath.Join(sockets, ".s.PGSQL.*")) // the pattern is well formed
	for _, path := range append(stale, locks...) {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove files of an earlier PostgreSQL: %w", err)
		}
	}
	return nil
}

// running returns the id of the process that runs on data, or 0.
func running(data string) (int, error) {
	lines, err := pidLines(data)
	if err != nil || len(lines) == 0 {
		return 0, err
	}
	pid, err := strconv.Atoi(lines[0])
	if err != nil || pid <= 0 || !livesIn(pid, data) {
		return 0, nil
	}
	return pid, nil
}

// pidLines are the lines of the pid file: the process is the first, the state the
// eighth.
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

// until looks again and again until done says so; false means that ctx ended first.
func until(ctx context.Context, done func() bool) bool {
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
