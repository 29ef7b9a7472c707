package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/partnerapi"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// bench is a mock with its client.
type bench struct {
	*mocktest.Server
	t *testing.T
}

func start(t *testing.T) bench {
	t.Helper()
	return bench{mocktest.Start(t, mockpartner.Options{Now: noon, Frozen: true, ControlToken: "a-control-token"}), t}
}

// mustSucceed expects a call to have succeeded.
func mustSucceed[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(value T, err error) T {
		t.Helper()
		errtest.Check(t, err)
		return value
	}
}

func done(t *testing.T, err error) {
	t.Helper()
	errtest.Check(t, err)
}

// get asks for the health probe as a marketplace would.
func (b bench) get(base, key string, want int) {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), "GET", base+"/products?limit=1", nil)
	done(b.t, err)
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultTransport.RoundTrip(request)
	done(b.t, err)
	response.Body.Close()
	if response.StatusCode != want {
		b.t.Fatalf("%s: want %d, got %s", base, want, response.Status)
	}
}

// reserve holds a seat in the default sandbox.
func (b bench) reserve() client.Hold {
	b.t.Helper()
	p := b.Default().Platform()
	window, err := p.Availability(partnerapi.AvailabilityRequest{ProductID: "tokyo-market", OptionID: "breakfast", LocalDateStart: "2026-07-10", LocalDateEnd: "2026-07-20"})
	done(b.t, err)
	for _, slot := range window.Slots {
		if hold, err := p.Reserve(partnerapi.ReserveRequest{
			ProductID: "tokyo-market", OptionID: "breakfast", AvailabilityID: slot.ID,
			Units: []partnerapi.UnitQuantity{{ID: partnerapi.AdultUnitID, Quantity: 1}},
		}, nil); err == nil {
			return hold
		}
	}
	b.t.Fatal("want a slot that can be booked")
	return client.Hold{}
}

func TestTheClientMovesTheClock(t *testing.T) {
	t.Parallel()
	b, ctx := start(t), t.Context()
	hold := b.reserve()
	if clock := mustSucceed[client.Time](t)(b.Control.Clock.Time(ctx)); !clock.Now.Equal(noon) || !clock.Frozen {
		t.Fatalf("want noon, frozen, got %+v", clock)
	}
	if timer := mustSucceed[client.Timer](t)(b.Control.Clock.Next(ctx, client.HoldExpires)); timer.Subject != hold.Code || !b.Default().Clock().Now().Equal(hold.ExpiresAt) {
		t.Fatalf("want the clock at the hold's expiry, got %+v", timer)
	}
	if _, err := b.Control.Clock.Next(ctx, client.HoldExpires); !client.IsStatus(err, http.StatusConflict) {
		t.Fatalf("want nothing pending, got %v", err)
	}
	if clock := mustSucceed[client.Time](t)(b.Control.Clock.Set(ctx, noon)); !clock.Now.Equal(noon) {
		t.Fatalf("want noon again, got %+v", clock)
	}
	if clock := mustSucceed[client.Time](t)(b.Control.Clock.Advance(ctx, time.Hour)); !clock.Now.Equal(noon.Add(time.Hour)) {
		t.Fatalf("want one o'clock, got %+v", clock)
	}
	if clock := mustSucceed[client.Time](t)(b.Control.Clock.Run(ctx)); clock.Frozen {
		t.Fatal("want a running clock")
	}
	if clock := mustSucceed[client.Time](t)(b.Control.Clock.Freeze(ctx)); !clock.Frozen {
		t.Fatal("want a frozen clock")
	}
}

