package judge

// Given is the codes and booking ids that the stories of a run were given: each must be new.
type Given map[string]bool

// The fields of answers whose values must be new.
const codeField, bookingField = "reservationConfirmationCode", "externalBookingId"

// Forget forgets a code and a booking id.
func (g Given) Forget(code, bookingID string) {
	delete(g, codeField+code)
	delete(g, bookingField+bookingID)
}
