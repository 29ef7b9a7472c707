package client

import "context"

// BookingQuery says which bookings an operator wants.
type BookingQuery struct {
	Status    BookingStatus // "": all
	Attention bool          // those alone that need an operator
	Reseller  string        // an account's id; "": everybody's
	Named     string        // by that id, that reference of the reseller's, or that booking id of the partner's
}

// Bookings are everybody's bookings, and the checkouts that have made none, the newest
// first.
func (o *Operator) Bookings(q BookingQuery) List[Booking] {
	attention := ""
	if q.Attention {
		attention = "true"
	}
	return List[Booking]{o.c, path("operator", "bookings"), queryOf("status", string(q.Status), "attention", attention, "reseller", q.Reseller, "q", q.Named)}
}

// Booking reads a booking as it stands.
func (o *Operator) Booking(ctx context.Context, booking string) (Booking, error) {
	return call[Booking](ctx, o.c, get(path("operator", "bookings", booking), nil))
}

// Confirm tries to confirm a paid booking again, and waits for what comes of it.
func (o *Operator) Confirm(ctx context.Context, booking string) (Booking, error) {
	return o.settle(ctx, booking, MayConfirm, nil)
}

// Cancel calls a paid or a confirmed booking off; the money goes back outside of the
// marketplace. The partner reads the reason, which may be "".
func (o *Operator) Cancel(ctx context.Context, booking, reason string) (Booking, error) {
	return o.settle(ctx, booking, MayCancel, cancelRequest{reason})
}

// Deliver has a release or a cancellation sent again that was given up.
func (o *Operator) Deliver(ctx context.Context, booking string) (Booking, error) {
	return o.settle(ctx, booking, MayDeliver, nil)
}

// Resolve ends the attention of a booking that was seen to elsewhere.
func (o *Operator) Resolve(ctx context.Context, booking string) (Booking, error) {
	return o.settle(ctx, booking, MayResolve, nil)
}

func (o *Operator) settle(ctx context.Context, booking string, action Action, body any) (Booking, error) {
	return call[Booking](ctx, o.c, post(path("operator", "bookings", booking, string(action)), body))
}
