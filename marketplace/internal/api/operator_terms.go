package api

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// operatorTermsRoutes are about what every price is made with.
func (a *API) operatorTermsRoutes() []route {
	return []route{
		{http.MethodGet, "/api/v1/operator/rates", operators, a.showRates},
		{http.MethodPut, "/api/v1/operator/rates", operators, a.changeRates},
		{http.MethodGet, "/api/v1/operator/pricing", operators, a.showFees},
		{http.MethodPut, "/api/v1/operator/pricing", operators, a.changeFees},
	}
}

// ratesView is the table of exchange rates in force.
type ratesView struct {
	Base  marketplace.Currency                     `json:"base"`
	AsOf  *string                                  `json:"as_of"` // YYYY-MM-DD; null where operators have set rates by hand
	Rates map[marketplace.Currency]decimal.Decimal `json:"rates"` // as texts: what one unit of the base buys
}

func (a *API) showRates(w http.ResponseWriter, r *http.Request) error {
	terms, err := a.store.Storefront.Terms(r.Context())
	if err != nil {
		return err
	}
	view := ratesView{Base: terms.Rates.Base, Rates: terms.Rates.Per}
	if !terms.RatesOf.IsZero() {
		day := terms.RatesOf.Format(time.DateOnly)
		view.AsOf = &day
	}
	return writeData(w, http.StatusOK, view)
}

func (a *API) changeRates(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Base  marketplace.Currency       `json:"base" validate:"required,iso4217"`
		Rates map[string]json.RawMessage `json:"rates" validate:"required"`
	}
	if err := readBody(r, &body); err != nil {
		return err
	}
	change, err := marketplace.ParseRates(body.Base, body.Rates)
	if err != nil {
		return err
	}
	if err := a.store.Storefront.ChangeRates(r.Context(), change); err != nil {
		return err
	}
	a.caughtUp(r)
	return a.showRates(w, r)
}

// feesView is what is added to every price.
type feesView struct {
	Fee        marketplace.Number   `json:"service_fee"`
	FeeIn      marketplace.Currency `json:"service_fee_currency"`
	Commission marketplace.Number   `json:"commission_percentage"`
}

func (a *API) showFees(w http.ResponseWriter, r *http.Request) error {
	terms, err := a.store.Storefront.Terms(r.Context())
	if err != nil {
		return err
	}
	return writeData(w, http.StatusOK, feesView{marketplace.Number{Decimal: terms.Fee}, terms.FeeIn, marketplace.Number{Decimal: terms.Commission}})
}

func (a *API) changeFees(w http.ResponseWriter, r *http.Request) error {
	var body marketplace.FeesChange
	if err := readBody(r, &body); err != nil {
		return err
	}
	if err := body.Check(); err != nil {
		return err
	}
	if err := a.store.Storefront.ChangeFees(r.Context(), body); err != nil {
		return err
	}
	a.caughtUp(r)
	return a.showFees(w, r)
}
