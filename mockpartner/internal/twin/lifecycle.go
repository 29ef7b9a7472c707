package twin

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// tracker follows the holds and bookings of a history, to determine the case of each call.
type tracker struct {
	now      time.Time // by the partner's clock
	holds    map[string]*hold
	bookings map[string]*hold // by booking id
	slots    map[slotID]*trackedSlot
	limits   map[[2]string]partnerapi.PartyLimits // that options declare, by the ids of product and option in requests
	unsure   bool                                 // a call was lost, so a code that is not tracked may be one that the partner knows

	met   []holdCall
	moves []move

	codesAgain, idsAgain int // codes and booking ids that were issued again
}

// holdCall is a call that may concern a hold, with its case.
type holdCall struct {
	*call
	on      platform.Case // empty if unknown
	product string
	option  string
	slotID  string
	units   []partnerapi.UnitQuantity
}

// hold is a hold, and the booking that it became.
type hold struct {
	state   client.HoldState
	ended   bool // its booking was cancelled
	expires time.Time
	slot    slotID
	units   []partnerapi.UnitQuantity
	taken   *int // seats that it took, if they were observed
}

type slotID struct{ product, option, id string }

// trackedSlot is what is known of a slot at one moment of the history.
type trackedSlot struct {
	day     string
	left    *int // vacancies when it was last seen
	status  string
	pending []event
	busy    time.Time // until when its latest call lasted
}

// event is a call or an expiry that may have moved seats of a slot since it was last seen.
type event struct {
	on   platform.Case
	hold *hold
	ends time.Time
	met  bool // another call about the slot was made at the same time
}

// move is a number of seats that left a slot's vacancies in one case. It is negative for seats that
// returned.
type move struct {
	event
	slot  slotID
	seats int
}

// follow follows the history.
func (l *learner) follow(products []product) *tracker {
	s := &tracker{holds: map[string]*hold{}, bookings: map[string]*hold{}, slots: map[slotID]*trackedSlot{}, limits: map[[2]string]partnerapi.PartyLimits{}}
	for _, p := range products {
		for i, o := range p.options {
			s.limits[[2]string{p.asked, o.asked}] = p.sold.Options[i].Restrictions
		}
	}
	for _, c := range l.calls {
		s.now = clockOf(c)
		s.expire(c)
		if c.lost {
			s.lose(c)
			continue
		}
		switch c.endpoint {
		case partnerapi.Availability:
			s.look(c)
		case partnerapi.Reserve:
			s.reserve(c)
		case partnerapi.Confirm:
			s.confirm(c)
		case partnerapi.Release:
			s.release(c)
		case partnerapi.Cancel:
			s.cancel(c)
		}
	}
	return s
}

// lose forgets what a lost call may have changed.
func (s *tracker) lose(c *call) {
	s.unsure = true
	h := s.holds[c.named]
	if c.endpoint == partnerapi.Cancel {
		h = s.bookings[c.named]
	}
	if h == nil { // it may be about any hold and slot
		clear(s.holds)
		clear(s.bookings)
		clear(s.slots)
		return
	}
	isLost := func(_ string, other *hold) bool { return other == h }
	maps.DeleteFunc(s.holds, isLost)
	maps.DeleteFunc(s.bookings, isLost)
	delete(s.slots, h.slot)
}

// clockOf returns the time of the partner's clock when it answered, because a test may have moved
// the clock.
func clockOf(c *call) time.Time {
	if date, err := http.ParseTime(c.AnswerHeader.Get("Date")); err == nil {
		return date
	}
	return c.Started
}

func (s *tracker) expire(c *call) {
	for _, h := range s.holds {
		if h.state == client.Held && !h.expires.IsZero() && h.expires.Before(s.now) {
			h.state = client.Expired
			s.happens(event{on: platform.OnExpiry, hold: h, ends: c.Started}, c.Started, h.slot)
		}
	}
}

func (s *tracker) slot(id slotID) *trackedSlot {
	if s.slots[id] == nil {
		s.slots[id] = &trackedSlot{}
	}
	return s.slots[id]
}

func (s *tracker) happens(e event, began time.Time, id slotID) {
	slot := s.slot(id)
	if e.met = began.Before(slot.busy); e.ends.After(slot.busy) {
		slot.busy = e.ends
	}
	slot.pending = append(slot.pending, e)
}

