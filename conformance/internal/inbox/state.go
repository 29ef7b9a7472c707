package inbox

import (
	"fmt"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/schemas/partnerapi"
)

// Differs returns how the state in a notification differs from a slot as availability has it, or ""
// if the two agree. seats are those of the slot. A slot that availability leaves out (its id is "")
// cannot be booked (AVL-14).
//
// AVAILABLE, LIMITED and FREESALE count as the same: where few seats begin is the partner's choice.
func (w *Webhook) Differs(slot discover.Slot, seats discover.Seats) string {
	said := w.Slot
	switch {
	case seats.Counted && said.Vacancies != nil && *said.Vacancies != seats.Left:
		return fmt.Sprintf("vacancies: availability has %d, the notification %d", seats.Left, *said.Vacancies)
	case slot.Capacity != nil && said.Capacity != nil && *slot.Capacity != *said.Capacity:
		return fmt.Sprintf("capacity: availability has %d, the notification %d", *slot.Capacity, *said.Capacity)
	case seats.Counted && seats.Left == 0 && (said.Vacancies != nil || !said.Status.Bookable()):
		return "" // AVL-13 only advises which status a slot without seats has
	case slot.ID == "" && said.Status.Bookable():
		return fmt.Sprintf("status: availability does not have the slot, the notification has %s", said.Status)
	case slot.ID != "" && kind(slot.Status) != kind(said.Status):
		return fmt.Sprintf("status: availability has %s, the notification %s", slot.Status, said.Status)
	default:
		return ""
	}
}

// kind returns the status, or AVAILABLE for every status in which a slot can be booked.
func kind(s partnerapi.SlotStatus) partnerapi.SlotStatus {
	if s.Bookable() {
		return partnerapi.StatusAvailable
	}
	return s
}
