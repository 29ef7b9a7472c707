package platform

import "fmt"

// Kind says why a platform refuses.
type Kind string

const (
	// UnknownID: there is no such product, option, slot or unit.
	UnknownID Kind = "unknown_id"
	// BadRequest: the request makes no sense, such as a window that ends
	// before it starts.
	BadRequest Kind = "bad_request"
	// Unavailable: the slot cannot be booked, or has too few seats (RSV-5).
	Unavailable Kind = "unavailable"
	// NoLiveHold: the code is unknown, released, expired or cancelled (CNF-5).
	NoLiveHold Kind = "no_live_hold"
	// Full: the platform keeps as many holds and bookings as it can.
	Full Kind = "full"
)

// Refusal is the error of a request that the platform refuses. Nothing has
// changed then.
type Refusal struct {
	Kind    Kind
	Message string // for the customer or the caller, never empty
}

func (r *Refusal) Error() string { return r.Message }

func refuse(kind Kind, format string, args ...any) error {
	return &Refusal{Kind: kind, Message: fmt.Sprintf(format, args...)}
}
