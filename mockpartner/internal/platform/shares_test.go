package platform

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// bay is a catalog of two products whose slots have 12 seats each: a dawn tour from 09:00 and 10:00 to
// two hours later, a late one from 11:00 to 14:00, and another product from 09:30 to 10:30.
func bay(shares ...catalog.SharedSeats) *catalog.Catalog {
	adult := []partnerapi.Unit{unit("unit-adult", partnerapi.Adult)}
	product := func(id string, options ...string) catalog.Product {
		p := catalog.Product{Product: partnerapi.Product{ID: id, InternalName: id, Locale: "pt-PT", TimeZone: "Europe/Lisbon"}, Schedules: map[string]catalog.Schedule{}}
		for _, name := range options {
			p.Options = append(p.Options, partnerapi.Option{ID: name, InternalName: name, AvailabilityType: partnerapi.StartTime, Units: adult})
			starts := map[string][]string{"dawn": {"09:00", "10:00"}, "late": {"11:00"}, "cave": {"09:30"}}[name]
			lasts := map[string]time.Duration{"dawn": 2 * time.Hour, "late": 3 * time.Hour, "cave": time.Hour}[name]
			p.Schedules[name] = catalog.Schedule{Starts: starts, Duration: lasts, Capacity: catalog.Seats{Min: 12, Max: 12}, LimitedAt: new(11)}
		}
		return p
	}
	return &catalog.Catalog{Products: []catalog.Product{product("bay", "dawn", "late"), product("cove", "cave")}, Shares: shares}
}

// sharedSlot is a slot of the bay, by its name such as "dawn 10 09:00".
type sharedSlot struct {
	product, option, id string
	from, to            time.Time
	left                int
	status              partnerapi.SlotStatus
}

func (d fixture) bay() map[string]sharedSlot {
	d.t.Helper()
	all := map[string]sharedSlot{}
	for _, in := range [][2]string{{"bay", "dawn"}, {"bay", "late"}, {"cove", "cave"}} {
		window, err := d.Availability(partnerapi.AvailabilityRequest{ProductID: in[0], OptionID: in[1], LocalDateStart: "2026-07-10", LocalDateEnd: "2026-07-11"})
		must(d.t, err)
		for _, slot := range window.Slots {
			from, _ := partnerapi.ParseDateTime(slot.LocalDateTimeStart)
			to, _ := partnerapi.ParseDateTime(slot.LocalDateTimeEnd)
			all[in[1]+" "+from.Format("02 15:04")] = sharedSlot{in[0], in[1], slot.ID, from, to, *slot.Vacancies, slot.Status}
		}
	}
	return all
}

func (d fixture) reserveOf(slot sharedSlot, adults int) (client.Hold, error) {
	return d.Reserve(partnerapi.ReserveRequest{
		ProductID: slot.product, OptionID: slot.option, AvailabilityID: slot.id, Units: []partnerapi.UnitQuantity{{ID: "unit-adult", Quantity: adults}},
	}, nil)
}

func TestSlotsShareSeats(t *testing.T) {
	t.Parallel()
	all := []string{"bay", "cove/cave"}
	for name, c := range map[string]struct {
		shared catalog.SharedSeats
		holds  map[string]int
		want   map[string]int // others have 12
	}{
		"one boat: slots at the same time": {
			catalog.SharedSeats{Options: all, Over: catalog.OverTime, Seats: 12},
			map[string]int{"dawn 10 10:00": 5},
			map[string]int{"dawn 10 10:00": 7, "dawn 10 09:00": 7, "cave 10 09:30": 7, "late 10 11:00": 7},
		},
		"one guide goes from one slot to the next": {
			catalog.SharedSeats{Options: []string{"bay/dawn", "bay/late"}, Over: catalog.OverTime, Seats: 12},
			map[string]int{"dawn 10 09:00": 4, "late 10 11:00": 3},
			map[string]int{"dawn 10 09:00": 8, "dawn 10 10:00": 8, "late 10 11:00": 9},
		},
		"a quota for the day": {
			catalog.SharedSeats{Options: []string{"bay"}, Over: catalog.OverDay, Seats: 10},
			map[string]int{"dawn 10 09:00": 4, "late 10 11:00": 3},
			map[string]int{
				"dawn 10 09:00": 3, "dawn 10 10:00": 3, "late 10 11:00": 3,
				"dawn 11 09:00": 10, "dawn 11 10:00": 10, "late 11 11:00": 10,
			},
		},
		"one pool for the season": {
			catalog.SharedSeats{Options: []string{"bay/dawn"}, Over: catalog.OverSeason, Seats: 9},
			map[string]int{"dawn 10 09:00": 4, "dawn 11 10:00": 5},
			map[string]int{"dawn 10 09:00": 0, "dawn 10 10:00": 0, "dawn 11 09:00": 0, "dawn 11 10:00": 0},
		},
		"a fleet of three boats with four seats": {
			catalog.SharedSeats{Options: all, Over: catalog.OverTime, Seats: 12, By: 4},
			map[string]int{"dawn 10 09:00": 1, "cave 10 09:30": 5},
			map[string]int{"dawn 10 09:00": 3, "cave 10 09:30": 3, "dawn 10 10:00": 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.shared.Name = name
			d := open(t, bay(c.shared))
			codes, ids := []string{}, []string{}
			for slot, seats := range c.holds {
				hold, err := d.reserveOf(d.bay()[slot], seats)
				must(t, err)
				codes = append(codes, hold.Code)
			}
			d.requireShared(c.want)
			for _, code := range codes {
				ids = append(ids, d.confirm(code).ID)
			}
			d.requireShared(c.want)
			for _, id := range ids {
				d.cancel(id, BookingCancelled)
			}
			free := d.bay()
			for slot, seats := range c.holds {
				if _, err := d.reserveOf(free[slot], seats); err != nil {
					t.Fatal(err)
				}
			}
			d.requireShared(c.want)
			d.clock.Advance(time.Hour)
			for slot, was := range free {
				if got := d.bay()[slot].left; got != was.left {
					t.Errorf("%s: want %d vacancies again once the holds have expired, got %d", slot, was.left, got)
				}
			}
		})
	}
}

