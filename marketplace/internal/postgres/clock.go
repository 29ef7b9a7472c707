package postgres

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Clock tells the database's time, which replicas share: what one of them has dated
// another one compares. It knows how far the local clock is off, and asks the database
// only when it is set. It is safe for concurrent use.
type Clock struct {
	local func() time.Time
	ahead atomic.Int64 // of the local clock
}

// NewClock returns a clock that goes by the local one until it is set.
func NewClock(local func() time.Time) *Clock { return &Clock{local: local} }

// Now is the database's time.
func (c *Clock) Now() time.Time { return c.local().Add(time.Duration(c.ahead.Load())) }

// NowOrNil is the job queue's: where it has a statement compare, the database takes its own time.
func (c *Clock) NowOrNil() *time.Time { return nil }

// longestReading is how long reading the database's time may take. Half of it is how
// wrong a clock may be set; a replica that was paused meanwhile would be off by far more.
const longestReading = time.Second

// Set learns the difference between the clocks. The database's is taken to have been read
// in the middle of the time that it took. After an error the clock goes on as before.
func (c *Clock) Set(ctx context.Context, read func(context.Context) (time.Time, error)) error {
	before := c.local()
	there, err := read(ctx)
	if err != nil {
		return fmt.Errorf("read the database's clock: %w", err)
	}
	took := c.local().Sub(before)
	if took > longestReading {
		return fmt.Errorf("read the database's clock: it took %s", took)
	}
	c.ahead.Store(int64(there.Sub(before.Add(took / 2))))
	return nil
}
