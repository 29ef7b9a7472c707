//go:build unix

package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/octobridge/internal/store"
)

// check ends the test on an error.
var check = errtest.Check

// clock is a clock that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// fixture is an empty store, with a second one of the same database where another bridge may use it.
type fixture struct {
	*store.Store
	clock *clock
	other *store.Store // nil if the store is for one bridge
}

// eachStore runs a test with a SQLite file, and with a PostgreSQL database.
func eachStore(t *testing.T, test func(*testing.T, fixture)) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		c := newClock()
		test(t, fixture{Store: open(t, filepath.Join(t.TempDir(), "bridge.db"), c), clock: c})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		c, address := newClock(), newDatabase(t)
		test(t, fixture{Store: open(t, address, c), clock: c, other: open(t, address, c)})
	})
}

func newClock() *clock { return &clock{at: time.UnixMilli(1_800_000_000_123)} }

func open(t *testing.T, address string, c *clock) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), address, c.now)
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	return s
}

// add inserts a booking in a state, by way of Reserving like the bridge does.
func (f fixture) add(t *testing.T, b store.Booking) store.Booking {
	t.Helper()
	if b.UUID == "" {
		b.UUID = b.Code
	}
	if b.ExpiresAt.IsZero() {
		b.ExpiresAt = f.clock.now().Add(20 * time.Minute)
	}
	wanted := b.State
	b.State = store.Reserving
	check(t, f.Insert(t.Context(), b))
	if b.State = wanted; b.State != store.Reserving {
		check(t, f.Update(t.Context(), b, store.Reserving))
	}
	return b
}

func codes(t *testing.T, list func() ([]store.Booking, error)) (codes []string) {
	t.Helper()
	found, err := list()
	check(t, err)
	for _, b := range found {
		codes = append(codes, b.Code)
	}
	return codes
}

func requireCodes(t *testing.T, what string, want []string, got []string) {
	t.Helper()
	if !slices.Equal(want, got) {
		t.Errorf("%s: want %v, got %v", what, want, got)
	}
}

func TestStore_ReturnsWhatItWasGiven(t *testing.T) {
	eachStore(t, func(t *testing.T, f fixture) {
		want := f.add(t, store.Booking{
			Code: "c-1", UUID: "another", State: store.Confirmed, Immediate: true, ProductID: "p ü", OptionID: "o/1", AvailabilityID: "2026-07-01T10:00:00+01:00",
			BookingID: "B 1/😀", Answer: []byte(`{"status":"CONFIRMED"}`),
		})
		for what, find := range map[string]func() (store.Booking, bool, error){
			"by code":       func() (store.Booking, bool, error) { return f.Find(t.Context(), "c-1") },
			"by booking id": func() (store.Booking, bool, error) { return f.FindBooking(t.Context(), "B 1/😀") },
		} {
			got, found, err := find()
			check(t, err)
			if !found || !got.ExpiresAt.Equal(want.ExpiresAt) {
				t.Fatalf("%s: want %+v, got %+v, %t", what, want, got, found)
			}
			if got.ExpiresAt = want.ExpiresAt; !reflect.DeepEqual(got, want) {
				t.Errorf("%s: want %+v, got %+v", what, want, got)
			}
		}
		for _, unknown := range []string{"", "C-1", "c-1 ", "B 1/😀", "a\x00b", "\xff"} { // codes are compared exactly
			if _, found, err := f.Find(t.Context(), unknown); found || err != nil {
				t.Errorf("%q: want nothing, got %t, %v", unknown, found, err)
			}
		}
		check(t, f.Delete(t.Context(), "c-1"))
		if _, found, err := f.Find(t.Context(), "c-1"); found || err != nil {
			t.Errorf("want it deleted, got %t, %v", found, err)
		}
	})
}

// What a bridge reads, decides and writes must not overwrite what another has decided meanwhile.
func TestStore_OnlyOneCallMovesABookingOnFromAState(t *testing.T) {
	eachStore(t, func(t *testing.T, f fixture) {
		held := f.add(t, store.Booking{Code: "c-1", State: store.Held})
		stores := []*store.Store{f.Store, f.Store}
		if f.other != nil {
			stores[1] = f.other
		}
		var group sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			group.Go(func() {
				b := held
				b.State = []store.State{store.Confirming, store.Releasing}[i%2]
				errs[i] = stores[i/4].Update(t.Context(), b, store.Held)
			})
		}
		group.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if !errors.Is(err, store.ErrChanged) {
				t.Errorf("want %v, got %v", store.ErrChanged, err)
			}
		}
		if won != 1 {
			t.Errorf("want one that moved it, got %d", won)
		}
	})
}

func TestStore_TwoBookingsNeverHaveOneID(t *testing.T) {
	eachStore(t, func(t *testing.T, f fixture) {
		f.add(t, store.Booking{Code: "c-1", State: store.Confirmed, BookingID: "B-1"})
		second := f.add(t, store.Booking{Code: "c-2", State: store.Confirming})
		second.State, second.BookingID = store.Confirmed, "B-1"
		if err := f.Update(t.Context(), second, store.Confirming); !errors.Is(err, store.ErrTaken) {
			t.Errorf("want %v, got %v", store.ErrTaken, err)
		}
		if b, _, err := f.Find(t.Context(), "c-2"); err != nil || b.State != store.Confirming {
			t.Errorf("want it unchanged, got %+v, %v", b, err)
		}
	})
}

