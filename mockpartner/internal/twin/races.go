package twin

import (
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// raceWindow is how long a twin waits between reading and writing, so that calls at the same time meet.
const raceWindow = platform.Duration(100 * time.Millisecond)

// mostMeetings is the maximum number of meetings that are looked at.
const mostMeetings = 500

// meeting is a group of calls that were made at the same time and are about the same: reserves of a slot, or confirms,
// releases or cancellations of one code or booking.
type meeting struct {
	on    platform.Case
	about string
	slot  slotID
	calls []*call
	ends  time.Time
}

// races learns which calls go wrong when they are made at the same time. Where holds keep no seats, any number of them is right.
func (l *learner) races(noHolds bool) (found []quirk) {
	went, wrong := map[platform.Case]int{}, map[platform.Case]int{}
	reserves := l.reserves()
	for _, m := range l.meetings(reserves) {
		lost, known := l.lost(m, reserves)
		if !known || noHolds && (m.on == platform.OnReserve || m.on == platform.OnRelease) {
			continue
		}
		if went[m.on]++; lost {
			wrong[m.on]++
		}
	}
	for _, on := range []platform.Case{platform.OnReserve, platform.OnConfirm, platform.OnRelease, platform.OnCancel} {
		if wrong[on] > 0 {
			found = append(found, quirk{platform.Quirk{On: on, Race: raceWindow}, fmt.Sprintf("%d of %s at the same time went wrong", wrong[on], plural.Count(went[on], "round"))})
		}
	}
	return found
}

// meetings returns the groups of at least two successful calls that overlap in time.
func (l *learner) meetings(of reserves) (all []*meeting) {
	cases := map[partnerapi.Endpoint]platform.Case{
		partnerapi.Reserve: platform.OnReserve, partnerapi.Confirm: platform.OnConfirm, partnerapi.Release: platform.OnRelease, partnerapi.Cancel: platform.OnCancel,
	}
	open := map[string]*meeting{}
	for _, c := range l.calls {
		on, raced := cases[c.endpoint]
		if !raced || !c.hasGoodKey() || !c.succeeded2xx() {
			continue
		}
		_, slot := of.party(c)
		m := meeting{on: on, about: c.named, slot: slot, calls: []*call{c}, ends: c.Started.Add(c.Took)}
		switch c.endpoint {
		case partnerapi.Reserve:
			m.about = fmt.Sprintf("%q", m.slot)
		case partnerapi.Confirm:
			m.about = text(field(c.request, "reservationConfirmationCode"))
		}
		key := string(m.on) + " " + m.about
		last := open[key]
		if last == nil || !c.Started.Before(last.ends) {
			open[key] = &m
			all = append(all, &m)
			continue
		}
		last.calls = append(last.calls, c)
		if m.ends.After(last.ends) {
			last.ends = m.ends
		}
	}
	all = slices.DeleteFunc(all, func(m *meeting) bool { return len(m.calls) < 2 })
	return all[:min(len(all), mostMeetings)]
}

// lost reports whether calls at the same time had an effect that the same calls in turn cannot have: two bookings of one
// hold, more guests than seats, seats that came back twice. known is false if the recording does not show it.
func (l *learner) lost(m *meeting, of reserves) (lost, known bool) {
	if m.on == platform.OnConfirm {
		first := text(field(m.calls[0].answer, "externalBookingId"))
		return slices.ContainsFunc(m.calls, func(c *call) bool { return text(field(c.answer, "externalBookingId")) != first }), first != ""
	}
	before, after, between := l.seatsAround(m)
	if before == nil || after == nil {
		return false, false
	}
	expected, guests := *before, 0
	ended := map[string]bool{}
	for _, c := range between {
		party, slot := of.party(c)
		switch {
		case party == 0 || slot != m.slot: // its effect is unknown, or may be on shared seats
			return false, false
		case c.endpoint == partnerapi.Reserve:
			expected -= party
		case c.endpoint == partnerapi.Confirm:
			continue
		case !ended[c.named]: // in turn, the others return nothing
			ended[c.named] = true
			expected += party
		}
		if slices.Contains(m.calls, c) {
			guests = party
		}
	}
	if m.on == platform.OnReserve {
		return expected < 0, true
	}
	return *after-expected >= guests, true
}

// seatsAround returns the seats that the meeting's slot had last before it and first after it, and the successful calls
// about holds and bookings that were made between these readings.
func (l *learner) seatsAround(m *meeting) (before, after *int, between []*call) {
	from, to := time.Time{}, time.Time{}
	for _, c := range l.calls {
		if c.endpoint != partnerapi.Availability || !c.hasGoodKey() || !c.succeeded2xx() {
			continue
		}
		seats := seatsIn(c, m.slot)
		switch {
		case seats == nil:
		case !c.Started.Add(c.Took).After(m.calls[0].Started):
			before, from = seats, c.Started
		case !c.Started.Before(m.ends) && after == nil:
			after, to = seats, c.Started
		}
	}
	for _, c := range l.calls {
		if c.endpoint != partnerapi.Products && c.endpoint != partnerapi.Availability && c.succeeded2xx() && c.Started.After(from) && c.Started.Before(to) {
			between = append(between, c)
		}
	}
	return before, after, between
}

// seatsIn returns the vacancies that an answer shows for a slot; nil if it does not.
func seatsIn(c *call, of slotID) *int {
	if text(field(c.request, "productId")) != of.product || text(field(c.request, "optionId")) != of.option {
		return nil
	}
	list, _ := slotList(c)
	for _, raw := range list {
		if text(field(raw, "id")) == of.id {
			return readSeats(field(raw, "vacancies"))
		}
	}
	return nil
}

// reserves finds the reserve of a hold by its code, and of a booking by its id.
type reserves struct{ byCode, byBooking map[string]*call }

func (l *learner) reserves() reserves {
	all := reserves{map[string]*call{}, map[string]*call{}}
	for _, c := range l.calls {
		switch c.endpoint {
		case partnerapi.Reserve:
			all.byCode[text(field(c.answer, "reservationConfirmationCode"))] = c
		case partnerapi.Confirm:
			all.byBooking[text(field(c.answer, "externalBookingId"))] = all.byCode[text(field(c.request, "reservationConfirmationCode"))]
		}
	}
	return all
}

// find returns the reserve of what a call is about; nil if the recording lacks it.
func (all reserves) find(c *call) *call {
	switch c.endpoint {
	case partnerapi.Reserve:
		return c
	case partnerapi.Confirm:
		return all.byCode[text(field(c.request, "reservationConfirmationCode"))]
	case partnerapi.Release:
		return all.byCode[c.named]
	default:
		return all.byBooking[c.named]
	}
}

// party returns the number of guests and the slot that a call is about; zero values if they are unknown.
func (all reserves) party(c *call) (guests int, slot slotID) {
	reserve := all.find(c)
	if reserve == nil {
		return 0, slotID{}
	}
	for _, unit := range unitsOf(reserve.request) {
		guests += unit.Quantity
	}
	return guests, slotID{text(field(reserve.request, "productId")), text(field(reserve.request, "optionId")), text(field(reserve.request, "availabilityId"))}
}