func TestTheClientManagesSandboxes(t *testing.T) {
	t.Parallel()
	b, ctx := start(t), t.Context()
	made := mustSucceed[client.Sandbox](t)(b.Control.CreateSandbox(ctx, client.Spec{Name: "mine", AuthKey: "my-very-own-key", Seed: new(uint64(7)), HoldFor: "15m"}))
	if made.BaseURL != b.URL+"/s/mine" || made.Seed != 7 || !made.OwnKey || !made.Now.Equal(noon) {
		t.Fatalf("want the sandbox described, got %+v", made)
	}
	b.get(made.BaseURL, "my-very-own-key", 200)
	mine := b.Control.Sandbox("mine")
	done(t, mine.TakeSnapshot(ctx, "noon"))
	mustSucceed[client.Time](t)(mine.Clock.Advance(ctx, time.Hour))
	twin := mustSucceed[client.Sandbox](t)(mine.Clone(ctx, "twin", ""))
	done(t, mine.RestoreSnapshot(ctx, "noon"))
	again := mustSucceed[client.Sandbox](t)(mine.Describe(ctx))
	if !twin.Now.Equal(noon.Add(time.Hour)) || !again.Now.Equal(noon) {
		t.Fatalf("want the twin at one and the sandbox at noon, got %s and %s", twin.Now, again.Now)
	}
	done(t, mine.Reset(ctx))
	if list := mustSucceed[[]client.Sandbox](t)(b.Control.Sandboxes(ctx)); len(list) != 3 {
		t.Fatalf("want three sandboxes, got %+v", list)
	}
	done(t, mine.Delete(ctx))
	_, err := mine.Describe(ctx)
	var refusal *client.Error
	if !errors.As(err, &refusal) || refusal.Status != 404 || !strings.Contains(refusal.Message, `no sandbox "mine"`) {
		t.Fatalf("want a refusal in the mock's words, got %v", err)
	}
}

func TestTheClientReadsTheJournal(t *testing.T) {
	t.Parallel()
	b, ctx := start(t), t.Context()
	b.get(b.URL, b.AuthKey, 200)
	b.get(b.URL, "another-key", 401)
	if !mustSucceed[bool](t)(b.Control.Journal.Wait(ctx, client.Filter{Status: 401}, 1, time.Minute)) {
		t.Fatal("want the refusal seen")
	}
	if mustSucceed[bool](t)(b.Control.Journal.Wait(ctx, client.Filter{Status: 500}, 1, 10*time.Millisecond)) {
		t.Fatal("want no failure seen")
	}
	if n := mustSucceed[int](t)(b.Control.Journal.Count(ctx, client.Filter{Method: "GET", Contains: "products", Done: true})); n != 2 {
		t.Fatalf("want two, got %d", n)
	}
	kept := mustSucceed[[]client.Exchange](t)(b.Control.Journal.Exchanges(ctx, client.Filter{Limit: 1, Body: "key"}))
	if own := b.Default().Journal().Exchanges(client.Filter{Limit: 1}); len(kept) != 1 || string(kept[0].Answer.Body) != string(own[0].Answer.Body) || kept[0].Number != own[0].Number {
		t.Fatalf("want the newest as the mock has it, got %+v", kept)
	}
	var archive strings.Builder
	done(t, b.Control.Journal.WriteHAR(ctx, &archive, client.Filter{}))
	if !json.Valid([]byte(archive.String())) || strings.Count(archive.String(), "startedDateTime") != 2 {
		t.Fatalf("want an archive of two, got %s", archive.String())
	}
	done(t, b.Control.Journal.Clear(ctx))
	if n := mustSucceed[int](t)(b.Control.Journal.Count(ctx, client.Filter{})); n != 0 {
		t.Fatalf("want none, got %d", n)
	}
}

func TestTheClientReadsTheStateOfASandbox(t *testing.T) {
	t.Parallel()
	b, ctx := start(t), t.Context()
	hold := b.reserve()
	state := mustSucceed[client.State](t)(b.Control.State(ctx))
	if state.HoldCount != 1 || state.Holds[0].Code != hold.Code || state.SlotCount != 1 {
		t.Fatalf("want the hold and its slot, got %+v", state)
	}
	if broken := mustSucceed[[]client.Violation](t)(b.Control.Invariants(ctx)); len(broken) != 0 {
		t.Fatalf("want none broken, got %+v", broken)
	}
}

