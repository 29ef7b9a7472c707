package conformance

import (
	"hash/fnv"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/partner"
)

const (
	// mostWaiting and mostBytes limit the calls that wait for the judge: their number, and the bytes
	// of their bodies. largest is the largest answer that is judged.
	mostWaiting = 1000
	mostBytes   = 32 << 20
	largest     = 8 << 20
	// holdsUp is how long a call in progress makes the judge wait for it. Nearly all limits of the
	// contract are shorter.
	holdsUp = 20 * time.Second
	// heartbeatEvery is how often the process shows that it runs, and paused the gap after which the
	// answer times that it measured are wrong.
	heartbeatEvery = 250 * time.Millisecond
	paused         = time.Second
	// complainEvery is the shortest interval between log lines about calls that were not judged.
	complainEvery = time.Minute
)

// Dropped is why a call was not judged.
type Dropped string

// The reasons.
const (
	DroppedBehind  Dropped = "behind"   // the judge has no room
	DroppedLarge   Dropped = "large"    // its answer is too large
	DroppedPaused  Dropped = "paused"   // this process did not run meanwhile
	DroppedStopped Dropped = "stopped"  // the judge stopped, or does not run
	DroppedLeftOut Dropped = "left_out" // the judge stopped while it judged this partner's calls
)

// AllDropped lists the reasons.
func AllDropped() []Dropped {
	return []Dropped{DroppedBehind, DroppedLarge, DroppedPaused, DroppedStopped, DroppedLeftOut}
}

// sampledMinute is one of how many minutes in which a sample judges a partner's calls. All calls of
// a minute are judged, because rules compare calls.
const sampledMinute = 10

// item is a call that waits for the judge.
type item struct {
	*partner.Exchange
	target  partner.Target
	started time.Time
	until   time.Time // later calls of the partner started at that time, or after it
}

func (i item) size() int64 { return int64(len(i.Body) + len(i.Answer)) }

// tap copies calls to a queue. It implements partner.Watcher.
type tap struct {
	now    func() time.Time
	sample bool
	log    *slog.Logger
	queue  chan item
	bytes  atomic.Int64

	judged  atomic.Int64 // passed to the judge
	dropped map[Dropped]*atomic.Int64
	leftOut leftOut

	mu         sync.Mutex
	inProgress map[uuid.UUID][]time.Time // when they started
	complained time.Time
	unreported int64

	heartbeat, resumed atomic.Int64 // Unix nanoseconds
}

func newTap(now func() time.Time, sample bool, log *slog.Logger) *tap {
	t := &tap{now: now, sample: sample, log: log, queue: make(chan item, mostWaiting), inProgress: map[uuid.UUID][]time.Time{}, leftOut: leftOut{pauses: map[uuid.UUID]pause{}}, dropped: map[Dropped]*atomic.Int64{}}
	for _, reason := range AllDropped() {
		t.dropped[reason] = &atomic.Int64{}
	}
	t.heartbeat.Store(time.Now().UnixNano())
	return t
}

// recordHeartbeat records that this process runs.
func (t *tap) recordHeartbeat() {
	now := time.Now().UnixNano()
	if before := t.heartbeat.Swap(now); now-before > int64(paused) {
		t.resumed.Store(now)
	}
}

// wasPaused reports whether this process did not run for a while since began.
func (t *tap) wasPaused(began time.Time) bool {
	return time.Now().UnixNano()-t.heartbeat.Load() > int64(paused) || began.UnixNano() < t.resumed.Load()
}

// Begins implements partner.Watcher.
func (t *tap) Begins(to partner.Target) func(*partner.Exchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	started, began := t.now(), time.Now()
	if t.sample && !sampled(to.ID, started) {
		return func(*partner.Exchange) {}
	}
	t.inProgress[to.ID] = append(t.inProgress[to.ID], started)
	return func(x *partner.Exchange) { t.ends(to, x, started, began) }
}

func sampled(integration uuid.UUID, at time.Time) bool {
	sum := fnv.New32a()
	_, _ = sum.Write(integration[:])
	return (int64(sum.Sum32())+at.Unix()/60)%sampledMinute == 0
}

func (t *tap) ends(to partner.Target, x *partner.Exchange, started, began time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	calls := t.inProgress[to.ID]
	if at := slices.Index(calls, started); at >= 0 {
		calls = slices.Delete(calls, at, at+1)
	}
	if t.inProgress[to.ID] = calls; len(calls) == 0 {
		delete(t.inProgress, to.ID)
	}
	if x == nil {
		return
	}
	until := now
	for _, other := range calls {
		if now.Sub(other) < holdsUp && other.Before(until) {
			until = other
		}
	}
	one := item{x, to, started, until}
	switch {
	case t.leftOut.has(to.ID, now):
		t.drop(DroppedLeftOut)
	case len(x.Answer) > largest:
		t.drop(DroppedLarge)
	case t.wasPaused(began):
		t.drop(DroppedPaused)
	case t.bytes.Add(one.size()) > mostBytes:
		t.bytes.Add(-one.size())
		t.drop(DroppedBehind)
	default:
		select {
		case t.queue <- one: // under the lock, so that until holds for what is queued later
		default:
			t.bytes.Add(-one.size())
			t.drop(DroppedBehind)
		}
	}
}

// drop counts a call that is not judged. The caller holds the lock.
func (t *tap) drop(reason Dropped) {
	t.dropped[reason].Add(1)
	t.unreported++
	if now := time.Now(); now.Sub(t.complained) >= complainEvery {
		t.log.Warn("calls to partners were not judged", slog.String("reason", string(reason)), slog.Int64("calls", t.unreported))
		t.complained, t.unreported = now, 0
	}
}

// dropItem is drop for a call that has left the queue.
func (t *tap) dropItem(reason Dropped) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(reason)
}

// releaseItem accounts for a call that left the queue.
func (t *tap) releaseItem(one item) { t.bytes.Add(-one.size()) }

// discard drops the waiting calls, because no judge runs that could know what preceded them.
func (t *tap) discard() {
	for {
		select {
		case one := <-t.queue:
			t.releaseItem(one)
			t.dropItem(DroppedStopped)
		default:
			return
		}
	}
}