// look compares the vacancies of slots with those seen before.
func (s *tracker) look(c *call) {
	if !c.hasGoodKey() || !c.succeeded2xx() {
		return
	}
	list, whole := slotList(c)
	product, option := text(field(c.request, "productId")), text(field(c.request, "optionId"))
	found := map[slotID]bool{}
	for _, raw := range list {
		id := slotID{product, option, text(field(raw, "id"))}
		if id.id == "" {
			continue
		}
		found[id] = true
		slot := s.slot(id)
		slot.day, slot.status = day(text(field(raw, "localDateTimeStart"))), text(field(raw, "status"))
		left := readSeats(field(raw, "vacancies"))
		if left == nil && slot.status == string(partnerapi.StatusSoldOut) {
			left = new(0)
		}
		s.recordSlot(slot, id, left, c)
	}
	from, to := text(field(c.request, "localDateStart")), text(field(c.request, "localDateEnd"))
	for id, slot := range s.slots { // a slot that is gone has no seats left
		if whole && list != nil && id.product == product && id.option == option && !found[id] && slot.left != nil && slot.day > from && slot.day < to {
			s.recordSlot(slot, id, new(0), c)
		}
	}
}

// day returns the date at the start of a date-time.
func day(text string) string {
	return text[:min(len(text), len(partnerapi.DateLayout))]
}

func (s *tracker) recordSlot(slot *trackedSlot, id slotID, left *int, c *call) {
	if left != nil && slot.left != nil && isSingle(slot.pending) && !slot.pending[0].met && !slot.busy.After(c.Started) {
		m := move{slot.pending[0], id, *slot.left - *left}
		s.moves = append(s.moves, m)
		if m.seats < 0 && m.on == failed+platform.OnCancel { // it took effect
			m.hold.ended = true
		}
		if m.on == platform.OnReserve && m.hold != nil {
			m.hold.taken = &m.seats
		}
	}
	if slot.pending = nil; slot.busy.After(c.Started) { // a call that was under way may move them after this reading
		left = nil
	}
	slot.left = left
}

// isSingle reports whether a single event happened. Refused calls with several wrong keys count as
// one.
func isSingle(events []event) bool {
	return len(events) > 0 && (len(events) == 1 || strings.HasPrefix(string(events[0].on), "stranger-") &&
		!slices.ContainsFunc(events, func(e event) bool { return e.on != events[0].on }))
}

// failed is the prefix for the case of a call that was answered with an error without a reason.
const failed = "failed-"

func (s *tracker) meet(c *call, on platform.Case, h *hold) {
	m := holdCall{call: c, on: on}
	if h != nil {
		m.product, m.option, m.slotID, m.units = h.slot.product, h.slot.option, h.slot.id, h.units
		if !c.succeeded2xx() && slices.Contains([]platform.Case{platform.OnReserve, platform.OnConfirm, platform.OnRelease, platform.OnCancel}, on) {
			on = failed + on
		}
		s.happens(event{on: on, hold: h, ends: c.Started.Add(c.Took)}, c.Started, h.slot)
	}
	s.met = append(s.met, m)
}

// wasActedOn reports whether the partner acted on a call.
func wasActedOn(c *call) bool { return c.hasGoodKey() || c.succeeded2xx() }

// recordUnknownCode notes a call that was refused because of its key.
func (s *tracker) recordUnknownCode(c *call, h *hold) {
	if h != nil && c.Status == http.StatusUnauthorized {
		s.happens(event{on: unknownCodes(c.endpoint), hold: h, ends: c.Started.Add(c.Took)}, c.Started, h.slot)
	}
}

// unknownCodes returns the case of calls to an endpoint that were refused because of their key.
func unknownCodes(endpoint partnerapi.Endpoint) platform.Case {
	return platform.Case("stranger-" + string(endpoint))
}

func (s *tracker) reserve(c *call) {
	h := &hold{slot: slotID{text(field(c.request, "productId")), text(field(c.request, "optionId")), text(field(c.request, "availabilityId"))}, units: unitsOf(c.request)}
	if !wasActedOn(c) {
		s.recordUnknownCode(c, h)
		return
	}
	seats := 0
	for _, unit := range h.units {
		seats += unit.Quantity
	}
	slot, known := s.slots[h.slot]
	limits := s.limits[[2]string{h.slot.product, h.slot.option}]
	var on platform.Case
	switch {
	case !known || len(h.units) == 0 || !lawfulReserve(c.request):
		s.met = append(s.met, holdCall{call: c})
		return
	case slot.status == string(partnerapi.StatusClosed):
		on = platform.OnReserveClosed
	case slot.left != nil && *slot.left == 0 || slot.status == string(partnerapi.StatusSoldOut):
		on = platform.OnReserveSoldOut
	case slot.left != nil && seats > *slot.left && len(slot.pending) == 0:
		on = platform.OnReserveTooMany
	case seats < limits.MinUnits || limits.MaxUnits > 0 && seats > limits.MaxUnits:
		on = platform.OnReserveBadSize
	default:
		on = platform.OnReserve
	}
	code := text(field(c.answer, "reservationConfirmationCode"))
	if c.succeeded2xx() && code != "" {
		h.state = client.Held
		h.expires, _ = readTime(text(field(c.answer, "expiresAt")), time.UTC)
		if old := s.holds[code]; old != nil && old.state != client.Held {
			s.codesAgain++
		}
		s.holds[code] = h
	}
	s.meet(c, on, h)
}

