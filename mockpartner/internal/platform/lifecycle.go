package platform

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// lifecycle moves holds and bookings from one state to the next, and moves their seats out of the
// inventory and back.
type lifecycle struct {
	stock *inventory
	most  int // maximum number of remembered holds

	mu sync.Mutex // held during every call; it guards the inventory too
}

// enter locks the platform and applies everything that is due by the clock.
func (l *lifecycle) enter() (now time.Time) {
	l.mu.Lock()
	now = l.stock.now()
	l.settle(now)
	return now
}

// settle expires every hold at its own expiresAt (REL-7), and makes the planned changes that are
// due.
func (l *lifecycle) settle(now time.Time) {
	l.stock.settleLate(now)
	for {
		next, ok := l.stock.state.expiring.Min()
		if !ok || next.ExpiresAt.After(now) {
			l.stock.settlePlanned(now)
			return
		}
		l.stock.settlePlanned(next.ExpiresAt)
		quirk := l.stock.quirkFor(OnExpiry, next, next.ExpiresAt)
		if quirk.Does == Nothing {
			l.stock.state.expiring.Delete(next)
			continue
		}
		l.endHold(next, client.Expired, quirk, next.ExpiresAt)
	}
}

func (l *lifecycle) makeRoom() error {
	if l.stock.state.holds.Len() < l.most {
		return nil
	}
	for {
		_, code, ok := l.stock.state.ended.PopMin()
		if !ok {
			return refuse(Full, "all %d holds and bookings that this partner can keep are in use: release or cancel some", l.most)
		}
		// A reused code may belong to a live hold by now.
		hold, ok := l.stock.state.holds.Get(code)
		if !ok || hold.State == client.Held {
			continue
		}
		l.stock.state.holds.Delete(code)
		l.stock.state.bookings.Delete(hold.BookingID)
		l.stock.state.ledger.forget(hold.Code, hold.BookingID)
		return nil
	}
}

// reserveCase returns the case of a reserve. It refuses a party that the slot or its option cannot take.
func (l *lifecycle) reserveCase(h *storedHold, now time.Time) (Case, error) {
	key := h.slot
	when, _ := key.span()
	s := l.stock.limited(key, l.stock.slot(key))
	switch status := s.status(key, when, now); {
	case status == partnerapi.StatusSoldOut:
		return OnReserveSoldOut, refuse(Unavailable, "This time is sold out. Please choose another one.")
	case !status.IsBookable():
		return OnReserveClosed, refuse(Unavailable, "This time can no longer be booked. Please choose another one.")
	}
	if err := checkVacancies(s, h.Seats); err != nil {
		return OnReserveTooMany, err
	}
	if err := checkPartySize(key.option.Restrictions, guestsOf(h.Units)); err != nil {
		return OnReserveBadSize, err
	}
	return OnReserve, nil
}

// checkPartySize refuses a party outside the limits that its option declares (EXT-3).
func checkPartySize(limits partnerapi.PartyLimits, guests int) error {
	switch {
	case guests < limits.MinUnits:
		return refuse(Unavailable, "We take parties of at least %d. Please add guests.", limits.MinUnits)
	case limits.MaxUnits > 0 && guests > limits.MaxUnits:
		return refuse(Unavailable, "We take parties of at most %d. Please make several bookings.", limits.MaxUnits)
	}
	return nil
}

func checkVacancies(s slot, seats int) error {
	if s.counted && s.vacancies < seats {
		return refuse(Unavailable, "This time has only %d of the %d places you need. Please choose another one.", max(s.vacancies, 0), seats)
	}
	return nil
}

// hold sets the hold's code and expiry, and takes its seats if they are left.
func (l *lifecycle) hold(h *storedHold, quirk Quirk, seatsAreLeft bool) {
	conduct := l.stock.conduct.Load()
	life := conduct.HoldFor
	h.promised = h.Seats
	if conduct.Policy.NoHolds {
		life, h.promised = holdlessExpiry, 0
	}
	// Rounded to the second, so that the caller receives the exact time.
	h.ExpiresAt = h.CreatedAt.Add(life).Truncate(time.Second).In(h.slot.option.Product.Location)
	h.Code = l.issueCode(h)
	h.number, h.made = l.stock.state.issued, l.stock.calls
	if quirk.Does == Nothing {
		return
	}
	l.stock.take(h.slot, 0) // the slot is stored from its first hold on
	lawful := 0
	if seatsAreLeft {
		lawful = h.promised
	}
	h.taken = l.stock.move(quirk, h, lawful, h.CreatedAt)
	l.stock.state.holds.Set(h.Code, h)
	l.stock.state.expiring.Set(h)
	l.stock.state.ledger.recordHold(h.Code, h.slot, h.promised)
}

// confirmCase returns the case of a confirm, and the booking if the hold has become one. It refuses
// a hold that has ended.
func (l *lifecycle) confirmCase(h *storedHold) (Case, *storedBooking, error) {
	switch h.State {
	case client.Released:
		return OnConfirmReleased, nil, refuse(NoLiveHold, "This reservation was released and can no longer be confirmed.")
	case client.Expired:
		return OnConfirmExpired, nil, refuse(NoLiveHold, "This reservation expired at %s and can no longer be confirmed.", partnerapi.FormatDateTime(h.ExpiresAt))
	case client.Confirmed:
		booking, ok := l.stock.state.bookings.Get(h.BookingID)
		if !ok || booking.State == client.Cancelled {
			return OnConfirmCancelled, nil, refuse(NoLiveHold, "This booking was cancelled and cannot be confirmed again.")
		}
		return OnConfirmAgain, booking, nil
	}
	return OnConfirm, nil, nil
}

