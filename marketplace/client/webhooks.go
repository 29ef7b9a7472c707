package client

import (
	"context"
	"errors"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Webhooks are what a partner's platform tells the marketplace of itself. It is safe for
// concurrent use.
type Webhooks struct {
	c           *connection
	integration string
}

// NewWebhooks returns the webhooks of an integration, with the secret that its
// registration has shown. The address is the marketplace's. Nothing is called yet.
func NewWebhooks(marketplace, integration string, secret Secret, o Options) (*Webhooks, error) {
	c, err := connect(marketplace, Credentials{func(*connection) (authorizer, error) {
		if integration == "" || secret == "" {
			return authorizer{}, errors.New("webhooks: expected an integration's id and its webhook secret")
		}
		return fixedHeader("x-webhook-secret", secret), nil
	}}, o)
	if err != nil {
		return nil, err
	}
	return &Webhooks{c, integration}, nil
}

// Pull is what came of a pull of the whole catalog.
type Pull struct {
	Synced  int  `json:"synced"`  // products that are stored
	Skipped bool `json:"skipped"` // the catalog is that of the pull before: nothing was written
}

// Trigger has the marketplace pull the platform's whole catalog: for products that are
// new, gone or changed, or when many slots have changed. It returns once the catalog is
// stored; the slots follow. The *Error is 502 or 504 where the platform fails, or is
// late, with the reason in its words.
func (w *Webhooks) Trigger(ctx context.Context) (Pull, error) {
	return call[Pull](ctx, w.c, post(path("partner-integrations", w.integration, "sync", "trigger"), nil))
}

// Notification is the news of one slot.
type Notification struct {
	ProductID          string                   `json:"productId"`
	OptionID           string                   `json:"optionId"`
	AvailabilityID     string                   `json:"availabilityId"`
	LocalDateTimeStart time.Time                `json:"localDateTimeStart"`        // in the product's zone
	LocalDateTimeEnd   time.Time                `json:"localDateTimeEnd,omitzero"` // zero: it is not told
	Status             partnerapi.SlotStatus    `json:"status"`
	Vacancies          *int                     `json:"vacancies,omitempty"` // seats left; without a capacity it is both
	Capacity           *int                     `json:"capacity,omitempty"`  // seats in all
	UnitPricing        []partnerapi.UnitPricing `json:"unitPricing,omitzero"`
}

// Notify reports a change of one slot, which is stored immediately. If the slot's option
// is not known, the marketplace pulls the catalog in the background. The answer is true
// in both cases.
func (w *Webhooks) Notify(ctx context.Context, n Notification) (updated bool, err error) {
	a, err := call[notified](ctx, w.c, post(path("partner-integrations", w.integration, "availability", "notify"), n))
	return a.Updated, err
}

type notified struct {
	Updated bool `json:"updated"`
}
