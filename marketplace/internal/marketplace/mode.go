package marketplace

import "github.com/google/uuid"

// Mode says whether bookings are real. An integration has one for its whole life, and so
// do its activities, their bookings and the events about them.
type Mode string

// The modes. A caller of one never sees or changes what is of the other.
const (
	Live Mode = "live"
	Test Mode = "test"
)

// Scope is what a caller may see and change: what belongs to an account, in one mode. A
// part that is empty does not restrict it.
type Scope struct {
	Account uuid.UUID
	Mode    Mode
}

// Includes reports whether what belongs to an account, in a mode, is within the scope.
func (s Scope) Includes(account uuid.UUID, mode Mode) bool {
	return (s.Account == uuid.Nil || s.Account == account) && (s.Mode == "" || s.Mode == mode)
}
