//go:build linux

// Package crash tests that bookings survive every failure. Its tests run three replicas of the real
// command on one PostgreSQL with a standby, against the mock partner with faults. They disturb
// replicas, their connections and the database (plan_test.go). Then they compare each booking in
// the records of the marketplace, the partner and the customers (invariants_test.go).
//
// `make test` runs a short form, `make crash` the full one. It needs Linux.
package crash

import (
	"cmp"
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/client"
)

// seedOf returns the seed for the customers, the partner's faults and our faults. How they coincide
// depends on the machine.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("CRASH_SEED"), "11"), 10, 64)
	if err != nil {
		t.Fatalf("CRASH_SEED: want a number, got %q", os.Getenv("CRASH_SEED"))
	}
	return seed
}

// wholeBookings returns the number of bookings in the full form, as `make crash` sets it. 0 means the short
// form.
func wholeBookings(t *testing.T) int {
	t.Helper()
	text := os.Getenv("CRASH")
	if text == "" {
		return 0
	}
	bookings, err := strconv.Atoi(text)
	if err != nil || bookings < 1 {
		t.Fatalf("CRASH: want a number of bookings, got %q", text)
	}
	return bookings
}

// testForm is how long and how large a crash test is.
type testForm struct {
	bookings  int
	pace      time.Duration // between two customers
	sequences []sequence
	all       bool // with a standby and with disks that can be filled
	// skipsWaits means that the test does not wait in real time until a replica's death is certain. It
	// makes the stored times older instead.
	skipsWaits bool
	takes      time.Duration // the maximum duration
	ends       func() bool   // whether no more customers come; nil: all come
}

func formOf(bookings int) testForm {
	if bookings == 0 {
		return testForm{bookings: 60, pace: 60 * time.Millisecond, sequences: shortSequences(), skipsWaits: true, takes: 2 * patience}
	}
	return testForm{bookings: bookings, pace: 360 * time.Millisecond, sequences: longSequences(), all: true, takes: 2 * patience}
}

// faults are the partner's. About one booking in eight meets one.
const faults = `
faults:
  - {name: availability-500, match: {endpoint: availability}, key: none, probability: 0.01, status: 500}
  - {name: reserve-500, match: {endpoint: reserve}, key: none, probability: 0.02, status: 500}
  - {name: reserve-cut, match: {endpoint: reserve}, key: none, probability: 0.02, fault: CONNECTION_RESET_BY_PEER}
  - {name: reserve-lost, match: {endpoint: reserve}, key: none, probability: 0.03, when: after, fault: CONNECTION_RESET_BY_PEER}
  - {name: reserve-late, match: {endpoint: reserve}, key: none, probability: 0.01, delay: {just-over: reserve}}
  - {name: confirm-500, match: {endpoint: confirm}, key: none, probability: 0.02, status: 500}
  - {name: confirm-cut, match: {endpoint: confirm}, key: none, probability: 0.04, fault: CONNECTION_RESET_BY_PEER}
  - {name: confirm-lost, match: {endpoint: confirm}, key: none, probability: 0.04, when: after, fault: CONNECTION_RESET_BY_PEER}
  - {name: confirm-late, match: {endpoint: confirm}, key: none, probability: 0.01, delay: {just-over: confirm}}
  - {name: release-500, match: {endpoint: release}, key: none, probability: 0.1, status: 500}
  - {name: release-lost, match: {endpoint: release}, key: none, probability: 0.1, when: after, fault: CONNECTION_RESET_BY_PEER}
  - {name: cancel-500, match: {endpoint: cancel}, key: none, probability: 0.1, status: 500}
  - {name: cancel-lost, match: {endpoint: cancel}, key: none, probability: 0.1, when: after, fault: CONNECTION_RESET_BY_PEER}
  - {name: slow, delay: {lognormal: {median: 20ms, sigma: 1}}}
`

const (
	seatsOfASlot = 40
	// takenOver is the time after which other replicas take over the work of a killed replica.
	takenOver = 70 * time.Second
	// holdTime exceeds the duration of the partner's holds, by any clock.
	holdTime = 30 * time.Minute
	// agePause is the pause between two advances of the time.
	agePause = 3 * time.Second
)

