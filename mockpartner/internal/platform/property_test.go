package platform

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// model is the business in its simplest form: what a reader of the contract
// would note down on paper.
type model struct {
	noHolds  bool
	left     map[string]int // by slot id
	holds    map[string]*modelHold
	bookings map[string]string // code by booking id
	codes    []string          // all that were ever seen, and one that never was
	ids      []string
}

type modelHold struct {
	slot    string
	seats   int
	expires time.Time
	state   string // held, released, expired, booked, cancelled
	booking string
}

func (m *model) expire(now time.Time) {
	for _, hold := range m.holds {
		if hold.state == "held" && !hold.expires.After(now) {
			hold.state = "expired"
			m.giveBack(hold)
		}
	}
}

func (m *model) giveBack(h *modelHold) {
	if !m.noHolds || h.state == "cancelled" {
		m.left[h.slot] += h.seats
	}
}

func TestRandomLifecyclesKeepTheInvariants(t *testing.T) {
	t.Parallel()
	for _, noHolds := range []bool{false, true} {
		t.Run(fmt.Sprintf("no holds %t", noHolds), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) { play(rt, t, noHolds) })
		})
	}
}

// play plays one random lifecycle on the platform and in the model.
func play(rt *rapid.T, t *testing.T, noHolds bool) {
	c := oneProduct(func(_ *catalog.Product, s *catalog.Schedule) { s.Capacity = catalog.Seats{Min: 1, Max: 6} })
	c.NoHolds = noHolds
	d := open(t, c)
	m := &model{noHolds: noHolds, left: map[string]int{}, holds: map[string]*modelHold{}, bookings: map[string]string{}, codes: []string{"never"}, ids: []string{"never"}}
	slots := d.slots("2030-07-10", "2030-07-12")
	for _, slot := range slots {
		m.left[slot.ID] = *slot.Vacancies
	}
	rt.Repeat(map[string]func(*rapid.T){
		"reserve": func(rt *rapid.T) {
			m.reserve(rt, d, rapid.SampledFrom(slots).Draw(rt, "slot").ID, rapid.IntRange(1, 4).Draw(rt, "seats"))
		},
		"confirm": func(rt *rapid.T) { m.confirm(rt, d, rapid.SampledFrom(m.codes).Draw(rt, "code")) },
		"release": func(rt *rapid.T) { m.release(d, rapid.SampledFrom(m.codes).Draw(rt, "code")) },
		"cancel":  func(rt *rapid.T) { m.cancel(d, rapid.SampledFrom(m.ids).Draw(rt, "id")) },
		"wait": func(rt *rapid.T) {
			most := map[bool]int{false: 30, true: 30 * 60}[noHolds]
			m.expire(d.clock.Advance(time.Duration(rapid.IntRange(1, most).Draw(rt, "minutes")) * time.Minute))
		},
		"sell elsewhere": func(rt *rapid.T) {
			m.sellElsewhere(rt, d, rapid.SampledFrom(slots).Draw(rt, "slot").ID, rapid.IntRange(-2, 2).Draw(rt, "delta"))
		},
		"": func(rt *rapid.T) { m.agrees(rt, d) },
	})
}

func (m *model) reserve(rt *rapid.T, d fixture, slot string, seats int) {
	hold, err := d.Reserve(d.request(slot, seats), nil)
	if lawful := m.left[slot] >= seats; lawful != (err == nil) {
		rt.Fatalf("reserve %d of %d seats: got %v", seats, m.left[slot], err)
	}
	if err != nil {
		return
	}
	if slices.Contains(m.codes, hold.Code) {
		rt.Fatalf("want a new code, got %s again", hold.Code)
	}
	m.codes = append(m.codes, hold.Code)
	m.holds[hold.Code] = &modelHold{slot: slot, seats: seats, expires: hold.ExpiresAt, state: "held"}
	if !m.noHolds {
		m.left[slot] -= seats
	}
}

