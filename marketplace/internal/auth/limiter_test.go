package auth_test

import (
	"sync/atomic"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/auth"
)

// clock is a clock that moves only when set.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(0, c.ahead.Load()) }

func TestABurstOfTheWholeLimitIsAllowedAndNoMore(t *testing.T) {
	t.Parallel()
	var c clock
	l := auth.NewLimiter(3, time.Minute, c.now)
	for want := 2; want >= 0; want-- {
		if d := l.Take("ana"); !d.Allowed || d.Limit != 3 || d.Remaining != want || d.Reset != time.Minute {
			t.Errorf("want it allowed with %d left, got %+v", want, d)
		}
	}
	c.ahead.Add(int64(20 * time.Second))
	if d := l.Take("ana"); d.Allowed || d.Remaining != 0 || d.Reset != 40*time.Second {
		t.Errorf("want it refused for 40 s, got %+v", d)
	}
	if d := l.Take("bo"); !d.Allowed {
		t.Errorf("want another key left alone, got %+v", d)
	}
	c.ahead.Add(int64(40 * time.Second))
	if d := l.Take("ana"); !d.Allowed || d.Remaining != 2 {
		t.Errorf("want a new window, got %+v", d)
	}
}
