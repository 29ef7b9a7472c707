package schedules

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// world is one run: the replicas, what they share, and what happened.
type world struct {
	plan     func(key string, options []deviation) deviation
	began    time.Time
	replicas []*replica
	database *database
	platform *platform
	over     chan struct{}  // closed when the run ends, for killed replicas
	loops    sync.WaitGroup // work and sweep

	mu       sync.Mutex
	trace    []step
	seen     map[string]int
	slots    map[int64]bool
	payments []acknowledged
	resolved map[uuid.UUID]bool // reschedules that an operator has ended, saying that the partner has not booked
	known    int                // holds from before the workload
	answers  map[string][]booking.Answer
	broken   []string
}

// acknowledged is a payment whose caller received an acknowledgement.
type acknowledged struct {
	booking   uuid.UUID
	reference string
}

// step is one step of the run, with its outcome.
type step struct {
	key     string
	at      time.Duration
	replica string
	task    string
	op      string
	options []deviation
	did     deviation
}

// replica is one process of the service.
type replica struct {
	*booking.Service
	world   *world
	name    string
	number  int
	waking  time.Time     // it is paused until then
	killed  bool          // it is paused forever
	skewed  time.Duration // its clock is ahead by this
	busy    int           // the number of requests, jobs and steps in progress
	current map[string]uuid.UUID
	looked  map[string]time.Time
}

func newWorld(count int, plan func(string, []deviation) deviation) *world {
	w := &world{
		plan: plan, began: time.Now(), over: make(chan struct{}), seen: map[string]int{}, slots: map[int64]bool{}, resolved: map[uuid.UUID]bool{}, answers: map[string][]booking.Answer{},
	}
	w.database, w.platform = newDatabase(w), newPlatform(w)
	for i := range count {
		r := &replica{world: w, name: string(rune('A' + i)), number: i, current: map[string]uuid.UUID{}, looked: map[string]time.Time{}}
		var err error
		r.Service, err = booking.NewService(booking.Config{
			Store: view{r}, Keys: view{r}, Partner: caller{r},
			Target: func(i domain.Integration) (partner.Target, error) {
				return partner.Target{ID: i.ID, BaseURL: i.BaseURL}, nil
			},
			AffiliatesShare: decimal.NewFromInt(10),
			Now:             func() time.Time { return time.Now().Add(r.skewed) },
			Log:             slog.New(slog.DiscardHandler),
		})
		if err != nil {
			panic(err)
		}
		w.replicas = append(w.replicas, r)
	}
	return w
}

// elapsedTime returns the time since the run began.
func (w *world) elapsedTime() time.Duration { return time.Since(w.began) }

// breaks records a broken invariant.
func (w *world) breaks(invariant domain.Invariant, format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	message := invariant.ID + ": " + fmt.Sprintf(format, args...)
	if !slices.Contains(w.broken, message) {
		w.broken = append(w.broken, message)
		w.trace = append(w.trace, step{at: w.elapsedTime(), op: "BROKEN " + message})
	}
}

// task identifies who requested the work of a context.
type task struct {
	name     string
	operator bool
	number   int
}

type taskKey struct{}

func withTask(ctx context.Context, t task) context.Context {
	return context.WithValue(ctx, taskKey{}, t)
}

// taskOf returns the task of a context. Only the late answer to a reserve has none.
func taskOf(ctx context.Context) task {
	if t, ok := ctx.Value(taskKey{}).(task); ok {
		return t
	}
	return task{name: "late answer"}
}

// Steps happen at instants of their own, so that a run does not depend on the order in
// which goroutines are scheduled: a step waits for the next instant that belongs to its
// task and its operation.
const (
	slotEvery   = 10 * time.Millisecond
	slotsOfTask = 20
)

var operations = []string{
	"read the offer", "read the affiliate", "claim the key", "take over the key", "settle the key", "free the key", "record the checkout",
	"read the booking", "save the booking", "read what is due", "call availability", "call reserve", "call confirm", "call release", "call cancel", "look for the call", "keep the slot",
}

func (w *world) slot(t task, op string) {
	offset := time.Duration(t.number*slotsOfTask+slices.Index(operations, op)+1) * time.Microsecond
	at := w.elapsedTime().Truncate(slotEvery) + offset
	for {
		if at <= w.elapsedTime() {
			at += slotEvery
			continue
		}
		w.mu.Lock()
		taken := w.slots[int64(at)]
		w.slots[int64(at)] = true
		w.mu.Unlock()
		if !taken {
			break
		}
		at += slotEvery
	}
	time.Sleep(at - w.elapsedTime())
}

// waitAwake waits until the replica is not paused. It returns false if the pause never ends.
func (r *replica) waitAwake() bool {
	for {
		r.world.mu.Lock()
		waking, killed := r.waking, r.killed
		r.world.mu.Unlock()
		if killed {
			<-r.world.over
			return false
		}
		left := time.Until(waking)
		if left <= 0 {
			return true
		}
		time.Sleep(left)
	}
}

