package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/domain"
)

type termsStore interface {
	Terms(ctx context.Context) (domain.Terms, error)
	ChangeRates(ctx context.Context, c domain.RatesChange) error
	ChangeFees(ctx context.Context, c domain.FeesChange) error
}

// termsHandler serves operators' requests about exchange rates and fees.
type termsHandler struct {
	store    termsStore
	caughtUp catchUp
}

// ratesView contains the exchange rates in force.
type ratesView struct {
	Base  domain.Currency                     `json:"base"`
	AsOf  *string                             `json:"as_of"` // YYYY-MM-DD; null if operators set the rates
	Rates map[domain.Currency]decimal.Decimal `json:"rates"` // as strings: the price of one unit of the base
}

func (h termsHandler) rates(r *http.Request) (any, error) {
	terms, err := h.store.Terms(r.Context())
	if err != nil {
		return nil, err
	}
	view := ratesView{Base: terms.Rates.Base, Rates: terms.Rates.Per}
	if !terms.RatesOf.IsZero() {
		day := terms.RatesOf.Format(time.DateOnly)
		view.AsOf = &day
	}
	return view, nil
}

type newRates struct {
	Base  domain.Currency            `json:"base" validate:"required,iso4217"`
	Rates map[string]json.RawMessage `json:"rates" validate:"required"`
}

func (h termsHandler) changeRates(r *http.Request, body newRates) (any, error) {
	change, err := domain.ParseRates(body.Base, body.Rates)
	if err != nil {
		return nil, err
	}
	if err := h.store.ChangeRates(r.Context(), change); err != nil {
		return nil, err
	}
	h.caughtUp(r.Context())
	return h.rates(r)
}

func (h termsHandler) fees(r *http.Request) (any, error) {
	terms, err := h.store.Terms(r.Context())
	if err != nil {
		return nil, err
	}
	return domain.FeesChange{Fee: &domain.Number{Decimal: terms.Fee}, FeeIn: &terms.FeeIn, Commission: &domain.Number{Decimal: terms.Commission}}, nil
}

func (h termsHandler) changeFees(r *http.Request, body domain.FeesChange) (any, error) {
	if err := body.Check(); err != nil {
		return nil, err
	}
	if err := h.store.ChangeFees(r.Context(), body); err != nil {
		return nil, err
	}
	h.caughtUp(r.Context())
	return h.fees(r)
}