// newBooking returns a booking for a hold. It is not stored yet.
func (l *lifecycle) newBooking(h *storedHold, r partnerapi.ConfirmRequest, now time.Time) *storedBooking {
	id := l.issueBookingID(h, now)
	booking := &storedBooking{
		Booking: client.Booking{ID: id, State: client.Booked, Code: h.Code, Order: h.Order, ConfirmedAt: now},
		number:  l.stock.state.issued,
		slot:    h.slot,
		held:    h.CreatedAt,
		made:    h.made,
	}
	booking.Contact = cmp.Or(clone(r.Contact), h.Contact)
	booking.ResellerReference = cmp.Or(r.ResellerReference, h.ResellerReference)
	booking.UUID = l.stock.seed.uuid(l.stock.state.issued)
	if !l.stock.conduct.Load().Policy.NoTickets {
		booking.Tickets = tickets(booking.UUID)
	}
	return booking
}

func (l *lifecycle) book(h *storedHold, r partnerapi.ConfirmRequest, now time.Time) *storedBooking {
	booking := l.newBooking(h, r, now)
	booking.taken = h.Seats
	if h.promised > 0 {
		booking.taken = h.taken
	}
	l.stock.state.expiring.Delete(h)
	ended := *h
	ended.State, ended.EndedAt, ended.BookingID = client.Confirmed, now, booking.ID
	l.stock.state.holds.Set(h.Code, &ended)
	l.stock.state.bookings.Set(booking.ID, booking)
	l.stock.state.ledger.recordBooking(h.Code, booking.ID, booking.Seats)
	return booking
}

func (l *lifecycle) endHold(h *storedHold, state client.HoldState, quirk Quirk, at time.Time) {
	l.stock.state.expiring.Delete(h)
	ended := *h
	ended.State, ended.EndedAt = state, at
	l.stock.state.holds.Set(h.Code, &ended)
	l.stock.move(quirk, h, -h.taken, at)
	l.stock.state.ledger.recordEnd(h.Code)
	l.stock.leave(h.slot)
	l.stock.state.remember(h.Code)
}

func (l *lifecycle) endBooking(b *storedBooking, quirk Quirk, now time.Time) {
	cancelled := *b
	cancelled.slot = b.slot.inCatalog(l.stock.catalog()) // the catalog may have been replaced meanwhile
	cancelled.State, cancelled.CancelledAt = client.Cancelled, now
	l.stock.state.bookings.Set(b.ID, &cancelled)
	l.stock.move(quirk, holdOf(&cancelled), -b.taken, now)
	l.stock.state.ledger.cancelled(b.ID)
	l.stock.noteCancelled(cancelled.slot)
	l.stock.leave(cancelled.slot)
	l.stock.state.remember(b.Code)
}

// holdOf reconstructs the hold of a booking. This also works if the hold's code was reused.
func holdOf(b *storedBooking) *storedHold {
	hold := client.Hold{Code: b.Code, State: client.Confirmed, Order: b.Order, CreatedAt: b.held, BookingID: b.ID}
	return &storedHold{Hold: hold, slot: b.slot, number: b.number, made: b.made}
}

// lookAway unlocks the platform between reading a slot and acting on it, so that other calls can
// intervene.
func (l *lifecycle) lookAway(quirk Quirk, key slotKey) {
	if quirk.Race == 0 {
		return
	}
	seen := l.stock.slot(key)
	l.mu.Unlock()
	time.Sleep(time.Duration(quirk.Race))
	l.mu.Lock()
	if quirk.Overwrites {
		l.stock.put(key.inCatalog(l.stock.catalog()), seen)
	}
}

// asSeen returns the hold as it was before the quirk's race let other calls in.
func (l *lifecycle) asSeen(h *storedHold, quirk Quirk) *storedHold {
	if quirk.Race == 0 {
		return h
	}
	l.lookAway(quirk, h.slot)
	seen := *h
	seen.slot = seen.slot.inCatalog(l.stock.catalog())
	return &seen
}

// currentHold returns the current hold, and reports whether a call other than the quirk's Against has
// changed it meanwhile.
func (l *lifecycle) currentHold(h *storedHold, quirk Quirk) (now *storedHold, changed bool) {
	if quirk.Against == "" {
		return h, false
	}
	now, ok := l.stock.state.holds.Get(h.Code)
	return now, ok && now.State != h.State && !strings.EqualFold(string(now.State), string(quirk.Against))
}

// tickets are what the guests show at the entrance (CNF-6): a code to scan, and a document to
// print.
func tickets(uuid string) []partnerapi.Ticket {
	return []partnerapi.Ticket{{
		RedemptionMethod: "DIGITAL",
		DeliveryOptions: []partnerapi.DeliveryOption{
			{DeliveryFormat: partnerapi.QRCode, DeliveryMethod: partnerapi.DeliverTicket, DeliveryValue: uuid},
			{DeliveryFormat: partnerapi.PDFURL, DeliveryMethod: partnerapi.DeliverVoucher, DeliveryValue: "https://tickets.example/" + uuid + ".pdf"},
		},
	}}
}

func clone(c *partnerapi.Contact) *partnerapi.Contact {
	if c == nil {
		return nil
	}
	return new(*c)
}

// holdlessExpiry is how far ahead a partner without holds sets expiresAt (RSV-8).
const holdlessExpiry = 24 * time.Hour

// maxHolds limits the holds, with their bookings, that a platform remembers. Beyond it the platform
// forgets the holds that ended first: their codes become unknown.
const maxHolds = 100_000