// requireShared expects the vacancies of some slots, and 12 in all others.
func (d fixture) requireShared(want map[string]int) {
	d.t.Helper()
	d.requireBalanced()
	for name, slot := range d.bay() {
		left, listed := want[name]
		if !listed {
			left = 12
		}
		if slot.left != left || (slot.status == partnerapi.StatusSoldOut) != (left == 0) {
			d.t.Errorf("%s: want %d vacancies, got %d and %s", name, left, slot.left, slot.status)
		}
		inside, err := d.Slot(slot.product, slot.option, slot.id)
		must(d.t, err)
		if inside.Vacancies != left || inside.Capacity != inside.Vacancies+inside.Shared+inside.Elsewhere+inside.Held+inside.Confirmed {
			d.t.Errorf("%s: want the same inside, and seats that add up, got %+v", name, inside)
		}
	}
}

func TestASlotSharesSeatsWithThoseOfTheDaysBefore(t *testing.T) {
	t.Parallel()
	sold := bay(catalog.SharedSeats{Name: "tent", Options: []string{"bay", "cove"}, Over: catalog.OverTime, Seats: 12})
	trek := sold.Products[1].Schedules["cave"]
	trek.Duration = 24 * time.Hour // to 09:30 on the next day
	sold.Products[1].Schedules["cave"] = trek
	d := open(t, sold)
	for slot, seats := range map[string]int{"cave 10 09:30": 2, "dawn 11 09:00": 3} {
		_, err := d.reserveOf(d.bay()[slot], seats)
		must(t, err)
	}
	d.requireShared(map[string]int{
		"cave 10 09:30": 7, "dawn 10 09:00": 10, "dawn 10 10:00": 10, "late 10 11:00": 10,
		"dawn 11 09:00": 7, "dawn 11 10:00": 9, "cave 11 09:30": 9,
	})
}

func TestASlotThatSharesSeatsIsRefusedWhenOthersTookThem(t *testing.T) {
	t.Parallel()
	for _, noHolds := range []bool{false, true} {
		sold := bay(catalog.SharedSeats{Name: "boat", Options: []string{"bay", "cove"}, Over: catalog.OverTime, Seats: 6})
		sold.NoHolds = noHolds
		d := open(t, sold)
		slots := d.bay()
		first, err := d.reserveOf(slots["dawn 10 09:00"], 4)
		must(t, err)
		second, err := d.reserveOf(slots["cave 10 09:30"], 3)
		if noHolds { // confirm takes the seats
			d.confirm(first.Code)
			_, err = d.Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: second.Code}, nil)
		}
		d.requireRefusal(err, Unavailable)
		_, err = d.reserveOf(slots["dawn 10 10:00"], 3)
		d.requireRefusal(err, Unavailable)
		_, err = d.reserveOf(slots["late 10 11:00"], 6)
		must(t, err)
		d.requireBalanced()
	}
}

