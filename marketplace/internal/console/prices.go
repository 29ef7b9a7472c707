package console

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gorilla/mux"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/console/fields"
)

// pricesPart is the part of an activity's or a variation's page with what customers pay.
const pricesPart = "prices"

// pricePreview is what customers pay for an activity or one of its variations, now and with the changes in
// the form.
type pricePreview struct {
	client.PricePreview
	Inputs  priceInputs
	Refused *refusal // of the changes
	Wrong   []field  // the refused fields
}

// priceInputs are the fields of a page that change prices, each with the API's parameter.
type priceInputs []struct{ Field, parameter string }

var (
	activityInputs  = priceInputs{{"admin_price_percentage", "admin_price_percentage"}, {"admin_discount_percentage", "admin_discount_percentage"}}
	variationInputs = priceInputs{{"pricing.group_price", "group_price"}, {"pricing.currency", "group_price_currency"}}
)

// pricePreview reads what customers of the activity or the variation in the path would pay with what has
// changed in its form.
func (x *exchange) pricePreview(given url.Values) (*pricePreview, error) {
	query, form, inputs := url.Values{}, fields.Activity, activityInputs
	if variation := mux.Vars(x.r)["variation"]; variation != "" {
		query.Set("variation_id", variation)
		form, inputs = fields.Variation, variationInputs
	}
	for _, in := range inputs {
		if text := given.Get(in.Field); text != given.Get("was:"+in.Field) {
			query.Set(in.parameter, strings.TrimSpace(text))
		}
	}
	prices, _, err := read[client.PricePreview](x, "/operator/activities/"+x.id()+"/prices", query)
	refused := asRefusal(err)
	if refused == nil || refused.Status != http.StatusBadRequest {
		return &pricePreview{PricePreview: prices, Inputs: inputs}, err
	}
	for i, detail := range refused.Details {
		for _, in := range inputs {
			if words, ok := strings.CutPrefix(detail, in.parameter+":"); ok {
				refused.Details[i] = in.Field + ":" + words
			}
		}
	}
	f := editForm(form, nil, given)
	f.refuse(refused)
	if len(f.Errors) > 0 {
		return nil, err
	}
	return &pricePreview{Inputs: inputs, Refused: refused, Wrong: f.InvalidFields()}, nil
}

// preview shows the form again with what customers would pay, and saves nothing.
func (page edit) preview(x *exchange) error {
	p, err := page(x, x.given)
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
