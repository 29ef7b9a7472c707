package schedules

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// view is a replica's connection to the database. Each call is a step.
type view struct{ *replica }

// write performs a write.
func (v view) write(ctx context.Context, op string, apply func() error) error {
	v.begin()
	defer v.end()
	did, err := v.step(ctx, op, v.world.database.palette().writes)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	switch did {
	case failsBefore:
		return errConnection
	case failsAfter:
		_ = apply()
		return errConnection
	case losesReply:
		_ = apply()
		sleep(ctx, 15*time.Minute)
		v.waitAwake()
		return errConnection
	case ghost:
		time.AfterFunc(5*time.Second, func() { _ = apply() })
		return errConnection
	case late40:
		if !sleep(ctx, 40*time.Second) {
			v.waitAwake()
			return ctx.Err()
		}
		err := apply()
		v.waitAwake()
		return err
	}
	err = apply()
	if by := did.holds(); by > 0 && !sleep(ctx, by) {
		err = ctx.Err()
	}
	v.waitAwake()
	return err
}

// wroteKey is the result of writing a key.
type wroteKey struct {
	key  booking.Key
	done bool
}

// writeKey writes a key. A late result is not read.
func (v view) writeKey(ctx context.Context, op string, apply func() (booking.Key, bool)) (wroteKey, error) {
	var got atomic.Pointer[wroteKey]
	err := v.write(ctx, op, func() error {
		key, done := apply()
		got.Store(&wroteKey{key, done})
		return nil
	})
	if err != nil {
		return wroteKey{}, err
	}
	return *got.Load(), nil
}

// look performs a read.
func look[T any](ctx context.Context, v view, op string, read func() (T, error)) (T, error) {
	v.begin()
	defer v.end()
	var none T
	did, err := v.step(ctx, op, v.world.database.palette().reads)
	if err != nil {
		return none, err
	}
	if err := ctx.Err(); err != nil {
		return none, err
	}
	if did == failsBefore {
		return none, errConnection
	}
	found, err := read()
	if by := did.holds(); by > 0 && !sleep(ctx, by) {
		found, err = none, ctx.Err()
	}
	v.waitAwake()
	return found, err
}

func (d *database) palette() palette { return d.world.platform.palette }

func (v view) IsAffiliate(ctx context.Context, _ uuid.UUID) (bool, error) {
	return look(ctx, v, "read the affiliate", func() (bool, error) { return true, nil })
}

func (v view) Booking(ctx context.Context, id uuid.UUID) (booking.Record, error) {
	return look(ctx, v, "read the booking", func() (booking.Record, error) {
		v.looks(ctx)
		return v.world.database.read(id)
	})
}

func (v view) DueBookings(ctx context.Context, takeOver time.Duration, _ int) (booking.Due, error) {
	return look(ctx, v, "read what is due", func() (booking.Due, error) { return v.world.database.dueBookings(takeOver), nil })
}

func (v view) CreateBooking(ctx context.Context, b domain.Booking, reserve booking.Call, k booking.Key, f booking.Fresh) error {
	v.begins(ctx, partnerapi.Reserve, reserve.ID)
	return v.write(ctx, "record the checkout", func() error { return v.world.database.create(b, reserve, k, f) })
}

// Histories is no step: a reschedule that cannot read its history has stored its result, as when its answer is lost.
func (v view) Histories(context.Context, []uuid.UUID) (map[uuid.UUID][]domain.HistoryEntry, error) {
	return nil, nil
}

func (v view) KeepFresh(ctx context.Context, f booking.Fresh) error {
	return v.write(ctx, "keep the slot", func() error { return v.world.database.keepFresh(f) })
}

func (v view) HasCall(ctx context.Context, call uuid.UUID) (bool, error) {
	return look(ctx, v, "look for the call", func() (bool, error) { return v.world.database.has(call), nil })
}

func (v view) SaveBooking(ctx context.Context, c booking.Change, version int64) error {
	if c.Begins != nil {
		v.begins(ctx, c.Begins.Endpoint, c.Begins.ID)
	}
	return v.write(ctx, "save the booking", func() error {
		v.looks(ctx)
		return v.world.database.save(c, version)
	})
}

func (v view) Claim(ctx context.Context, k booking.Key, _, _ uuid.UUID, slot string) (o booking.Offer, stored booking.Key, claimed bool, err error) {
	if k.Key == "" {
		o, err = look(ctx, v, "read the offer", func() (booking.Offer, error) { return v.world.offer(slot), nil })
		return o, k, true, err
	}
	got, err := v.writeKey(ctx, "claim the key", func() (booking.Key, bool) { return v.world.database.claim(k) })
	return v.world.offer(slot), got.key, got.done, err
}

func (v view) ReclaimKey(ctx context.Context, k, before booking.Key) (stored booking.Key, taken bool, err error) {
	got, err := v.writeKey(ctx, "take over the key", func() (booking.Key, bool) { return v.world.database.reclaim(k, before) })
	return got.key, got.done, err
}

func (v view) SettleKey(ctx context.Context, k booking.Key) error {
	return v.write(ctx, "settle the key", func() error { return v.world.database.settle(k) })
}

func (v view) FreeKey(ctx context.Context, k booking.Key) error {
	return v.write(ctx, "free the key", func() error { return v.world.database.free(k) })
}

// begins stores which call a task has recorded, or tried to.
func (r *replica) begins(ctx context.Context, endpoint partnerapi.Endpoint, call uuid.UUID) {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	r.current[taskOf(ctx).name+string(endpoint)] = call
}

// looks stores when a task has read the stored booking.
func (r *replica) looks(ctx context.Context) {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	r.looked[taskOf(ctx).name] = time.Now()
}

// lastCall returns the call that a task recorded last.
func (r *replica) lastCall(ctx context.Context, endpoint partnerapi.Endpoint) uuid.UUID {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	return r.current[taskOf(ctx).name+string(endpoint)]
}