// A model counts the shared seats minute by minute.
func TestRandomHoldsNeverTakeASharedSeatTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		by := rapid.SampledFrom([]int{1, 2, 4}).Draw(rt, "by")
		pools := []catalog.SharedSeats{{
			Name: "pool", Over: rapid.SampledFrom([]catalog.Span{catalog.OverTime, catalog.OverDay, catalog.OverSeason}).Draw(rt, "over"),
			Options: rapid.SampledFrom([][]string{{"bay"}, {"bay/dawn"}, {"bay", "cove/cave"}, {"bay/late", "cove"}}).Draw(rt, "options"),
			Seats:   by * rapid.IntRange(1, 5).Draw(rt, "vehicles"), By: by,
		}, {Name: "guide", Options: []string{"cove/cave", "bay/dawn"}, Over: catalog.OverTime, Seats: 10}}
		d := open(t, bay(pools...))
		slots := d.bay()
		names := make([]string, 0, len(slots))
		for name := range slots {
			names = append(names, name)
		}
		slices.Sort(names)
		taken := map[string]int{} // by the slot's name
		held, booked := map[string]string{}, map[string]string{}
		seats := map[string]int{}
		vacancies := func(name string) int {
			left := 12 - taken[name]
			for _, pool := range pools {
				left = min(left, leftInPool(pool, slots, taken, name))
			}
			return left
		}
		end := func(of map[string]string, kind string) (code string) {
			if len(of) == 0 {
				return ""
			}
			code = rapid.SampledFrom(sortedNames(of)).Draw(rt, kind)
			taken[of[code]] -= seats[code]
			delete(of, code)
			return code
		}
		rt.Repeat(map[string]func(*rapid.T){
			"reserve": func(rt *rapid.T) {
				name, party := rapid.SampledFrom(names).Draw(rt, "slot"), rapid.IntRange(1, 5).Draw(rt, "party")
				left := vacancies(name)
				hold, err := d.reserveOf(slots[name], party)
				if (err == nil) != (left >= party) {
					rt.Fatalf("%s: reserve %d of %d seats: %v", name, party, left, err)
				}
				if err == nil {
					held[hold.Code], seats[hold.Code] = name, party
					taken[name] += party
				}
			},
			"release": func(*rapid.T) { d.Release(end(held, "held"), nil) },
			"cancel":  func(*rapid.T) { d.Cancel(end(booked, "booked"), nil) },
			"confirm": func(rt *rapid.T) {
				if len(held) > 0 {
					code := rapid.SampledFrom(sortedNames(held)).Draw(rt, "code")
					id := d.confirm(code).ID
					booked[id], seats[id] = held[code], seats[code]
					delete(held, code)
				}
			},
			"expire": func(*rapid.T) {
				d.clock.Advance(DefaultHoldFor)
				for code, name := range held {
					taken[name] -= seats[code]
				}
				clear(held)
			},
			"": func(rt *rapid.T) {
				for name, slot := range d.bay() {
					if want := vacancies(name); slot.left != want {
						rt.Fatalf("%s: want %d vacancies, got %d", name, want, slot.left)
					}
				}
				if broken := d.Invariants(); len(broken) > 0 {
					rt.Fatalf("want no violation, got %+v", broken)
				}
			},
		})
	})
}