func TestStore_ListsWhatIsInProgressOldestFirst(t *testing.T) {
	eachStore(t, func(t *testing.T, f fixture) {
		for i, state := range []store.State{
			store.Reserving, store.Held, store.Confirming, store.Confirmed, store.Releasing, store.Released, store.Cancelling, store.Cancelled,
		} {
			f.clock.pass(time.Second)
			f.add(t, store.Booking{Code: string(state), State: state, BookingID: fmt.Sprint(i)})
		}
		f.clock.pass(time.Second)
		inProgress := func(began time.Time, most int) []string {
			return codes(t, func() ([]store.Booking, error) { return f.InProgress(t.Context(), began, most) })
		}
		requireCodes(t, "all", []string{"reserving", "confirming", "releasing", "cancelling"}, inProgress(f.clock.now(), 10))
		requireCodes(t, "a few", []string{"reserving", "confirming"}, inProgress(f.clock.now(), 2))
		requireCodes(t, "of before", []string{"reserving"}, inProgress(f.clock.now().Add(-6*time.Second), 10))
		if n, err := f.CountOpen(t.Context()); n != 4 || err != nil {
			t.Errorf("want 4 open bookings, got %d, %v", n, err)
		}
		check(t, f.Touch(t.Context(), "reserving"))
		f.clock.pass(time.Second)
		requireCodes(t, "the first one last", []string{"confirming", "releasing", "cancelling", "reserving"}, inProgress(f.clock.now(), 10))
	})
}

func TestStore_ListsImmediateBookingsThatWereNotConfirmedInTime(t *testing.T) {
	eachStore(t, func(t *testing.T, f fixture) {
		f.add(t, store.Booking{Code: "hold", State: store.Held})
		f.add(t, store.Booking{Code: "immediate", State: store.Held, Immediate: true})
		f.add(t, store.Booking{Code: "later", State: store.Held, Immediate: true, ExpiresAt: f.clock.now().Add(time.Hour)})
		f.add(t, store.Booking{Code: "booked", State: store.Confirmed, Immediate: true, BookingID: "B"})
		abandoned := func() []string {
			return codes(t, func() ([]store.Booking, error) { return f.Abandoned(t.Context(), f.clock.now(), 10) })
		}
		requireCodes(t, "before", nil, abandoned())
		f.clock.pass(20*time.Minute + time.Second)
		requireCodes(t, "after", []string{"immediate"}, abandoned())
	})
}

func TestStore_PrunesHoldsBeforeBookingsAndNothingThatIsOpen(t *testing.T) {
	eachStore(t, func(t *testing.T, f fixture) {
		states := []store.State{store.Reserving, store.Held, store.Confirming, store.Confirmed, store.Releasing, store.Released, store.Cancelling, store.Cancelled}
		for _, age := range []string{"old", "new"} {
			for _, state := range states {
				f.add(t, store.Booking{Code: age + " " + string(state), State: state, BookingID: age + string(state)})
			}
			f.add(t, store.Booking{Code: age + " immediate", State: store.Held, Immediate: true})
			f.clock.pass(24 * time.Hour)
		}
		left := func() (left []string) {
			for _, age := range []string{"old", "new"} {
				for _, state := range append(states, "immediate") {
					if _, found, err := f.Find(t.Context(), age+" "+string(state)); err != nil {
						t.Fatal(err)
					} else if !found {
						left = append(left, age+" "+string(state))
					}
				}
			}
			return left
		}
		requireCodes(t, "nothing is old", nil, left())
		day := f.clock.now().Add(-36 * time.Hour)
		check(t, f.Prune(t.Context(), day, day.Add(-time.Hour*24*400)))
		requireCodes(t, "old holds", []string{"old reserving", "old held", "old confirming", "old releasing", "old released"}, left())
		check(t, f.Prune(t.Context(), day, day))
		requireCodes(t, "old bookings too", []string{"old reserving", "old held", "old confirming", "old confirmed", "old releasing", "old released", "old cancelled"}, left())
	})
}

func TestOpen_AFileIsForOneBridge(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a b%20#c?.db")
	first, err := store.Open(t.Context(), file, time.Now)
	check(t, err)
	if !first.IsAlone() {
		t.Error("want it for one bridge")
	}
	if _, err := store.Open(t.Context(), file, time.Now); !errors.Is(err, store.ErrInUse) {
		t.Errorf("want %v, got %v", store.ErrInUse, err)
	}
	check(t, first.Insert(t.Context(), store.Booking{Code: "c-1", State: store.Held}))
	check(t, first.Close())
	second := open(t, file, newClock())
	if b, found, err := second.Find(t.Context(), "c-1"); !found || err != nil || b.State != store.Held {
		t.Errorf("want what the first one stored, got %+v, %t, %v", b, found, err)
	}
}

func TestOpen_NamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		filepath.Join(t.TempDir(), "no", "folder.db"):         "unable to open database file",
		"postgres://bridge:hunter2@127.0.0.1:1/x":             "127.0.0.1:1",
		"postgres://bridge:hunter2@127.0.0.1:1/x?sslmode=odd": "sslmode",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_, err := store.Open(ctx, address, time.Now)
		cancel()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: want %q and no password, got %v", address, want, err)
		}
	}
}

// Replicas are started together, with an empty database.
func TestOpen_BridgesStartTogetherWithOneDatabase(t *testing.T) {
	t.Parallel()
	address := newDatabase(t)
	var group sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		group.Go(func() {
			s, err := store.Open(t.Context(), address, time.Now)
			if err == nil {
				err = s.Close()
			}
			errs[i] = err
		})
	}
	group.Wait()
	check(t, errors.Join(errs...))
}
