package postgres_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"partnerkit.dev/marketplace/internal/postgres"
)

func TestAClockReturnsTheDatabasesTimeWhateverTheLocalClockSays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, off := range []time.Duration{0, 3 * time.Minute, -3 * time.Minute} {
			c := postgres.NewClock(func() time.Time { return time.Now().Add(off) })
			check(t, c.Set(t.Context(), func(context.Context) (time.Time, error) { return time.Now(), nil }))
			if apart := time.Since(c.Now()); apart != 0 {
				t.Errorf("a clock that is %s off: want the database's time, got %s from it", off, apart)
			}
			if err := c.Set(t.Context(), func(context.Context) (time.Time, error) { return time.Time{}, errors.New("away") }); err == nil {
				t.Error("want to hear that it was not read")
			}
			if apart := time.Since(c.Now()); apart != 0 {
				t.Errorf("want what was known before, got %s from it", apart)
			}
		}
	})
}

func TestAClockIsNotSetByAReadingThatTookLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := postgres.NewClock(time.Now)
		if err := c.Set(t.Context(), func(context.Context) (time.Time, error) {
			read := time.Now()
			time.Sleep(time.Minute) // the replica is paused
			return read, nil
		}); err == nil {
			t.Error("want to hear that it was not set")
		}
		if apart := time.Since(c.Now()).Abs(); apart != 0 {
			t.Errorf("want it as before, got %s from the time", apart)
		}
	})
}
