package worker

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestTheQueueGoesByTheDatabasesClock(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{0, 3 * time.Minute, -3 * time.Minute} {
		c := databaseClock{local: func() time.Time { return time.Now().Add(off) }}
		if err := c.set(t.Context(), func(context.Context) (time.Time, error) { return time.Now(), nil }); err != nil {
			t.Fatal(err)
		}
		if apart := time.Since(c.Now()).Abs(); apart > time.Second {
			t.Errorf("a clock that is %s off: want the database's time, got %s from it", off, apart)
		}
		if err := c.set(t.Context(), func(context.Context) (time.Time, error) { return time.Time{}, errors.New("away") }); err == nil {
			t.Error("want to hear that it was not read")
		}
		if apart := time.Since(c.Now()).Abs(); apart > time.Second {
			t.Errorf("want what was known before, got %s from it", apart)
		}
	}
}