func sortedNames(of map[string]string) []string {
	names := make([]string, 0, len(of))
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// leftInPool counts what a pool has left for a slot, in steps of half an hour.
func leftInPool(pool catalog.SharedSeats, slots map[string]sharedSlot, taken map[string]int, name string) int {
	mine := slots[name]
	draws := func(slot sharedSlot) bool {
		return slices.Contains(pool.Options, slot.product) || slices.Contains(pool.Options, slot.product+"/"+slot.option)
	}
	if !draws(mine) {
		return 12
	}
	worst := 0
	for at := mine.from; at.Before(mine.to); at = at.Add(30 * time.Minute) {
		used := 0
		for other, slot := range slots {
			same := map[catalog.Span]bool{
				catalog.OverTime:   !slot.from.After(at) && slot.to.After(at),
				catalog.OverDay:    slot.from.Day() == mine.from.Day(),
				catalog.OverSeason: true,
			}[pool.Over]
			if other != name && draws(slot) && same {
				by := cmp.Or(pool.By, 1)
				used += (taken[other] + by - 1) / by * by
			}
		}
		worst = max(worst, used)
	}
	return pool.Seats - worst - taken[name]
}

func TestSlotsThatShareSeatsAreAnnouncedTogetherAndEarlierAnswersAreStale(t *testing.T) {
	t.Parallel()
	for over, want := range map[catalog.Span]int{catalog.OverTime: 3, catalog.OverDay: 4, catalog.OverSeason: 4 * (announcedDays + 1)} {
		d := open(t, bay(catalog.SharedSeats{Name: "pool", Options: []string{"bay", "cove"}, Over: over, Seats: 12}))
		window, err := d.Availability(partnerapi.AvailabilityRequest{ProductID: "cove", OptionID: "cave", LocalDateStart: "2026-07-10", LocalDateEnd: "2026-07-10"})
		must(t, err)
		seen := map[string]string{}
		d.Observe(func(c Change) {
			change := fmt.Sprintf("%d to %d", *c.Before.Vacancies, *c.After.Vacancies)
			if seen[c.Before.ID] != "" || c.Cause != client.BookingChange || change != "12 to 10" {
				t.Errorf("%s: want one change of %s, from 12 to 10, got %s by %s", over, c.Before.ID, change, c.Cause)
			}
			seen[c.Before.ID] = change
		})
		_, err = d.reserveOf(d.bay()["dawn 10 09:00"], 2)
		must(t, err)
		d.Observe(nil)
		if len(seen) != want {
			t.Errorf("%s: want %d slots announced, got %d", over, want, len(seen))
		}
		if window.Stamp.IsFresh() {
			t.Errorf("%s: want the answer about the other product stale", over)
		}
	}
}

// Two callers that both saw the last seat, in two slots: no slot is oversold, and yet the boat is.
func TestARaceForASharedSeatIsAViolation(t *testing.T) {
	t.Parallel()
	d := open(t, bay(catalog.SharedSeats{Name: "boat", Options: []string{"bay", "cove"}, Over: catalog.OverTime, Seats: 1}))
	for name, slot := range d.bay() {
		if name == "dawn 10 09:00" || name == "cave 10 09:30" {
			d.requireBalanced()
			order := client.Order{ProductID: slot.product, OptionID: slot.option, AvailabilityID: slot.id, Seats: 1}
			d.life.hold(&storedHold{Hold: client.Hold{State: client.Held, Order: order, CreatedAt: noon}, slot: d.keyIn(slot)}, Choice{}, Quirk{}, true)
		}
	}
	if broken := d.Invariants(); !slices.ContainsFunc(broken, func(v client.Violation) bool { return v.Invariant == sharedOnce && v.Subject == "boat" }) {
		t.Errorf("want the boat oversold, got %+v", broken)
	}
}

func (d fixture) keyIn(slot sharedSlot) slotKey {
	d.t.Helper()
	key, err := d.stock.find(slot.product, slot.option, slot.id)
	must(d.t, err)
	return key
}

func TestStaffSellTheSeatsOfTheirOwnSlotOnly(t *testing.T) {
	t.Parallel()
	d := open(t, bay(catalog.SharedSeats{Name: "boat", Options: []string{"bay", "cove"}, Over: catalog.OverTime, Seats: 6}))
	slots := d.bay()
	mine := slots["dawn 10 09:00"]
	must(t, d.SetSlot(mine.product, mine.option, mine.id, client.SlotChange{Vacancies: new(2)}))
	want := map[string]int{"dawn 10 09:00": 2}
	for name := range slots {
		if want[name] == 0 {
			want[name] = 6
		}
	}
	d.requireShared(want)
	_, err := d.reserveOf(slots["cave 10 09:30"], 6)
	must(t, err)
	d.requireRefusal(d.SetSlot(mine.product, mine.option, mine.id, client.SlotChange{Status: new(partnerapi.StatusAvailable), Vacancies: new(12)}), BadRequest)
}

func TestSharedSeatsFollowTheCatalog(t *testing.T) {
	t.Parallel()
	boat := catalog.SharedSeats{Name: "boat", Options: []string{"bay", "cove"}, Over: catalog.OverTime, Seats: 6}
	d := open(t, bay())
	hold, err := d.reserveOf(d.bay()["dawn 10 09:00"], 4)
	must(t, err)
	must(t, d.Sell(bay(boat)))
	if got := d.bay()["cave 10 09:30"].left; got != 2 {
		t.Errorf("want earlier holds to count, got %d vacancies", got)
	}
	saved := d.Snapshot()
	must(t, d.SellInstead(func(sold *catalog.Index, _ time.Time) (*catalog.Index, error) { return sold.WithoutProduct("cove") }))
	if got := d.Catalog().Shares; len(got) != 1 || !slices.Equal(got[0].Options, []string{"bay"}) {
		t.Errorf("want the removed product to share no more, got %+v", got)
	}
	d.Restore(saved)
	d.release(hold.Code, HoldReleased)
	if got := d.bay()["cave 10 09:30"].left; got != 6 {
		t.Errorf("want all seats of the boat, got %d", got)
	}
}
