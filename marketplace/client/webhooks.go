package client

import (
	"context"
	"errors"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Webhooks sends the webhooks of a partner's platform to the marketplace. It is safe for concurrent
// use.
type Webhooks struct {
	c           *connection
	integration string
}

// NewWebhooks returns a sender for an integration, with the secret from its registration. The
// address is the marketplace's. It makes no call.
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

// Pull is the result of a catalog pull.
type Pull struct {
	Skipped bool `json:"skipped"` // the catalog has not changed, so nothing was written
	Synced  int  `json:"synced"`  // products that were stored
}

// Trigger makes the marketplace pull the platform's whole catalog: use it when products change, or
// many slots. It returns when the catalog is stored. Slots are loaded afterwards. The *Error is 502
// if the platform fails and 504 if it is too slow; its message says why.
func (w *Webhooks) Trigger(ctx context.Context) (Pull, error) {
	return call[Pull](ctx, w.c, post(path("partner-integrations", w.integration, "sync", "trigger"), nil))
}

// Notification describes a change of one slot.
type Notification struct {
	ProductID          string                   `json:"productId"`
	OptionID           string                   `json:"optionId"`
	AvailabilityID     string                   `json:"availabilityId"`
	LocalDateTimeStart time.Time                `json:"localDateTimeStart"`        // in the product's zone
	LocalDateTimeEnd   time.Time                `json:"localDateTimeEnd,omitzero"` // zero: not sent
	Status             partnerapi.SlotStatus    `json:"status"`
	Vacancies          *int                     `json:"vacancies,omitempty"` // free seats; without a capacity also the total
	Capacity           *int                     `json:"capacity,omitempty"`  // total seats
	UnitPricing        []partnerapi.UnitPricing `json:"unitPricing,omitzero"`
}

// Notify reports a change of one slot, which is stored immediately. If the slot's option is
// unknown, the marketplace pulls the catalog in the background. The answer is true in both cases.
func (w *Webhooks) Notify(ctx context.Context, n Notification) (updated bool, err error) {
	a, err := call[notified](ctx, w.c, post(path("partner-integrations", w.integration, "availability", "notify"), n))
	return a.Updated, err
}

type notified struct {
	Updated bool `json:"updated"`
}
