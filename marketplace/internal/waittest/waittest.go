// Package waittest lets tests wait for conditions.
package waittest

import "time"

// patience is far longer than a busy machine needs.
const patience = 10 * time.Minute

// T is a test, or a run of package rapid.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Until waits for a condition, and ends the test if it does not come about.
func Until(t T, what string, holds func() bool) {
	t.Helper()
	late := time.After(patience)
	for !holds() {
		select {
		case <-late:
			t.Fatalf("Expected %s within %s", what, patience)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
