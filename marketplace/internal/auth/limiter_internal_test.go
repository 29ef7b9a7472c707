package auth

import (
	"testing"
	"time"
)

func TestAFloodOfKeysIsRefusedUntilTheirWindowsEnd(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	l := NewLimiter(2, time.Minute, func() time.Time { return now })
	l.keys = 2
	l.Take("ana")
	l.Take("bo")
	if d := l.Take("cy"); d.Allowed || d.Reset != time.Minute {
		t.Errorf("want a key too many refused for a window, got %+v", d)
	}
	if d := l.Take("ana"); !d.Allowed {
		t.Errorf("want a known key counted on, got %+v", d)
	}
	now = now.Add(time.Minute)
	if d := l.Take("cy"); !d.Allowed || len(l.windows) != 1 {
		t.Errorf("want it allowed once the windows have ended, and their keys forgotten, got %+v and %d keys", d, len(l.windows))
	}
}
