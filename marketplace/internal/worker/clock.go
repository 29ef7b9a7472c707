package worker

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// databaseClock is the queue's: replicas compare the times of jobs, so they all go by the
// database's clock, as far as each knows how far its own is off.
type databaseClock struct {
	local func() time.Time
	ahead atomic.Int64 // of the local clock
}

// Now is the queue's.
func (c *databaseClock) Now() time.Time { return c.local().Add(time.Duration(c.ahead.Load())) }

// NowOrNil is the queue's: where it has a statement compare, the database takes its own time.
func (c *databaseClock) NowOrNil() *time.Time { return nil }

// set learns the difference between the clocks. Reading the database's takes a while: it
// is taken to have been read in the middle.
func (c *databaseClock) set(ctx context.Context, read func(context.Context) (time.Time, error)) error {
	before := c.local()
	there, err := read(ctx)
	if err != nil {
		return err
	}
	c.ahead.Store(int64(there.Sub(before.Add(c.local().Sub(before) / 2))))
	return nil
}

// setClock sets the queue's clock by the database's. One that cannot be read now stays as
// it is.
func (w *Worker) setClock(ctx context.Context) {
	if err := w.clock.set(ctx, w.Store.Now); err != nil {
		w.Log.Warn("the database's clock was not read", slog.Any("error", err))
	}
}
