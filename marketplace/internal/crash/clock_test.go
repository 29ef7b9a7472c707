//go:build linux

package crash

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"partnerkit.dev/internal/tooltest"
)

// otherClock returns the environment of a database whose clock is minutes ahead of or behind the
// clock of the replicas and the partner. A standby has the same clock: the servers of one database
// must be synchronized.
func otherClock(t *testing.T, random *rand.Rand) (env []string, apart time.Duration) {
	t.Helper()
	apart = time.Duration(2+random.IntN(4)) * time.Minute
	if random.IntN(2) == 0 {
		apart = -apart
	}
	for _, pattern := range []string{"/usr/lib/*/faketime/libfaketime.so.1", "/usr/lib*/faketime/libfaketime.so.1", "/usr/local/lib/faketime/libfaketime.so.1"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 { // the patterns are valid
			return []string{"LD_PRELOAD=" + found[0], fmt.Sprintf("FAKETIME=%+ds", int(apart.Seconds())), "FAKETIME_DONT_FAKE_MONOTONIC=1"}, apart
		}
	}
	if tooltest.Required() {
		t.Fatal(tooltest.Faketime)
	}
	t.Log("all have the same clock: ", tooltest.Faketime)
	return nil, 0
}
