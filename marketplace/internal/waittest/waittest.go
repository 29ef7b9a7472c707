// Package waittest lets tests wait for conditions.
package waittest

import "time"

const (
	// patience is far longer than a busy machine needs.
	patience = 10 * time.Minute
	// look is the first interval between two checks, and longestLook the maximum to which it grows,
	// because many a check calls a partner or reads a database.
	look        = 10 * time.Millisecond
	longestLook = 160 * time.Millisecond
)

// T is a test, or a run of package rapid.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Until waits for a condition, and ends the test if it does not come about.
func Until(t T, what string, holds func() bool) {
	t.Helper()
	late := time.After(patience)
	for pause := look; !holds(); pause = min(2*pause, longestLook) {
		select {
		case <-late:
			t.Fatalf("Expected %s within %s", what, patience)
		case <-time.After(pause):
		}
	}
}
