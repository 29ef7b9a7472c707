package console

import (
	"net/http"
	"net/url"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/console/fields"
)

// pricesPart is the part of an activity's page with what customers pay.
const pricesPart = "prices"

// pricePreview is what customers pay for an activity, now and with the percentages of the form.
type pricePreview struct {
	client.PricePreview
	Refused *refusal // of the percentages
	Wrong   []field  // the refused percentages
}

// pricePreview reads what customers of the activity in the path would pay with percentages of its form.
// Percentages that are not given do not change.
func (x *exchange) pricePreview(given url.Values) (*pricePreview, error) {
	query := url.Values{}
	for _, name := range []string{"admin_price_percentage", "admin_discount_percentage"} {
		if given.Get(name) != "" {
			query.Set(name, given.Get(name))
		} else if given.Has(name) {
			query.Set(name, "0") // the field is cleared
		}
	}
	prices, _, err := read[client.PricePreview](x, "/operator/activities/"+x.id()+"/prices", query)
	refused := asRefusal(err)
	if refused == nil || refused.Status != http.StatusBadRequest {
		return &pricePreview{PricePreview: prices}, err
	}
	f := editForm(fields.Activity, nil, given)
	f.refuse(refused)
	return &pricePreview{Refused: refused, Wrong: f.InvalidFields()}, nil
}

// previewActivity shows the form again with what customers would pay, and saves nothing.
func previewActivity(x *exchange) error {
	p, err := activityEdit(x, x.given)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if refused := p.Prices.Refused; refused != nil {
		p.Form.refuse(refused)
		status = http.StatusUnprocessableEntity
	}
	return p.show(x, status)
}