func (m *model) confirm(rt *rapid.T, d fixture, code string) {
	booking, err := d.Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: code}, nil)
	hold := m.holds[code]
	switch {
	case hold != nil && hold.state == "booked":
		if err != nil || booking.ID != hold.booking {
			rt.Fatalf("want booking %s again, got %+v, %v", hold.booking, booking, err)
		}
	case hold == nil || hold.state != "held" || m.noHolds && m.left[hold.slot] < hold.seats:
		if err == nil {
			rt.Fatalf("want confirm of %s refused, got booking %s", code, booking.ID)
		}
	default:
		if err != nil || slices.Contains(m.ids, booking.ID) {
			rt.Fatalf("want a new booking of %s, got %+v, %v", code, booking, err)
		}
		hold.state, hold.booking = "booked", booking.ID
		m.ids = append(m.ids, booking.ID)
		m.bookings[booking.ID] = code
		if m.noHolds {
			m.left[hold.slot] -= hold.seats
		}
	}
}

func (m *model) release(d fixture, code string) {
	d.Release(code, nil)
	if hold := m.holds[code]; hold != nil && hold.state == "held" {
		hold.state = "released"
		m.giveBack(hold)
	}
}

func (m *model) cancel(d fixture, id string) {
	d.Cancel(id, nil)
	if hold := m.holds[m.bookings[id]]; hold != nil && hold.state == "booked" {
		hold.state = "cancelled"
		m.giveBack(hold)
	}
}

func (m *model) sellElsewhere(rt *rapid.T, d fixture, slot string, delta int) {
	err := d.SetSlot("walk", "daily", slot, client.SlotChange{Vacancies: new(m.left[slot] + delta)})
	if lawful := m.left[slot]+delta >= 0; lawful != (err == nil) {
		rt.Fatalf("adjust %d vacancies by %+d: got %v", m.left[slot], delta, err)
	}
	if err == nil {
		m.left[slot] += delta
	}
}

// agrees expects the platform to show what the model has, and no violated invariant.
func (m *model) agrees(rt *rapid.T, d fixture) {
	for _, slot := range d.slots("2030-07-10", "2030-07-12") {
		if *slot.Vacancies != m.left[slot.ID] {
			rt.Fatalf("slot %s: want %d left, got %d", slot.ID, m.left[slot.ID], *slot.Vacancies)
		}
	}
	if broken := d.Invariants(); len(broken) > 0 {
		rt.Fatalf("want no violation, got %+v", broken)
	}
}

func TestConcurrentCallersNeverSellASeatTwice(t *testing.T) {
	t.Parallel()
	const callers, rounds, seats = 16, 200, 20
	d := open(t, oneProduct())
	slot := d.fillSlot(day, seats)
	var callersDone sync.WaitGroup
	codes := make([][]string, callers)
	for caller := range callers {
		callersDone.Go(func() {
			for round := range rounds {
				hold, err := d.Reserve(d.request(slot, 1+round%3), nil)
				if err != nil {
					continue
				}
				codes[caller] = append(codes[caller], hold.Code)
				switch (caller + round) % 4 {
				case 0:
					d.Release(hold.Code, nil)
				case 1:
					d.Release(hold.Code, nil)
					d.Release(hold.Code, nil)
				case 2:
					if booking, err := d.Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: hold.Code}, nil); err == nil {
						d.Cancel(booking.ID, nil)
					}
				default: // left to expire
					d.clock.Advance(time.Minute)
				}
			}
		})
	}
	callersDone.Wait()
	d.requireBalanced()
	all := slices.Concat(codes...)
	slices.Sort(all)
	if n := len(all); n == 0 || len(slices.Compact(all)) != n {
		t.Fatalf("want codes, each given out once, got %d of which %d differ", n, len(slices.Compact(all)))
	}
	d.clock.Advance(time.Hour)
	d.requireVacancies(day, seats)
	d.requireBalanced()
}

