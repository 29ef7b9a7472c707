package catalog

import (
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas"
)

// Notification is news of one slot (WHK-2), and what it is a slot of.
type Notification struct {
	ProductID, OptionID string // the partner's
	marketplace.SlotNews
}

// ReadNotification reads the body of a notification that came at that time. The error
// is Invalid, with a detail for each field that is wrong.
func ReadNotification(body []byte, at time.Time) (Notification, error) {
	if len(body) == 0 {
		body = []byte("{}") // every field that is missing is named
	}
	f, problems := readFields(schemas.AvailabilityNotifyRequest, body)
	if problems != nil {
		return Notification{}, wrongNotification(problems)
	}
	read := Notification{ProductID: f.id("productId"), OptionID: f.id("optionId"), SlotNews: marketplace.SlotNews{
		At: at, ID: f.id("availabilityId"), Start: f.moment("localDateTimeStart"), End: f.moment("localDateTimeEnd"), Status: f.status("status"),
		Vacancies: f.seats("vacancies"), Capacity: f.seats("capacity"), UnitPricing: f.prices("unitPricing"),
	}}
	f.inOrder(read.Start, read.End)
	if f.problems != nil {
		return Notification{}, wrongNotification(f.problems)
	}
	return read, nil
}

func wrongNotification(problems []schemas.Problem) error {
	wrong := &marketplace.Error{Code: marketplace.Invalid, Message: "invalid notification"}
	for _, problem := range problems[:min(len(problems), mostProblems)] {
		wrong.Details = append(wrong.Details, problem.String())
	}
	return wrong
}

// KnownSlot is what is stored of a slot that news has come of.
type KnownSlot struct {
	VariationID uuid.UUID
	TimeZone    string // the product's
	Active      bool   // product and option are in the partner's catalog
	Slot        *marketplace.Slot
	// SaidAt is how old what is known is: the slot's own news, or its option's last
	// complete pull, whichever is later; zero: nothing is known.
	SaidAt time.Time
	// Length is how long the option's slot nearest to the news is, where the slot
	// itself is not known; 0 if there is no such slot.
	Length time.Duration
}

// NotifyStore keeps slots that are notified.
type NotifyStore interface {
	// UpdateSlot has decide say what becomes of the slot that news is of, and writes
	// that in the transaction that it was read in, the only one to write the option's
	// slots; nil writes nothing. The error is NotFound where the option is not known.
	UpdateSlot(ctx context.Context, integration uuid.UUID, n Notification, decide func(KnownSlot) (*marketplace.Slot, error)) error
	// AskForSyncs has syncs made in the background: of several requests for
	// one integration the later ones join the one that waits.
	AskForSyncs(ctx context.Context, requests ...SyncRequest) error
}

// Notifier takes partners' news of slots. It is safe for concurrent use.
type Notifier struct{ store NotifyStore }

// NewNotifier returns a notifier.
func NewNotifier(store NotifyStore) *Notifier { return &Notifier{store} }

// Notify stores news of a slot immediately. Where the catalog has to be pulled to know the
// slot, a full sync is asked for: the option is not known or not in the catalog any
// more, or the slot is new, without an end, and no other tells how long it may be.
func (n *Notifier) Notify(ctx context.Context, integration uuid.UUID, news Notification) error {
	unknown := false
	err := n.store.UpdateSlot(ctx, integration, news, func(known KnownSlot) (*marketplace.Slot, error) {
		unknown = !known.Active
		if known.SaidAt.After(news.At) {
			return nil, nil
		}
		zone, err := time.LoadLocation(known.TimeZone)
		if err != nil {
			return nil, err
		}
		before := known.Slot
		if before == nil {
			before = &marketplace.Slot{VariationID: known.VariationID, End: time.Time{}.Add(known.Length)}
		}
		after := before.With(news.SlotNews, zone)
		if !after.End.After(after.Start) || after.End.Year() > lastYear {
			unknown = true
			return nil, nil
		}
		return &after, nil
	})
	if marketplace.CodeOf(err) == marketplace.NotFound {
		unknown, err = true, nil
	}
	if err != nil || !unknown {
		return err
	}
	return n.store.AskForSyncs(ctx, SyncRequest{Integration: integration, Mode: Full, Cause: ByNotify})
}
