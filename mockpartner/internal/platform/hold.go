package platform

import (
	"cmp"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// HoldState is where a hold is in its life.
type HoldState string

// The states of a hold. All but Held are final.
const (
	Held      HoldState = "HELD"
	Confirmed HoldState = "CONFIRMED"
	Released  HoldState = "RELEASED"
	Expired   HoldState = "EXPIRED"
)

// Hold is what a reserve made (RSV-2). Holds that the platform returns are
// copies.
type Hold struct {
	Code              string                    `json:"reservationConfirmationCode"`
	State             HoldState                 `json:"state"`
	ProductID         string                    `json:"productId"`
	OptionID          string                    `json:"optionId"`
	AvailabilityID    string                    `json:"availabilityId"`
	Units             []partnerapi.UnitQuantity `json:"units"`
	Seats             int                       `json:"seats"` // what the party takes
	Contact           *partnerapi.Contact       `json:"contact,omitempty"`
	ResellerReference string                    `json:"resellerReference,omitempty"`
	CreatedAt         time.Time                 `json:"createdAt"`
	ExpiresAt         time.Time                 `json:"expiresAt"` // whole seconds, in the product's zone
	EndedAt           time.Time                 `json:"endedAt,omitzero"`
	BookingID         string                    `json:"externalBookingId,omitempty"`

	slot     slotKey
	number   uint64 // the order of holds
	promised int    // seats that nobody else may get
	taken    int    // seats that it took out of the vacancies
}

// maxParty is the largest number of guests in one reserve; a lawful partner may
// refuse larger parties (RSV-5).
const maxParty = 1000

// guests checks a party and returns the seats it takes.
func guests(option *catalog.IndexedOption, units []partnerapi.UnitQuantity) (seats int, err error) {
	party := 0
	for _, unit := range units {
		each, ok := option.SeatsOf(unit.ID)
		if !ok {
			return 0, refuse(UnknownID, "option %q has no unit %q", option.ID, unit.ID)
		}
		if unit.Quantity < 1 {
			return 0, refuse(BadRequest, "unit %q: want a quantity of at least 1, got %d", unit.ID, unit.Quantity)
		}
		// Compared before it is added: a quantity near the largest integer
		// must not wrap around.
		if unit.Quantity > maxParty-party {
			return 0, refuse(BadRequest, "we take parties of at most %d guests", maxParty)
		}
		party += unit.Quantity
		seats += each * unit.Quantity
	}
	return seats, nil
}

// Reserve holds seats of a slot (RSV-2, RSV-3). Its error is a *Refusal:
// UnknownID, BadRequest, Unavailable with words for the customer (RSV-5), or Full.
func (p *Platform) Reserve(r partnerapi.ReserveRequest) (Hold, error) { return p.reserve(r, nil) }

func (p *Platform) reserve(r partnerapi.ReserveRequest, tell func(before, after Facts)) (Hold, error) {
	now := p.enter()
	defer p.mu.Unlock()
	option, err := p.option(r.ProductID, r.OptionID)
	if err != nil {
		return Hold{}, err
	}
	if len(r.Units) == 0 {
		return Hold{}, refuse(BadRequest, "units: want at least one unit with its quantity")
	}
	key, ok := p.keyOf(option, r.AvailabilityID)
	seats, err := guests(option, r.Units)
	if err != nil {
		if ok {
			p.move(p.on(OnReserveBadParty, key, now), &Hold{slot: key, Units: r.Units}, 0, now)
		}
		return Hold{}, err
	}
	if !ok {
		return Hold{}, refuse(UnknownID, "option %q has no slot %q: ask for availability again", r.OptionID, r.AvailabilityID)
	}
	scene := p.look(now, tell, key, "")
	defer scene.end()
	hold := &Hold{
		State:             Held,
		ProductID:         r.ProductID,
		OptionID:          r.OptionID,
		AvailabilityID:    r.AvailabilityID,
		Units:             slices.Clone(r.Units),
		Seats:             seats,
		Contact:           clone(r.Contact),
		ResellerReference: r.ResellerReference,
		CreatedAt:         now,
		slot:              key,
	}
	comesUpon, refusal := p.sellable(key, seats, now)
	quirk := p.on(comesUpon, key, now)
	switch {
	case refusal != nil && quirk.Does != Accept:
		p.move(quirk, hold, 0, now)
		return Hold{}, refusal
	case quirk.Does == Refuse:
		p.move(quirk, hold, 0, now)
		return Hold{}, refuse(Unavailable, "This time can no longer be booked. Please choose another one.")
	}
	p.lookAway(quirk)
	hold.slot = hold.slot.in(p.Catalog()) // which may be another one by now
	if err := p.makeRoom(); err != nil {
		return Hold{}, err
	}
	p.hold(hold, quirk, refusal == nil)
	scene.code = hold.Code
	return *hold, nil
}

func clone(c *partnerapi.Contact) *partnerapi.Contact {
	if c == nil {
		return nil
	}
	return new(*c)
}

// sellable tells what a reserve comes upon, and refuses a party that the slot
// cannot take.
func (p *Platform) sellable(key slotKey, seats int, now time.Time) (Case, error) {
	when, _ := key.span()
	s := p.slot(key)
	switch status := s.status(key, when, now); {
	case status == partnerapi.StatusSoldOut:
		return OnReserveSoldOut, refuse(Unavailable, "This time is sold out. Please choose another one.")
	case !status.Bookable():
		return OnReserveClosed, refuse(Unavailable, "This time can no longer be booked. Please choose another one.")
	}
	if err := enough(s, seats); err != nil {
		return OnReserveTooMany, err
	}
	return OnReserve, nil
}

func enough(s slot, seats int) error {
	if s.counted && s.vacancies < seats {
		return refuse(Unavailable, "Only %d of the %d places you need are left at this time. Please choose another one.", max(s.vacancies, 0), seats)
	}
	return nil
}

// hold gives the hold its code and expiry, and takes its seats; seats that are
// not there are not taken.
func (p *Platform) hold(h *Hold, quirk Quirk, seatsAreLeft bool) {
	conduct := p.conduct.Load()
	life := conduct.HoldFor
	h.promised = h.Seats
	if conduct.Policy.NoHolds {
		life, h.promised = holdlessExpiry, 0
	}
	// To the second, as it is told to the caller: what is told is exact.
	h.ExpiresAt = h.CreatedAt.Add(life).Truncate(time.Second).In(h.slot.option.Product.Location)
	h.Code = p.issueCode(h)
	h.number = p.state.issued
	if quirk.Does == Nothing {
		return
	}
	p.take(h.slot, 0) // a slot is kept from its first hold on
	lawful := 0
	if seatsAreLeft {
		lawful = h.promised
	}
	h.taken = p.move(quirk, h, lawful, h.CreatedAt)
	p.state.holds.Set(h.Code, h)
	p.state.expiring.Set(h)
	p.state.ledger.held(h.Code, h.slot, h.promised)
}

// lookAway lets other calls in between a look and what is done after it.
func (p *Platform) lookAway(quirk Quirk) {
	if quirk.Race == 0 {
		return
	}
	p.mu.Unlock()
	time.Sleep(time.Duration(quirk.Race))
	p.mu.Lock()
}

// asSeen returns the hold as it was before the quirk has the platform look away.
func (p *Platform) asSeen(h *Hold, quirk Quirk) *Hold {
	if quirk.Race == 0 {
		return h
	}
	p.lookAway(quirk)
	seen := *h
	seen.slot = seen.slot.in(p.Catalog())
	return &seen
}

// Outcome says what a release or a cancellation came upon, in words for the
// caller. All of them are answered with success (REL-4, REL-5, CAN-4, CAN-5).
type Outcome string

// The outcomes of Release.
const (
	HoldReleased    Outcome = "The hold is released, its seats are back."
	HoldReleasedYet Outcome = "The hold was released before."
	HoldExpired     Outcome = "The hold had expired, its seats were back already."
	HoldConfirmed   Outcome = "The hold was confirmed: its booking stays as it is."
	HoldUnknown     Outcome = "There is no hold with this code, nothing to release."
)

// Release ends a hold and gives its seats back (REL-3). Any code will do.
func (p *Platform) Release(code string) Outcome { return p.release(code, nil) }

func (p *Platform) release(code string, tell func(before, after Facts)) Outcome {
	now := p.enter()
	defer p.mu.Unlock()
	defer p.look(now, tell, slotKey{}, code).end()
	hold, ok := p.state.holds.Get(code)
	if !ok {
		return HoldUnknown
	}
	switch hold.State {
	case Released:
		p.move(p.on(OnReleaseAgain, hold.slot, now), hold, 0, now)
		return HoldReleasedYet
	case Expired:
		p.move(p.on(OnReleaseExpired, hold.slot, now), hold, 0, now)
		return HoldExpired
	case Confirmed:
		p.releaseConfirmed(hold, now)
		return HoldConfirmed
	}
	if quirk := p.on(OnRelease, hold.slot, now); quirk.Does == Nothing {
		p.move(quirk, hold, 0, now)
	} else {
		p.endHold(p.asSeen(hold, quirk), Released, quirk, now)
	}
	return HoldReleased
}

// releaseConfirmed leaves a booking as it is (REL-6), unless a quirk says otherwise.
func (p *Platform) releaseConfirmed(h *Hold, now time.Time) {
	booking, ok := p.state.bookings.Get(h.BookingID)
	if ok && booking.State == Cancelled {
		p.move(p.on(OnReleaseCancelled, h.slot, now), h, 0, now)
		return
	}
	quirk := p.on(OnReleaseConfirmed, h.slot, now)
	if quirk.Does == Accept && ok {
		p.endBooking(booking, quirk, now)
		return
	}
	p.move(quirk, h, 0, now)
}

// endHold ends a live hold without a booking.
func (p *Platform) endHold(h *Hold, state HoldState, quirk Quirk, at time.Time) {
	p.state.expiring.Delete(h)
	ended := *h
	ended.State, ended.EndedAt = state, at
	p.state.holds.Set(h.Code, &ended)
	p.move(quirk, h, -h.taken, at)
	p.state.ledger.ended(h.Code)
	p.leave(h.slot)
	p.remember(h.Code)
}

// Holds returns every hold that is remembered, oldest first.
func (p *Platform) Holds() []Hold { return p.Inside().Holds }

func (p *Platform) listHolds() []Hold {
	holds := make([]Hold, 0, p.state.holds.Len())
	for _, hold := range p.state.holds.all() {
		holds = append(holds, *hold)
	}
	slices.SortFunc(holds, func(a, b Hold) int { return cmp.Compare(a.number, b.number) })
	return holds
}
