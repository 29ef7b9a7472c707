package catalog

import (
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// Notification is a partner's report of one slot (WHK-2).
type Notification struct {
	ProductID, OptionID string // the partner's ids
	domain.SlotUpdate
}

// ReadNotification parses a notification that arrived at that time. The error is Invalid, with a
// detail for each invalid field.
func ReadNotification(body []byte, at time.Time) (Notification, error) {
	if len(body) == 0 {
		body = []byte("{}") // so that every missing field is named
	}
	f, problems := readFields(schemas.AvailabilityNotifyRequest, body)
	if problems != nil {
		return Notification{}, wrongNotification(problems)
	}
	read := Notification{ProductID: f.text("productId"), OptionID: f.text("optionId"), SlotUpdate: domain.SlotUpdate{
		At: at, ID: f.text("availabilityId"), Start: f.moment("localDateTimeStart"), End: f.moment("localDateTimeEnd"), Status: partnerapi.SlotStatus(f.text("status")),
		Vacancies: f.seats("vacancies"), Capacity: f.seats("capacity"), UnitPricing: f.prices("unitPricing"),
	}}
	if problems := checkOrder(read.Start, read.End); problems != nil {
		return Notification{}, wrongNotification(problems)
	}
	return read, nil
}

func wrongNotification(problems []schemas.Problem) error {
	wrong := &domain.Error{Code: domain.Invalid, Message: "invalid notification"}
	for _, problem := range problems[:min(len(problems), mostProblems)] {
		wrong.Details = append(wrong.Details, problem.String())
	}
	return wrong
}

// KnownSlot is what is stored about a notified slot.
type KnownSlot struct {
	VariationID uuid.UUID
	TimeZone    string // the product's
	Active      bool   // product and option are in the partner's catalog
	Slot        *domain.Slot
	// KnownAt is the age of what is known: the slot's last notification or its option's last
	// complete pull, whichever is later. It is zero if nothing is known.
	KnownAt time.Time
}

// NotifyStore stores notified slots.
type NotifyStore interface {
	// UpdateSlot calls decide with what is known about the slot and writes its result in the same
	// transaction, which alone writes the option's slots. It writes nothing for nil. The error is
	// NotFound if the option is unknown.
	UpdateSlot(ctx context.Context, integration uuid.UUID, n Notification, decide func(KnownSlot) (*domain.Slot, error)) error
	// AskForSyncs requests syncs in the background. Several requests for one integration are
	// combined while one waits.
	AskForSyncs(ctx context.Context, requests ...SyncRequest) error
}

// Notifier stores partners' notifications. It is safe for concurrent use.
type Notifier struct{ store NotifyStore }

// NewNotifier returns a notifier.
func NewNotifier(store NotifyStore) *Notifier { return &Notifier{store} }

// Notify stores a notification immediately. It requests a full sync if the option is unknown or no
// longer in the catalog.
func (n *Notifier) Notify(ctx context.Context, integration uuid.UUID, notification Notification) error {
	unknown := false
	err := n.store.UpdateSlot(ctx, integration, notification, func(known KnownSlot) (*domain.Slot, error) {
		unknown = !known.Active
		if known.KnownAt.After(notification.At) {
			return nil, nil
		}
		zone, err := time.LoadLocation(known.TimeZone)
		if err != nil {
			return nil, err
		}
		before := known.Slot
		if before == nil {
			before = &domain.Slot{VariationID: known.VariationID}
		}
		return new(before.With(notification.SlotUpdate, zone)), nil
	})
	if domain.CodeOf(err) == domain.NotFound {
		unknown, err = true, nil
	}
	if err != nil || !unknown {
		return err
	}
	return n.store.AskForSyncs(ctx, SyncRequest{Integration: integration, Mode: Full, Cause: ByNotify})
}