var (
	errConnection = errors.New("the connection to the database broke")
	errKilled     = errors.New("the replica was killed")
)

// step is a point where the schedule decides: once the replica is awake and it is the step's
// turn, it returns the outcome of the step.
func (r *replica) step(ctx context.Context, op string, options []deviation) (deviation, error) {
	w, t := r.world, taskOf(ctx)
	if !r.waitAwake() {
		return well, errKilled
	}
	w.slot(t, op)
	for r.isPaused() { // another task was paused meanwhile, and with it the replica
		if !r.waitAwake() {
			return well, errKilled
		}
		w.slot(t, op)
	}
	w.mu.Lock()
	key := fmt.Sprintf("%s/%s/%s", r.name, t.name, op)
	w.seen[key]++
	key = fmt.Sprintf("%s/%d", key, w.seen[key])
	did := w.plan(key, options)
	w.trace = append(w.trace, step{key: key, at: w.elapsedTime(), replica: r.name, task: t.name, op: op, options: options, did: did})
	if did == killed && w.countAlive() == 1 {
		did = well // at least one replica must continue
	}
	w.trace[len(w.trace)-1].did = did
	if did == killed {
		r.killed = true
	} else if by := did.pauses(); by > 0 {
		r.waking = time.Now().Add(by)
	}
	w.mu.Unlock()
	if did != killed && did.pauses() == 0 {
		return did, nil
	}
	if !r.waitAwake() {
		return well, errKilled
	}
	w.slot(t, op)
	w.note(r, t, op+", after the pause")
	return well, nil
}

// note adds a line to the listing that is not a step.
func (w *world) note(r *replica, t task, what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trace = append(w.trace, step{at: w.elapsedTime(), replica: r.name, task: t.name, op: what})
}

// countAlive returns the number of replicas that were not killed. The world is locked.
func (w *world) countAlive() (n int) {
	for _, r := range w.replicas {
		if !r.killed {
			n++
		}
	}
	return n
}

func (r *replica) isPaused() bool {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	return r.killed || time.Now().Before(r.waking)
}

// runningReplica returns a replica that is not paused, the preferred one if possible.
func (w *world) runningReplica(preferred int) *replica {
	for i := range w.replicas {
		if r := w.replicas[(preferred+i)%len(w.replicas)]; !r.isPaused() {
			return r
		}
	}
	return nil
}

// sleep waits, and reports whether that ended before ctx.
func sleep(ctx context.Context, by time.Duration) bool {
	timer := time.NewTimer(by)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// The objects that are booked.
var (
	reseller    = uuid.MustParse("00000000-0000-4000-8000-00000000000a")
	integration = domain.Integration{ID: uuid.MustParse("00000000-0000-4000-8000-00000000000b"), BaseURL: &url.URL{Scheme: "https", Host: "partner.example"}}
	activity    = uuid.MustParse("00000000-0000-4000-8000-00000000000c")
	variation   = uuid.MustParse("00000000-0000-4000-8000-00000000000d")
	unit        = partnerapi.Unit{ID: "unit-adult", Type: partnerapi.Adult, PricingFrom: []partnerapi.PricingEntry{{Original: 2500, Currency: "EUR"}}}
	option      = partnerapi.Option{ID: "morning", InternalName: "Morning", AvailabilityType: "START_TIME", Units: []partnerapi.Unit{unit}}
)

// slotIDs are the slots that can be booked, one an hour.
var slotIDs = []string{"slot-1", "slot-2", "slot-3"}

// slotStart is the start of the first slot.
func (w *world) slotStart() time.Time { return w.began.UTC().Add(34 * time.Hour) }

func (w *world) startOf(slot string) time.Time {
	return w.slotStart().Add(time.Duration(slices.Index(slotIDs, slot)) * time.Hour)
}

func (w *world) offer(slot string) booking.Offer {
	return booking.Offer{
		Activity: domain.Activity{
			ID: activity, IntegrationID: integration.ID, Product: partnerapi.Product{ID: "walk", TimeZone: "UTC"}, PartnerActive: true, OperatorActive: true,
			Variations: []domain.Variation{{ID: variation, Option: option, Active: true}},
		},
		Integration: integration, Health: partnerapi.Healthy, Start: w.startOf(slot),
		Terms: domain.Terms{Rates: domain.Rates{Base: "EUR", Per: map[domain.Currency]decimal.Decimal{}}},
	}
}

func order(id uuid.UUID) booking.Order {
	return booking.Order{
		Mode: domain.Live,
		ID:   id, Account: reseller, Activity: activity, Variation: variation, Slot: "slot-1",
		Guests: []booking.Party{{Type: partnerapi.Adult, Quantity: 2}}, Contact: partnerapi.Contact{FullName: "Ana Sousa", EmailAddress: "ana@example.com"},
	}
}