func TestTheClientArmsFaults(t *testing.T) {
	t.Parallel()
	b, ctx := start(t), t.Context()
	armed := mustSucceed[[]client.Fault](t)(b.Control.Faults.Arm(ctx, `{"name":"down","match":{"endpoint":"products"},"times":1,"status":503}`))
	if len(armed) != 1 || armed[0].Name != "down" {
		t.Fatalf("want it armed, got %+v", armed)
	}
	b.get(b.URL, b.AuthKey, 503)
	b.get(b.URL, b.AuthKey, 200)
	if faults := mustSucceed[[]client.Fault](t)(b.Control.Faults.List(ctx)); faults[0].Fired != 1 {
		t.Fatalf("want it fired once, got %+v", faults)
	}
	if n := mustSucceed[int](t)(b.Control.Journal.Count(ctx, client.Filter{Fault: "down"})); n != 1 {
		t.Fatalf("want the exchange found by its fault, got %d", n)
	}
	if again := mustSucceed[[]client.Fault](t)(b.Control.Faults.ArmRecorded(ctx, 1)); len(again) != 1 || again[0].Name != "fault-1" {
		t.Fatalf("want a fault like the first exchange, got %+v", again)
	}
	b.get(b.URL, b.AuthKey, 503)
	done(t, b.Control.Faults.Disarm(ctx, "down"))
	done(t, b.Control.Faults.DisarmAll(ctx))
	if _, err := b.Control.Faults.Arm(ctx, `{"status":"odd"}`); !client.IsStatus(err, 400) {
		t.Fatalf("want it refused, got %v", err)
	}
}

func TestAnAddressWithoutAMockIsAClearError(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "127.0.0.1:8081", "ftp://mock", "http://", "http://mock?x=1", "http://mock:port"} {
		if _, err := client.New(address, client.Options{}); err == nil || !strings.Contains(err.Error(), "mock: expected a URL") {
			t.Errorf("want %q refused, got %v", address, err)
		}
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			http.Error(w, "no mock here", http.StatusTeapot)
			return
		}
		w.Write([]byte("<html>"))
	}))
	t.Cleanup(other.Close)
	stranger := mustSucceed[*client.Client](t)(client.New(other.URL, client.Options{}))
	if _, err := stranger.Clock.Time(t.Context()); err == nil || !strings.Contains(err.Error(), "GET "+other.URL+"/_mock/clock") {
		t.Errorf("want an error that names the call, got %v", err)
	}
	if _, err := stranger.Clock.Freeze(t.Context()); !client.IsStatus(err, http.StatusTeapot) || !strings.Contains(err.Error(), "no mock here") {
		t.Errorf("want the answer's words, got %v", err)
	}
	wrong := mustSucceed[*client.Client](t)(client.New(start(t).URL, client.Options{Token: "wrong"}))
	if _, err := wrong.Clock.Time(t.Context()); !client.IsStatus(err, http.StatusUnauthorized) || strings.Contains(err.Error(), "Bearer wrong") {
		t.Errorf("want 401, got %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := wrong.Clock.Time(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("want the context's error, got %v", err)
	}
}

func TestTheClientListsAndChangesSlots(t *testing.T) {
	t.Parallel()
	b, ctx := start(t), t.Context()
	slots := mustSucceed[[]client.SlotState](t)(b.Control.Slots.List(ctx, client.SlotQuery{Product: "tokyo-market", Option: "breakfast", From: "2026-07-10", Days: 2}))
	if len(slots) == 0 || slots[0].Start.Format(partnerapi.DateLayout) != "2026-07-10" || !slots[0].End.After(slots[0].Start) {
		t.Fatalf("want the slots of two days, got %+v", slots)
	}
	id := slots[0].AvailabilityID
	changed := mustSucceed[client.SlotState](t)(b.Control.Slots.Set(ctx, "tokyo-market", "breakfast", id, client.SlotChange{Vacancies: new(0), Capacity: new(9)}))
	if changed.Status != partnerapi.StatusSoldOut || changed.Capacity != 9 || changed.Elsewhere != 9 {
		t.Fatalf("want it sold out elsewhere, got %+v", changed)
	}
	if first := mustSucceed[[]client.SlotState](t)(b.Control.Slots.List(ctx, client.SlotQuery{})); first[0].ProductID != "lisbon-walk" {
		t.Fatalf("want the catalog's first option, got %+v", first[0])
	}
	if _, err := b.Control.Slots.Set(ctx, "tokyo-market", "breakfast", id, client.SlotChange{Status: new(partnerapi.SlotStatus("OPEN"))}); !client.IsStatus(err, 400) {
		t.Fatalf("want it refused, got %v", err)
	}
	if _, err := b.Control.Slots.List(ctx, client.SlotQuery{Product: "nothing"}); !client.IsStatus(err, 404) {
		t.Fatalf("want it refused, got %v", err)
	}
}