func lawfulReserve(request any) bool {
	return text(field(request, "productId")) != "" && text(field(request, "optionId")) != "" && text(field(request, "availabilityId")) != ""
}

func unitsOf(request any) (units []partnerapi.UnitQuantity) {
	list, _ := field(request, "units").([]any)
	for _, raw := range list {
		quantity := readSeats(field(raw, "quantity"))
		if id := text(field(raw, "id")); id != "" && quantity != nil && *quantity > 0 {
			units = append(units, partnerapi.UnitQuantity{ID: id, Quantity: *quantity})
		}
	}
	return units
}

// cases are the cases of an endpoint's calls, by the state of the hold.
type cases struct{ held, confirmed, released, expired, cancelled platform.Case }

func (h *hold) comesUpon(c cases) platform.Case {
	switch {
	case h.ended:
		return c.cancelled
	case h.state == client.Confirmed:
		return c.confirmed
	case h.state == client.Released:
		return c.released
	case h.state == client.Expired:
		return c.expired
	}
	return c.held
}

func (s *tracker) confirm(c *call) {
	code, isText := field(c.request, "reservationConfirmationCode").(string)
	h := s.holds[code]
	if !wasActedOn(c) {
		s.recordUnknownCode(c, h)
		return
	}
	switch {
	case !isText || h == nil && s.unsure:
		s.met = append(s.met, holdCall{call: c})
		return
	case h == nil:
		s.meet(c, platform.OnConfirmUnknown, nil)
		return
	}
	s.meet(c, h.comesUpon(cases{platform.OnConfirm, platform.OnConfirmAgain, platform.OnConfirmReleased, platform.OnConfirmExpired, platform.OnConfirmCancelled}), h)
	if id := text(field(c.answer, "externalBookingId")); c.succeeded2xx() {
		if h.state == client.Held {
			h.state = client.Confirmed
		}
		if id != "" {
			if old := s.bookings[id]; old != nil && old != h && old.ended {
				s.idsAgain++
			}
			s.bookings[id] = h
		}
	}
}

// releaseUnknown and cancelUnknown are calls with an unknown code or id.
const (
	releaseUnknown platform.Case = "release-unknown"
	cancelUnknown  platform.Case = "cancel-unknown"
)

func (s *tracker) release(c *call) {
	h := s.holds[c.named]
	if !wasActedOn(c) {
		s.recordUnknownCode(c, h)
		return
	}
	if h == nil && s.unsure || len(c.Body) > 0 && (!lawfulBody(schemas.ReleaseRequest, c) || text(field(c.request, "reservationConfirmationCode")) != c.named) {
		s.met = append(s.met, holdCall{call: c})
		return
	}
	if h == nil {
		s.meet(c, releaseUnknown, nil)
		return
	}
	s.meet(c, h.comesUpon(cases{platform.OnRelease, platform.OnReleaseConfirmed, platform.OnReleaseAgain, platform.OnReleaseExpired, platform.OnReleaseCancelled}), h)
	if c.succeeded2xx() && h.state == client.Held {
		h.state = client.Released
	}
}

func (s *tracker) cancel(c *call) {
	h := s.bookings[c.named]
	if !wasActedOn(c) {
		s.recordUnknownCode(c, h)
		return
	}
	if h == nil && s.unsure || len(c.Body) > 0 && !lawfulBody(schemas.CancelRequest, c) {
		s.met = append(s.met, holdCall{call: c})
		return
	}
	if h == nil {
		s.meet(c, cancelUnknown, nil)
		return
	}
	on := platform.OnCancel
	if h.ended {
		on = platform.OnCancelAgain
	}
	s.meet(c, on, h)
	if c.succeeded2xx() {
		h.ended = true
	}
}
