package partnerapi

// Webhooks go from a partner to the marketplace, below the URL
// {marketplace}/api/v1/partner-integrations/{integrationId}.
const (
	// WebhookSecretHeader is the header with the secret that registration returned (WHK-4).
	WebhookSecretHeader = "x-webhook-secret"

	SyncTriggerPath        = "/sync/trigger"
	AvailabilityNotifyPath = "/availability/notify"
)

// Notification is the body of POST /availability/notify, the current state of one slot (WHK-2).
type Notification struct {
	ProductID          string        `json:"productId"`
	OptionID           string        `json:"optionId"`
	AvailabilityID     string        `json:"availabilityId"`
	LocalDateTimeStart string        `json:"localDateTimeStart"`         // ISO 8601 with offset
	LocalDateTimeEnd   string        `json:"localDateTimeEnd,omitempty"` // ISO 8601 with offset
	Status             SlotStatus    `json:"status"`
	Vacancies          *int          `json:"vacancies,omitempty"`  // without capacity it sets both
	Capacity           *int          `json:"capacity,omitempty"`   // total seats
	UnitPricing        []UnitPricing `json:"unitPricing,omitzero"` // nil is absent; empty is also lawful
}

// Notification returns the notification of the slot's state, for that product and option.
func (s Slot) Notification(productID, optionID string) Notification {
	return Notification{
		ProductID:          productID,
		OptionID:           optionID,
		AvailabilityID:     s.ID,
		LocalDateTimeStart: s.LocalDateTimeStart,
		LocalDateTimeEnd:   s.LocalDateTimeEnd,
		Status:             s.Status,
		Vacancies:          s.Vacancies,
		Capacity:           s.Capacity,
		UnitPricing:        s.UnitPricing,
	}
}
