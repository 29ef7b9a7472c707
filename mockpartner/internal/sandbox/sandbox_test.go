package sandbox

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func registry(t testing.TB, max int) *Registry {
	t.Helper()
	return registryAt(t, max, clock.NewFrozen(noon))
}

func registryAt(t testing.TB, max int, clock clock.Clock) *Registry {
	t.Helper()
	index, err := catalog.DefaultIndex()
	check(t, err)
	r, err := NewRegistry(Config{AuthKey: "the-mocks-own-key", Catalog: index, Clock: clock, Seed: 3, HoldFor: 15 * time.Minute, Max: max})
	check(t, err)
	return r
}

func create(t testing.TB, r *Registry, s Spec) *Sandbox {
	t.Helper()
	box, err := r.Create(s)
	check(t, err)
	return box
}

func names(r *Registry) string {
	var all []string
	for _, box := range r.List() {
		all = append(all, box.Name())
	}
	return strings.Join(all, " ")
}

func TestNamesArePathSegmentsThatNeedNoEscaping(t *testing.T) {
	t.Parallel()
	r := registry(t, 0)
	for _, name := range []string{"", "A", "a b", "a/b", "..", "-a", "a.b", "ä", "a\n", strings.Repeat("a", 64)} {
		if _, err := r.Create(Spec{Name: name}); err == nil || !strings.Contains(err.Error(), "name: expected") {
			t.Errorf("want %q refused, got %v", name, err)
		}
	}
	create(t, r, Spec{Name: strings.Repeat("a", 63)})
	create(t, r, Spec{Name: "0"})
}

func TestASandboxHasTheSettingsOfItsSpecOrElseOfTheMock(t *testing.T) {
	t.Parallel()
	r := registry(t, 0)
	plain := create(t, r, Spec{Name: "plain"})
	if !plain.Clock().Now().Equal(noon) || plain.Platform().Seed() != 3 || plain.Platform().Conduct().Policy.NoHolds {
		t.Fatalf("want the mock's clock, seed and policy, got %s, %d", plain.Clock().Now(), plain.Platform().Seed())
	}
	later := noon.AddDate(1, 0, 0)
	own := create(t, r, Spec{Name: "own", Seed: new(uint64(9)), Now: later, Frozen: new(true), Policy: &catalog.Policy{NoHolds: true}})
	if !own.Clock().Now().Equal(later) || !own.Clock().IsFrozen() || own.Platform().Seed() != 9 || !own.Platform().Conduct().Policy.NoHolds {
		t.Fatalf("want its own clock, seed and policy, got %s, %d", own.Clock().Now(), own.Platform().Seed())
	}
	if _, err := r.Create(Spec{Name: "bad", HoldFor: time.Millisecond}); err == nil {
		t.Fatal("want holds of a millisecond refused")
	}
}

func TestSandboxesKnowNothingOfEachOther(t *testing.T) {
	t.Parallel()
	r := registry(t, 0)
	one, two := create(t, r, Spec{Name: "one"}), create(t, r, Spec{Name: "two"})
	slot := slotOf(t, one)
	hold, err := one.Platform().Reserve(reserveOf(slot.ID), nil)
	check(t, err)
	if outcome := two.Platform().Release(hold.Code, nil); outcome != platform.HoldUnknown {
		t.Fatalf("want the code unknown in another sandbox, got %q", outcome)
	}
	if left := *slotOf(t, two).Vacancies; left != *slot.Vacancies {
		t.Fatalf("want %d vacancies untouched, got %d", *slot.Vacancies, left)
	}
	one.Clock().Advance(time.Hour)
	if !two.Clock().Now().Equal(noon) {
		t.Fatalf("want the other clock untouched, got %s", two.Clock().Now())
	}
	// The same seed: the same codes, since each is a partner of its own.
	again, err := two.Platform().Reserve(reserveOf(slot.ID), nil)
	if err != nil || again.Code != hold.Code {
		t.Fatalf("want code %s, got %s, %v", hold.Code, again.Code, err)
	}
}

func slotOf(t testing.TB, box *Sandbox) partnerapi.Slot {
	t.Helper()
	window, err := box.Platform().Availability(partnerapi.AvailabilityRequest{
		ProductID: "tokyo-market", OptionID: "breakfast", LocalDateStart: "2026-07-10", LocalDateEnd: "2026-07-20",
	})
	check(t, err)
	for _, slot := range window.Slots {
		if slot.Status == partnerapi.StatusAvailable {
			return slot
		}
	}
	t.Fatal("want a slot that can be booked, got none")
	return partnerapi.Slot{}
}

func reserveOf(slotID string) partnerapi.ReserveRequest {
	return partnerapi.ReserveRequest{
		ProductID: "tokyo-market", OptionID: "breakfast", AvailabilityID: slotID,
		Units: []partnerapi.UnitQuantity{{ID: partnerapi.AdultUnitID, Quantity: 1}},
	}
}

func TestAnswersAreRememberedWhileTheyAreTrue(t *testing.T) {
	t.Parallel()
	box, _ := registry(t, 0).Sandbox(Default)
	window, err := box.Platform().Availability(partnerapi.AvailabilityRequest{
		ProductID: "tokyo-market", OptionID: "breakfast", LocalDateStart: "2026-07-10", LocalDateEnd: "2026-07-20",
	})
	check(t, err)
	answers := box.Answers()
	answers.Put([]byte("asked"), []byte("answered"), window.Stamp)
	if body, ok := answers.Get([]byte("asked")); !ok || string(body) != "answered" {
		t.Fatalf("want the answer again, got %q, %t", body, ok)
	}
	if _, ok := answers.Get([]byte("asked otherwise")); ok {
		t.Fatal("want no answer to what was never asked")
	}
	if _, err := box.Platform().Reserve(reserveOf(slotOf(t, box).ID), nil); err != nil {
		t.Fatal(err)
	}
	if _, ok := answers.Get([]byte("asked")); ok {
		t.Fatal("want no answer that is no longer true")
	}
}

func TestRememberedAnswersAreBounded(t *testing.T) {
	t.Parallel()
	box, _ := registry(t, 0).Sandbox(Default)
	answers := box.Answers()
	body := make([]byte, maxAnswersBytes/8)
	for i := range 100 {
		answers.Put(fmt.Appendf(nil, "%d", i%20), body, platform.Stamp{})
		if answers.bytes > maxAnswersBytes {
			t.Fatalf("want at most %d bytes, got %d", maxAnswersBytes, answers.bytes)
		}
	}
	held := 0
	for request, a := range answers.known {
		held += len(request) + len(a.body)
	}
	if held != answers.bytes || held == 0 {
		t.Fatalf("want %d bytes counted, got %d", held, answers.bytes)
	}
	answers.Put(make([]byte, maxRequestBytes+1), body, platform.Stamp{})
	if _, ok := answers.known[string(make([]byte, maxRequestBytes+1))]; ok {
		t.Fatal("want no answer remembered to a request that is too long")
	}
}