// With any mix of quirks, a platform continues to answer: it forgets holds, snapshots
// and sells other catalogs in the middle of it.
func TestRandomQuirksNeverStopAPlatform(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		d := open(t, oneProduct())
		d.life.most = 8
		must(rt, d.Behave(Conduct{Quirks: rapid.SliceOfN(rapid.Custom(anyQuirk), 0, 6).Draw(rt, "quirks")}))
		codes, ids := []string{"never"}, []string{"never"}
		var kept *Snapshot
		rt.Repeat(map[string]func(*rapid.T){
			"reserve": func(rt *rapid.T) {
				slots := d.slots(day, "2026-07-12")
				slot := rapid.SampledFrom(slots).Draw(rt, "slot").ID
				if hold, err := d.Reserve(d.request(slot, rapid.IntRange(1, 6).Draw(rt, "seats")), nil); err == nil {
					codes = append(codes, hold.Code)
				}
			},
			"confirm": func(rt *rapid.T) {
				if booking, err := d.Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: rapid.SampledFrom(codes).Draw(rt, "code")}, nil); err == nil {
					ids = append(ids, booking.ID)
				}
			},
			"release": func(rt *rapid.T) { d.Release(rapid.SampledFrom(codes).Draw(rt, "code"), nil) },
			"cancel":  func(rt *rapid.T) { d.Cancel(rapid.SampledFrom(ids).Draw(rt, "id"), nil) },
			"wait": func(rt *rapid.T) {
				d.clock.Advance(time.Duration(rapid.IntRange(1, 30).Draw(rt, "minutes")) * time.Minute)
			},
			"keep": func(*rapid.T) { kept = d.Snapshot() },
			"go back": func(*rapid.T) {
				if kept != nil {
					d.Restore(kept)
				}
			},
			"sell": func(rt *rapid.T) {
				must(rt, d.Sell(oneProduct()))
			},
			"": func(*rapid.T) {
				d.Invariants()
				d.State()
				d.Timers(5)
				if _, err := d.Listing(catalog.Filter{}); err != nil {
					rt.Fatal(err)
				}
			},
		})
	})
}

// anyQuirk draws a quirk that may be.
func anyQuirk(rt *rapid.T) Quirk {
	switch rapid.IntRange(0, 5).Draw(rt, "kind") {
	case 0:
		return Quirk{Drift: rapid.SampledFrom([]Drift{DriftProducts, DriftOptions, DriftSlots}).Draw(rt, "drift")}
	case 1:
		return Quirk{Reuse: rapid.SampledFrom([]Reuse{ReuseCodes, ReuseBookingIDs}).Draw(rt, "reuse")}
	case 2:
		return Quirk{Shuffle: true}
	}
	q := Quirk{On: rapid.SampledFrom(cases()).Draw(rt, "on")}
	if can := allowedEffects()[q.On]; len(can) > 0 && rapid.Bool().Draw(rt, "does something") {
		q.Does = rapid.SampledFrom(can).Draw(rt, "does")
	}
	if q.On == OnConfirmUnknown {
		q.Does = Accept
		return q
	}
	if q.Does == "" || rapid.Bool().Draw(rt, "moves") {
		q.Takes = rapid.SampledFrom(amounts()).Draw(rt, "takes")
		q.Gives = rapid.SampledFrom(amounts()).Draw(rt, "gives")
		q.Elsewhere = rapid.Bool().Draw(rt, "elsewhere")
		q.Late = Duration(rapid.IntRange(0, 2).Draw(rt, "late")) * Duration(time.Minute)
	}
	q.OnceFull = rapid.Bool().Draw(rt, "once full")
	q.OnceCancelled = rapid.Bool().Draw(rt, "once cancelled")
	q.Option = rapid.SampledFrom([]string{"", Last, "daily"}).Draw(rt, "option")
	return q
}