func TestNoPaymentAndNoSeatIsLostWhateverFails(t *testing.T) {
	t.Parallel()
	f := formOf(wholeBookings(t))
	s := open(t, launch(t, seedOf(t), f.all), seatsOfASlot, faults)
	began := time.Now()
	customers := s.sell(t, f)
	s.requireLaws(t, f, customers)
	t.Logf("seed %d, %s", s.seed, time.Since(began).Round(time.Second))
}

// requireLaws waits until everything has settled, lets what is still held expire, and judges what has become of the customers.
func (s *shop) requireLaws(t *testing.T, f testForm, customers []*customer) {
	t.Helper()
	s.settle(t, f)
	s.collect(t, customers).heldSeats(t)
	s.age(t, holdTime)
	s.settle(t, f)
	r := s.collect(t, customers)
	r.judge(t)
	t.Log("\n" + r.table())
}

// sell runs the customers during the faults, and returns them when each has all its answers.
func (s *shop) sell(t *testing.T, f testForm) []*customer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), f.takes)
	defer cancel()
	random := rand.New(rand.NewPCG(s.seed, 2))
	// There are fewer seats than requested, so that some slots sell out.
	slots := s.slots[:min(len(s.slots), f.bookings*2*9/10/seatsOfASlot+1)]
	var all []*customer
	running, over := context.WithCancel(ctx)
	defer over()
	var faulty, inside sync.WaitGroup
	for i, sequence := range f.sequences {
		plan := sequence.plan(rand.New(rand.NewPCG(s.seed, uint64(10+i))), time.Duration(f.bookings)*f.pace)
		faulty.Go(func() { s.cause(running, t, plan) })
	}
	come := time.NewTicker(f.pace)
	defer come.Stop()
	for len(all) < f.bookings && (f.ends == nil || !f.ends()) {
		<-come.C
		c := newCustomer(len(all), random, slots)
		all = append(all, c)
		inside.Go(func() { c.acts(ctx, s); c.done.Store(true) })
	}
	over()
	faulty.Wait()
	s.allServe(t)
	s.store.Pool().Reset() // its connections may be cut
	s.await(t, f, "every customer answered", func() bool {
		return !slices.ContainsFunc(all, func(c *customer) bool { return !c.done.Load() })
	}, func() bool {
		return !slices.ContainsFunc(all, func(c *customer) bool { return !c.done.Load() && !c.waits.Load() })
	})
	inside.Wait()
	return all
}

// await waits until a condition is true. In the short form it advances the time whenever that is
// allowed.
func (s *shop) await(t *testing.T, f testForm, what string, so, mayAge func() bool) {
	t.Helper()
	quiet, seen := time.Now(), s.partner.Default().Journal().Count().Arrived
	waitUntil(t, f.takes, what, func() bool {
		if is := so(); is || !f.skipsWaits {
			return is
		}
		// Otherwise a running call would be taken for a call of a dead replica.
		if arrived := s.partner.Default().Journal().Count().Arrived; arrived != seen || s.underWay() {
			quiet, seen = time.Now(), arrived
		}
		if time.Since(quiet) > agePause && mayAge() {
			s.age(t, takenOver)
			quiet = time.Now()
		}
		return false
	})
}

// underWay reports whether the partner has unanswered calls whose callers are still connected.
func (s *shop) underWay() bool {
	return slices.ContainsFunc(s.partner.Default().Exchanges(client.Filter{}), func(e client.Exchange) bool {
		return !e.Done && e.LeftAfter == nil
	})
}

// settle waits until nothing is left to do, except for holds that have not expired.
func (s *shop) settle(t *testing.T, f testForm) {
	t.Helper()
	s.await(t, f, "everything settled", func() bool {
		return s.count(t, unsettled) == 0 && s.partner.Default().Verdict().UnderWay == 0 && s.count(t, unsettled) == 0
	}, func() bool { return true })
}

// unsettled counts the bookings and jobs that wait for a job, a call or a sweep.
const unsettled = `
	SELECT (SELECT count(*) FROM river_job WHERE queue = 'bookings' AND finalized_at IS NULL) +
		(SELECT count(*) FROM bookings b WHERE status = 'RESERVING' OR release = 'pending' OR cancellation = 'pending' OR confirm_call IS NOT NULL
			OR status = 'HELD' AND expires_at <= now()
			OR status = 'PAID' AND NOT EXISTS (SELECT FROM booking_attention a WHERE a.booking_id = b.id AND settled_at IS NULL))`
