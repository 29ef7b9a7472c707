package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"partnerkit.dev/mockpartner/internal/platform"
)

// Slots are the starts of a sandbox's options.
type Slots struct{ sandbox *sandbox }

// SlotQuery chooses slots. What is left out is the catalog's first product, its
// first option, today in the product's zone, and 14 days.
type SlotQuery struct {
	Product string
	Option  string
	From    string // a date, such as 2026-07-01
	Days    int    // at most platform.MaxCalendarDays
}

func (q SlotQuery) encode() string {
	values := url.Values{}
	for name, value := range map[string]string{"product": q.Product, "option": q.Option, "from": q.From} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if q.Days != 0 {
		values.Set("days", strconv.Itoa(q.Days))
	}
	return values.Encode()
}

// List lists every slot of an option, by start.
func (s Slots) List(ctx context.Context, q SlotQuery) ([]platform.SlotState, error) {
	return field[[]platform.SlotState](ctx, s.sandbox, http.MethodGet, "/slots?"+q.encode(), "slots", nil)
}

// SlotChange is what becomes of a slot; nil leaves a thing as it is.
type SlotChange = platform.SlotChange

// Set changes a slot as the partner's own staff would, and returns it as it
// is now.
func (s Slots) Set(ctx context.Context, productID, optionID, availabilityID string, change SlotChange) (platform.SlotState, error) {
	return call[platform.SlotState](ctx, s.sandbox, http.MethodPatch, "/slots", struct {
		ProductID      string `json:"productId"`
		OptionID       string `json:"optionId"`
		AvailabilityID string `json:"availabilityId"`
		SlotChange
	}{productID, optionID, availabilityID, change})
}
