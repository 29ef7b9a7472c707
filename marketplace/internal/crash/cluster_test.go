//go:build linux

package crash

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// standbyName is the name of a standby. Commits wait for the standby with that name.
const standbyName = "standby"

// cluster is the database: a primary and, in the long form, a standby that every commit waits for.
// Its faults happen one at a time.
type cluster struct {
	inCharge atomic.Pointer[server]
	standby  *server // nil without a standby
	disks    map[*server]*disk
	links    []*link // the links that lead to it
}

func newCluster(t *testing.T, dir string, env []string, withStandby bool) *cluster {
	t.Helper()
	c := &cluster{disks: map[*server]*disk{}}
	make := func(name string) *server {
		folder := filepath.Join(dir, name)
		check(t, os.MkdirAll(folder, 0o755))
		var own *disk
		if withStandby { // the long form also fills disks
			own = newDisk(t, folder)
		}
		s := newServer(t, folder, env)
		if own != nil {
			c.disks[s] = own
		}
		t.Cleanup(func() { check(t, s.end(syscall.SIGINT)) })
		return s
	}
	first := make("postgresql-1")
	check(t, first.make())
	check(t, first.start(t.Context()))
	c.inCharge.Store(first)
	if withStandby {
		c.standby = make("postgresql-2")
		check(t, c.join(t.Context()))
	}
	return c
}

func (c *cluster) socket() string {
	return filepath.Join(c.inCharge.Load().socket(), ".s.PGSQL.5432")
}

// cut ends all connections, as if the server had ended.
func (c *cluster) cut() {
	for _, l := range c.links {
		l.cut()
	}
}

// restart ends the primary with a signal, and starts it again after a while.
func (c *cluster) restart(ctx context.Context, signal syscall.Signal, away time.Duration) error {
	s := c.inCharge.Load()
	if err := s.end(signal); err != nil {
		return err
	}
	c.cut()
	wait(ctx, away)
	return s.start(context.WithoutCancel(ctx))
}

// join makes the other server a standby of the primary. From then on, a commit waits until the
// standby has it.
func (c *cluster) join(ctx context.Context) error {
	primary := c.inCharge.Load()
	if err := c.standby.end(syscall.SIGKILL); err != nil {
		return err
	}
	if err := c.standby.copyOf(primary); err != nil {
		return err
	}
	if err := c.standby.start(ctx); err != nil {
		return err
	}
	if err := primary.set(ctx, "synchronous_standby_names", standbyName); err != nil {
		return err
	}
	return c.streams(ctx)
}

// streams waits until the standby has all commits and new commits wait for it.
func (c *cluster) streams(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for in := false; !in; {
		err := c.inCharge.Load().query(ctx, "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync' AND replay_lsn >= pg_current_wal_flush_lsn())", &in)
		if err == nil && !in && !wait(ctx, 50*time.Millisecond) {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("the standby does not stream: %w", err)
		}
	}
	return nil
}

// standbyAway stops the standby for a while. Every commit waits for its return.
func (c *cluster) standbyAway(ctx context.Context, lasts time.Duration) error {
	if err := c.standby.end(syscall.SIGINT); err != nil {
		return err
	}
	wait(ctx, lasts)
	if err := c.standby.start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	return c.streams(context.WithoutCancel(ctx))
}

// promote kills the primary and promotes its standby, as an operator does. Until then, the replicas
// find a read-only database. The old primary becomes the standby of the new one.
func (c *cluster) promote(ctx context.Context, hesitates time.Duration) error {
	ctx = context.WithoutCancel(ctx)
	old, promoted := c.inCharge.Load(), c.standby
	if err := c.streams(ctx); err != nil { // a standby that lags may lack acknowledged commits
		return err
	}
	if err := old.end(syscall.SIGKILL); err != nil {
		return err
	}
	c.inCharge.Store(promoted)
	c.cut()
	wait(ctx, hesitates)
	if err := promoted.query(ctx, "SELECT pg_promote()"); err != nil {
		return err
	}
	c.standby = old
	return c.join(ctx)
}

// readOnly makes the database read-only for a while.
func (c *cluster) readOnly(ctx context.Context, lasts time.Duration) error {
	s := c.inCharge.Load()
	if err := s.set(ctx, "default_transaction_read_only", "on"); err != nil {
		return err
	}
	wait(ctx, lasts)
	return s.set(context.WithoutCancel(ctx), "default_transaction_read_only", "off")
}

// fillDisk fills the primary's disk for a while. If the server ends because of it, it is started again.
func (c *cluster) fillDisk(ctx context.Context, lasts time.Duration) error {
	s := c.inCharge.Load()
	own := c.disks[s]
	if err := own.fill(); err != nil {
		return err
	}
	wait(ctx, lasts)
	if err := own.removeFiller(); err != nil {
		return err
	}
	if s.hasExited() {
		c.cut()
		return s.start(context.WithoutCancel(ctx))
	}
	return nil
}

// silenceDatabase makes the database accept data from every replica but send nothing.
func (c *cluster) silenceDatabase(ctx context.Context, lasts time.Duration) {
	for _, l := range c.links {
		defer l.silence()()
	}
	wait(ctx, lasts)
}
