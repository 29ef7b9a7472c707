package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// pairing calls a supplier directly and through a bridge, in turn, with the same calls.
type pairing struct {
	t            testing.TB
	octo, bridge string // addresses
	day, slot    string
	metrics      *serving

	mu   sync.Mutex
	took map[string][2][]time.Duration // by call: directly, and through the bridge
}

func newPairing(t testing.TB, journal mockpartner.JournalLimits) *pairing {
	t.Helper()
	mock, supplier := supply(t, mockpartner.Options{Journal: journal})
	box := mock.Default()
	slots, err := box.Slots(product, option, box.Now().AddDate(0, 0, 9), 7) // the market has days of rest
	check(t, err)
	check(t, box.SetSlot(product, option, slots[0].AvailabilityID, client.SlotChange{Capacity: new(1_000_000), Vacancies: new(1_000_000)}))
	s := startServing(t, keys, "--octo-url", supplier)
	return &pairing{
		t: t, octo: supplier, bridge: s.url, day: slots[0].Start.Format(partnerapi.DateLayout), slot: slots[0].AvailabilityID, metrics: s,
		took: map[string][2][]time.Duration{},
	}
}

// call makes one call and records how long it took. Through is 1 for the bridge, and 0 for the supplier.
func (p *pairing) call(name string, through int, method, path string, body, into any) {
	content, err := json.Marshal(body)
	check(p.t, err)
	base, secret := p.octo, octoKey
	if through == 1 {
		base, secret = p.bridge, authKey
	}
	request, err := http.NewRequest(method, base+path, bytes.NewReader(content))
	check(p.t, err)
	request.Header.Set("Authorization", "Bearer "+secret)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(octo.CapabilitiesHeader, octo.Pricing)
	began := time.Now()
	answer, err := http.DefaultClient.Do(request)
	check(p.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	took := time.Since(began)
	check(p.t, err)
	if answer.StatusCode != http.StatusOK {
		p.t.Fatalf("%s: %d %s", path, answer.StatusCode, text)
	}
	if into != nil {
		check(p.t, json.Unmarshal(text, into))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	both := p.took[name]
	both[through] = append(both[through], took)
	p.took[name] = both
}

// reads reads the catalog and the slots of 60 days, which a marketplace does every night.
func (p *pairing) reads() {
	until := time.Now().AddDate(0, 0, partnerapi.LookaheadDays).Format(partnerapi.DateLayout)
	today := time.Now().Format(partnerapi.DateLayout)
	for through, unit := range []string{"adult", "unit-adult"} {
		p.call("products", through, http.MethodGet, "/products", nil, nil)
		p.call("availability of 60 days", through, http.MethodPost, "/availability", partnerapi.AvailabilityRequest{
			ProductID: product, OptionID: option, LocalDateStart: today, LocalDateEnd: until, Units: []partnerapi.UnitQuantity{{ID: unit, Quantity: 1}},
		}, nil)
	}
}

// books makes a booking and cancels it.
func (p *pairing) books(through int) {
	units := []partnerapi.UnitQuantity{{ID: []string{"adult", "unit-adult"}[through], Quantity: 1}}
	p.call("availability of a day", through, http.MethodPost, "/availability", partnerapi.AvailabilityRequest{
		ProductID: product, OptionID: option, LocalDateStart: p.day, LocalDateEnd: p.day, Units: units,
	}, nil)
	if through == 0 {
		id := uuid.NewString()
		p.call("reserve", 0, http.MethodPost, "/bookings", octo.ReservationRequest{
			UUID: id, ProductID: product, OptionID: option, AvailabilityID: p.slot, UnitItems: []octo.UnitItem{{UnitID: "adult"}},
		}, nil)
		p.call("confirm", 0, http.MethodPost, "/bookings/"+id+"/confirm", octo.ConfirmationRequest{}, nil)
		p.call("cancel", 0, http.MethodPost, "/bookings/"+id+"/cancel", octo.CancellationRequest{}, nil)
		return
	}
	var held partnerapi.ReserveAnswer
	p.call("reserve", 1, http.MethodPost, partnerapi.ReservePath, partnerapi.ReserveRequest{ProductID: product, OptionID: option, AvailabilityID: p.slot, Units: units}, &held)
	var booked partnerapi.ConfirmAnswer
	p.call("confirm", 1, http.MethodPost, partnerapi.ConfirmPath, partnerapi.ConfirmRequest{ReservationConfirmationCode: held.ReservationConfirmationCode}, &booked)
	p.call("cancel", 1, http.MethodPost, partnerapi.CancelPath(booked.ExternalBookingID), partnerapi.CancelRequest{}, nil)
}

func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// ownCost returns by how much a call takes longer through the bridge, at the median.
func (p *pairing) ownCost(name string) time.Duration {
	return median(p.took[name][1]) - median(p.took[name][0])
}

func BenchmarkBridge_OwnCostACall(b *testing.B) {
	p := newPairing(b, mockpartner.JournalLimits{Exchanges: 10, Bytes: 1 << 20})
	for b.Loop() {
		p.reads()
		p.books(0)
		p.books(1)
	}
	for name := range p.took {
		unit := strings.ReplaceAll(name, " ", "-")
		b.ReportMetric(float64(p.ownCost(name).Microseconds()), "own-µs/"+unit)
		b.ReportMetric(float64(median(p.took[name][0]).Microseconds()), "octo-µs/"+unit)
	}
}

// The number of calls is CALLS: see make bridge.
func TestServe_CostsLittleAndItsMemoryStaysFlat(t *testing.T) {
	calls := number(t, "CALLS", 0)
	if calls == 0 {
		t.Skip("make bridge does this")
	}
	p := newPairing(t, mockpartner.JournalLimits{Exchanges: 10, Bytes: 1 << 20})
	for range 200 {
		p.reads()
		p.books(0)
		p.books(1)
	}
	for name, both := range p.took {
		t.Logf("%-24s %8s directly, %8s through the bridge, median of %d", name, median(both[0]).Round(time.Microsecond), median(both[1]).Round(time.Microsecond), len(both[0]))
	}
	const parts, callers = 10, 8
	var heap []int
	for range parts {
		p.took = map[string][2][]time.Duration{}
		var group sync.WaitGroup
		for range callers {
			group.Go(func() {
				for range calls / parts / callers / 4 {
					p.books(1)
				}
			})
		}
		group.Wait()
		heap = append(heap, p.memory())
	}
	t.Logf("%d calls; memory after each tenth, in MB: %v", calls, heap)
	if first, last := heap[1], heap[parts-1]; last > first+first/4+8 {
		t.Errorf("want the memory to stay flat, got from %d to %d MB", first, last)
	}
}

var resident = regexp.MustCompile(`(?m)^process_resident_memory_bytes (\S+)$`)

// memory returns the memory of the bridge's process, in MB.
func (p *pairing) memory() int {
	answer, err := http.Get(p.metrics.url + "/metrics")
	check(p.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(p.t, err)
	found := resident.FindSubmatch(text)
	if found == nil {
		p.t.Skip("this system does not tell the memory of a process")
	}
	bytes, err := strconv.ParseFloat(string(found[1]), 64)
	check(p.t, err)
	return int(bytes / 1e6)
}
