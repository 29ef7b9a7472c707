package domain

import "github.com/google/uuid"

// Mode says whether bookings are real. An integration's mode never changes, and it applies to its
// activities, their bookings and their events.
type Mode string

// The modes. A caller of one mode never sees or changes anything of the other.
const (
	Live Mode = "live"
	Test Mode = "test"
)

// Scope is what a caller may see and change: an account's data in one mode. An empty field does not
// restrict.
type Scope struct {
	Account uuid.UUID
	Mode    Mode
}

// Includes reports whether an account's data in a mode is within the scope.
func (s Scope) Includes(account uuid.UUID, mode Mode) bool {
	return (s.Account == uuid.Nil || s.Account == account) && (s.Mode == "" || s.Mode == mode)
}
