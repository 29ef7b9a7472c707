package schedules

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// database is what the replicas share, with the semantics of the SQL in package postgres.
// TestTheDatabaseInMemoryIsPostgreSQL compares the two.
type database struct {
	world *world
	now   func() time.Time
	mu    sync.Mutex
	rows  map[uuid.UUID]*row
	keys  map[string]*booking.Key
	slots map[string]*slotRow // by availability id
	queue []*job
	woken chan struct{} // a job was inserted
}

// row is a booking with its payments and the calls of its history.
type row struct {
	booking.Record
	calls []*recorded
}

// recorded is a call in a booking's history.
type recorded struct {
	booking.Call
	at    time.Time // by the database's clock
	ended *booking.CallEnd
	over  time.Time // when that was stored
}

func newDatabase(w *world) *database {
	return &database{world: w, now: time.Now, rows: map[uuid.UUID]*row{}, keys: map[string]*booking.Key{}, slots: map[string]*slotRow{}, woken: make(chan struct{}, 1)}
}

func notFound(what string) error {
	return &domain.Error{Code: domain.NotFound, Message: what + " not found"}
}

func (d *database) read(id uuid.UUID) (booking.Record, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := d.rows[id]
	if found == nil {
		return booking.Record{}, notFound("booking")
	}
	return cloneRecord(found.Record), nil
}

func cloneRecord(r booking.Record) booking.Record {
	r.Attention, r.Payments, r.Guests = slices.Clone(r.Attention), slices.Clone(r.Payments), slices.Clone(r.Guests)
	return r
}

func (d *database) create(b domain.Booking, reserve booking.Call, k booking.Key, f booking.Fresh) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var old *row
	var change booking.Change
	if b.RescheduledFrom != uuid.Nil {
		var err error
		if old, change, err = d.changeOld(b, reserve.At); err != nil {
			return err
		}
	}
	if k.Key != "" {
		known := d.ownedKey(k)
		if known == nil || known.Answer.Body != nil {
			return booking.ErrNotOwner
		}
		known.Made = true
	}
	if d.rows[b.ID] != nil {
		return fmt.Errorf("bookings_pkey: %s is there already", b.ID)
	}
	if old != nil {
		d.apply(old, change)
	}
	d.rows[b.ID] = &row{
		Record: booking.Record{Booking: b, Version: 1, Integration: integration, Health: partnerapi.Healthy}, calls: []*recorded{{Call: reserve, at: d.now()}},
	}
	d.keep(f)
	return nil
}

// save writes a change completely, or not at all.
func (d *database) save(c booking.Change, version int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.rows[c.Booking.ID]
	if r == nil || r.Version != version {
		return booking.ErrStale
	}
	var key *booking.Key
	if c.Answers != nil {
		if key = d.ownedKey(*c.Answers); key == nil {
			return booking.ErrNotOwner
		}
	}
	if err := d.checkConstraints(r, c); err != nil {
		return err
	}
	if c.ChangesOld {
		old, change, err := d.changeOld(c.Booking, c.At)
		if err != nil {
			return err
		}
		d.apply(r, c)
		d.apply(old, change)
	} else {
		d.apply(r, c)
	}
	if key != nil && c.Answers.Answer.Body != nil {
		key.Answer = c.Answers.Answer
	}
	d.world.checkReschedules()
	return nil
}

// changeOld returns the old booking of a reschedule and its change. The database is locked.
func (d *database) changeOld(by domain.Booking, at time.Time) (*row, booking.Change, error) {
	old := d.rows[by.RescheduledFrom]
	c, err := booking.ChangeOld(old.Booking, by, at)
	if err != nil {
		return old, c, err
	}
	return old, c, d.checkConstraints(old, c)
}

// apply writes a change that was checked. The database is locked.
func (d *database) apply(r *row, c booking.Change) {
	before := r.Booking
	r.Booking, r.Version = cloneRecord(booking.Record{Booking: c.Booking}).Booking, r.Version+1
	if p := c.Payment; p != nil && !slices.ContainsFunc(r.Payments, func(known domain.Payment) bool {
		return known.Reference == p.Reference && known.Succeeded == p.Succeeded
	}) {
		r.Payments = append(r.Payments, *p)
	}
	if c.Begins != nil {
		r.calls = append(r.calls, &recorded{Call: *c.Begins, at: d.now()})
	}
	if c.Ends != nil {
		for _, call := range r.calls {
			if call.ID == c.Ends.ID {
				call.ended, call.over = c.Ends, d.now()
			}
		}
	}
	d.count(before, c.Seats)
	for _, j := range c.Jobs {
		d.insert(j)
	}
	d.world.checkMove(before, r.Booking)
}

