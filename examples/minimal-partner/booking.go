package main

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"sync"
	"time"
)

// holdLife is how long a customer has to pay (RSV-7 advises 15 to 30 minutes).
const holdLife = 20 * time.Minute

// platform is the company's reservation system, in memory. A real one stores the two maps in a
// database and makes each method a transaction.
type platform struct {
	products []product
	now      func() time.Time

	mu           sync.Mutex              // makes checking and taking seats one step; otherwise two customers could get the last seat
	reservations map[string]*reservation // holds and bookings, by reservation code
	bookings     map[string]*reservation // bookings only, by booking id
}

// reservation is seats of one slot: held until expiresAt, or booked.
type reservation struct {
	code      string
	slotID    string
	seats     int
	contact   *contact
	reference string
	expiresAt time.Time
	booking   object // the answer of confirm; nil while the seats are only held
}

func newPlatform(products []product, now func() time.Time) *platform {
	return &platform{
		products: products, now: now,
		reservations: map[string]*reservation{}, bookings: map[string]*reservation{},
	}
}

// isExpired reports whether a hold was not paid in time. Its seats are then free without a release
// (REL-7).
func (r *reservation) isExpired(now time.Time) bool {
	return r.booking == nil && !now.Before(r.expiresAt)
}

// takenSeats counts the held and booked seats of each slot and removes expired holds. Vacancies are
// always computed from the reservations, never stored. So no call can return a seat twice (REL-5,
// CAN-5).
func (p *platform) takenSeats() map[string]int {
	taken := map[string]int{}
	for code, r := range p.reservations {
		if r.isExpired(p.now()) {
			delete(p.reservations, code)
			continue
		}
		taken[r.slotID] += r.seats
	}
	return taken
}

// request is the body of POST /availability (AVL-1) and of POST /bookings/reserve (RSV-1).
type request struct {
	ProductID         string   `json:"productId"`
	OptionID          string   `json:"optionId"`
	LocalDateStart    string   `json:"localDateStart"`
	LocalDateEnd      string   `json:"localDateEnd"`
	AvailabilityID    string   `json:"availabilityId"`
	Units             []guests `json:"units"`
	Contact           *contact `json:"contact"`
	ResellerReference string   `json:"resellerReference"`
}

type contact struct {
	FullName     string `json:"fullName"`
	EmailAddress string `json:"emailAddress"`
	PhoneNumber  string `json:"phoneNumber"`
}

// find returns the requested option and the number of seats for its party.
func (p *platform) find(in request) (option, int, error) {
	for _, product := range p.products {
		for _, option := range product.Options {
			if product.ID == in.ProductID && option.ID == in.OptionID {
				seats, err := option.seats(in.Units)
				return option, seats, err
			}
		}
	}
	return option{}, 0, refusal(fmt.Sprintf("There is no product %.40q with an option %.40q.", in.ProductID, in.OptionID))
}

func (p *platform) availability(in request) ([]slot, error) {
	option, _, err := p.find(in)
	if err != nil {
		return nil, err
	}
	from, fromErr := time.Parse(time.DateOnly, in.LocalDateStart)
	to, toErr := time.Parse(time.DateOnly, in.LocalDateEnd)
	if fromErr != nil || toErr != nil || to.Before(from) {
		return nil, refusal("localDateStart and localDateEnd must be dates such as 2026-07-01, in this order.")
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.takenSeats()
	slots := option.slots(from, to, p.now())
	for i := range slots {
		s := &slots[i]
		s.Vacancies = s.Capacity - taken[s.ID]
		switch { // AVL-9
		case s.Vacancies == 0:
			s.Status = "SOLD_OUT"
		case s.Vacancies <= s.Capacity/4:
			s.Status = "LIMITED"
		default:
			s.Status = "AVAILABLE"
		}
	}
	return slots, nil
}

// reserve takes the party's seats immediately (RSV-3), or refuses and takes none (RSV-5).
func (p *platform) reserve(in request) (object, error) {
	option, seats, err := p.find(in)
	if err != nil {
		return nil, err
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	for _, s := range option.slots(time.Time{}, now.AddDate(1, 0, 0), now) { // all slots on sale
		if s.ID != in.AvailabilityID {
			continue
		}
		if left := s.Capacity - p.takenSeats()[s.ID]; seats > left {
			return nil, refusal(fmt.Sprintf("Sorry, there are not enough seats: %d left.", left))
		}
		code := rand.Text() // random: never reused (RSV-4) and impossible to guess
		expiresAt := now.Add(holdLife).UTC().Truncate(time.Second)
		p.reservations[code] = &reservation{code, s.ID, seats, in.Contact, in.ResellerReference, expiresAt, nil}
		return object{"reservationConfirmationCode": code, "expiresAt": expiresAt}, nil // RSV-2
	}
	return nil, refusal("Sorry, this start is not available.")
}

type confirmRequest struct { // CNF-1
	Code              string   `json:"reservationConfirmationCode"`
	Contact           *contact `json:"contact"`
	ResellerReference string   `json:"resellerReference"`
}

// confirm turns a hold into a booking; the number of seats does not change (CNF-7). A repeated call
// returns the same booking and books nothing (CNF-4).
func (p *platform) confirm(in confirmRequest) (object, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, ok := p.reservations[in.Code]
	if !ok || r.isExpired(p.now()) {
		return nil, refusal("This reservation is unknown, or has expired, or was released or cancelled.")
	}
	if r.booking == nil {
		var tickets []object // CNF-6
		for range r.seats {
			qr := object{"deliveryFormat": "QRCODE", "deliveryMethod": "TICKET", "deliveryValue": rand.Text()}
			tickets = append(tickets, object{"redemptionMethod": "DIGITAL", "deliveryOptions": []object{qr}})
		}
		id := rand.Text()
		p.bookings[id] = r
		r.booking = object{ // CNF-2; resellerReference is an additional field (GEN-2)
			"externalBookingId": id, "status": "CONFIRMED", "availabilityId": r.slotID,
			"contact": cmp.Or(in.Contact, r.contact), "resellerReference": cmp.Or(in.ResellerReference, r.reference),
			"tickets": tickets,
		}
	}
	return r.booking, nil
}

// release ends a hold. An unknown, expired or already released code is not an error: there is
// nothing to release (REL-4, REL-5).
func (p *platform) release(code string) object {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r, ok := p.reservations[code]; ok && r.booking != nil {
		return object{"success": false, "message": "The booking is unchanged: cancel it by its booking id."} // REL-6
	}
	delete(p.reservations, code)
	return object{"success": true} // REL-2
}

// cancel ends a booking. For an unknown or cancelled booking it does nothing (CAN-4, CAN-5).
func (p *platform) cancel(bookingID string) object {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r, ok := p.bookings[bookingID]; ok {
		delete(p.reservations, r.code) // its code cannot be confirmed again (CNF-5)
		delete(p.bookings, bookingID)
	}
	return object{"success": true} // CAN-2
}
