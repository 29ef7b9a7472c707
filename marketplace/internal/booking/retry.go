package booking

import (
	"math/rand/v2"
	"time"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// pauses are those before a call is sent again; the last one doubles up to longestPause.
var pauses = []time.Duration{time.Second, 5 * time.Second, 15 * time.Second, time.Minute}

const longestPause = 15 * time.Minute

// pause is how long to wait after so many tries before this one: a fifth more or less
// than the list says, so that what failed together does not come back together.
func pause(tries int) time.Duration {
	wait := pauses[min(max(tries, 0), len(pauses)-1)]
	for range tries - len(pauses) + 1 {
		if wait *= 2; wait >= longestPause {
			wait = longestPause
			break
		}
	}
	return wait + time.Duration((rand.Float64()-0.5)*0.4*float64(wait))
}

// mostConfirms is how often confirm is sent by itself where no answer is read.
const mostConfirms = 5

// silence is what a confirm without an answer means at that moment: it is sent again a
// few times, until the hold's expiry.
func silence(b marketplace.Booking, now time.Time) Event {
	if b.ConfirmTries >= mostConfirms || !now.Before(b.ExpiresAt) {
		return ConfirmGiveUp
	}
	return ConfirmUnanswered
}

// deliverFor is how long a release or a cancellation is sent until an operator is told.
const deliverFor = 72 * time.Hour

// parked reports whether a delivery that is owed since then has been tried for long
// enough.
func parked(since, now time.Time) bool { return now.Sub(since) >= deliverFor }