// checkConstraints checks what the constraints of the tables check.
func (d *database) checkConstraints(r *row, c booking.Change) error {
	b := c.Booking
	paid := b.Status == domain.Paid || b.Status == domain.Confirmed || b.Status == domain.Cancelled
	made := b.Status != domain.Reserving && b.Status != domain.Refused && b.Status != domain.Lost
	open := 0
	for _, call := range r.calls {
		if c.Begins != nil && call.ID == c.Begins.ID {
			return fmt.Errorf("booking_history_call: %s is there already", call.ID)
		}
		if call.Endpoint == partnerapi.Confirm && call.ended == nil && (c.Ends == nil || c.Ends.ID != call.ID) {
			open++
		}
	}
	if c.Begins != nil && c.Begins.Endpoint == partnerapi.Confirm {
		open++
	}
	switch {
	case paid != (b.PaymentReference != ""):
		return fmt.Errorf("bookings_paid: %s with %q", b.Status, b.PaymentReference)
	case made && b.Code == "":
		return fmt.Errorf("bookings_held: %s without a code", b.Status)
	case b.Status == domain.Held && b.ExpiresAt.IsZero():
		return fmt.Errorf("bookings_expire")
	case b.Status == domain.Confirmed && b.ExternalBookingID == "":
		return fmt.Errorf("bookings_confirmed")
	case b.Status == domain.Released && (b.Release == "" || b.Reason == ""):
		return fmt.Errorf("bookings_released")
	case b.ConfirmCall != uuid.Nil && (b.Status != domain.Paid || b.Release != ""):
		return fmt.Errorf("bookings_no_confirm_after_release")
	case open > 1 && c.Begins != nil:
		return fmt.Errorf("booking_history_one_confirm")
	}
	for _, other := range d.rows {
		if b.Code != "" && other.Code == b.Code && other.ID != b.ID {
			return &domain.Error{Code: domain.Conflict, Message: "the partner reused a code"}
		}
	}
	return nil
}

// dueBookings returns the bookings that a sweep must handle.
func (d *database) dueBookings(takeOver time.Duration) (due booking.Due) {
	now := d.now()
	stale := now.Add(-takeOver)
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, r := range d.rows {
		if r.Status == domain.Held && !r.ExpiresAt.After(now) {
			due.Expired = append(due.Expired, id)
		}
		for _, call := range r.calls {
			switch {
			case call.Endpoint == partnerapi.Reserve && r.Status == domain.Reserving && !call.at.After(stale):
				due.Reserves = append(due.Reserves, booking.CallOf{Booking: id, Call: call.ID})
			case call.Endpoint == partnerapi.Confirm && call.ended == nil && !call.at.After(stale):
				due.Confirms = append(due.Confirms, booking.CallOf{Booking: id, Call: call.ID})
			}
		}
	}
	for _, j := range d.queue {
		if j.state == discarded && d.waitsFor(j) {
			due.Dropped = append(due.Dropped, booking.DroppedJob{Booking: j.booking, Kind: j.kind, Job: int64(j.id), Tries: j.tries})
		}
	}
	return due
}

// waitsFor reports whether a discarded job's booking still waits for that job only.
func (d *database) waitsFor(j *job) bool {
	b := d.rows[j.booking].Booking
	waits := false
	switch j.kind {
	case booking.ReleaseJob:
		waits = b.Release == domain.Pending
	case booking.CancelJob:
		waits = b.Cancellation == domain.Pending
	case booking.ConfirmJob:
		waits = b.Status == domain.Paid && b.ConfirmCall == uuid.Nil && b.Release == "" && !needsOperator(b)
	}
	return waits && !slices.ContainsFunc(d.queue, func(other *job) bool {
		return other.kind == j.kind && other.booking == j.booking && other.isAlive()
	})
}

// needsOperator reports whether a paid booking has attention that prevents its automatic
// confirmation.
func needsOperator(b domain.Booking) bool {
	return slices.ContainsFunc(b.Attention, func(a domain.Attention) bool {
		return a.Reason == domain.ConfirmRefused || a.Reason == domain.ConfirmUnknown || a.Reason == domain.LatePayment
	})
}

// ownedKey returns the key of a request while the request owns it.
func (d *database) ownedKey(k booking.Key) *booking.Key {
	known := d.keys[k.Key]
	if known == nil || known.Account != k.Account || !known.AskedAt.Equal(k.AskedAt) {
		return nil
	}
	return known
}

func (d *database) claim(k booking.Key) (stored booking.Key, claimed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.keys[k.Key]
	if claimed = known == nil; claimed {
		k.AskedAt = d.now()
		known = &k
		d.keys[k.Key] = known
	}
	stored = *known
	stored.Age, stored.Made = d.now().Sub(stored.AskedAt), stored.Made || d.rows[stored.Booking] != nil
	return stored, claimed
}

func (d *database) reclaim(k, before booking.Key) (booking.Key, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.ownedKey(before)
	if known == nil || (known.Answer.Body == nil) != (before.Answer.Body == nil) || (known.Made || d.rows[known.Booking] != nil) != before.Made {
		return k, false
	}
	if k.AskedAt = d.now(); !k.AskedAt.After(known.AskedAt) {
		k.AskedAt = known.AskedAt.Add(time.Microsecond)
	}
	stored := k
	d.keys[k.Key] = &stored
	return k, true
}

func (d *database) settle(k booking.Key) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.ownedKey(k)
	switch {
	case k.Answer.Body == nil && known == nil:
	case known == nil || known.Answer.Body != nil:
		return booking.ErrNotOwner
	case k.Answer.Body != nil:
		known.Answer = k.Answer
	default:
		if r := d.rows[k.Booking]; r == nil || r.Status == domain.Refused {
			delete(d.keys, k.Key)
		}
	}
	return nil
}

// free deletes a key that was stored for a booking which was not begun.
func (d *database) free(k booking.Key) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.keys[k.Key]; known != nil && known.Booking == k.Booking && known.Answer.Body == nil && !known.Made && d.rows[k.Booking] == nil {
		delete(d.keys, k.Key)
	}
	return nil
}

// has reports whether a call is recorded.
func (d *database) has(call uuid.UUID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.rows {
		if slices.ContainsFunc(r.calls, func(c *recorded) bool { return c.ID == call }) {
			return true
		}
	}
	return false
}
