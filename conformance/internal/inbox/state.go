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
	notified := w.Slot
	switch {
	case seats.Counted && notified.Vacancies != nil && *notified.Vacancies != seats.Left:
		return fmt.Sprintf("vacancies: availability has %d, the notification %d", seats.Left, *notified.Vacancies)
	case slot.Capacity != nil && notified.Capacity != nil && *slot.Capacity != *notified.Capacity:
		return fmt.Sprintf("capacity: availability has %d, the notification %d", *slot.Capacity, *notified.Capacity)
	case seats.Counted && seats.Left == 0 && (notified.Vacancies != nil || !notified.Status.IsBookable()):
		return "" // AVL-13 only advises which status a slot without seats has
	case slot.ID == "" && notified.Status.IsBookable():
		return fmt.Sprintf("status: availability does not have the slot, the notification has %s", notified.Status)
	case slot.ID != "" && kind(slot.Status) != kind(notified.Status):
		return fmt.Sprintf("status: availability has %s, the notification %s", slot.Status, notified.Status)
	default:
		return ""
	}
}

// kind returns the status, or AVAILABLE for every status in which a slot can be booked.
func kind(s partnerapi.SlotStatus) partnerapi.SlotStatus {
	if s.IsBookable() {
		return partnerapi.StatusAvailable
	}
	return s
}
