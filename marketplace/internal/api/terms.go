package api

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/storefront"
)

type termsStore interface {
	Terms(ctx context.Context, now time.Time) (domain.Terms, error)
	Rates(ctx context.Context) (domain.RateTable, error)
	MissingRates(ctx context.Context, now time.Time) ([]client.MissingRate, error)
	ChangeRates(ctx context.Context, c domain.RatesChange, now time.Time) error
	ImportRates(ctx context.Context, f domain.RatesFile, now time.Time, force bool) (domain.RateTable, error)
	ChangeFees(ctx context.Context, c domain.FeesChange) error
}

// termsHandler serves operators' requests about exchange rates and fees.
type termsHandler struct {
	store    termsStore
	caughtUp catchUp
	now      func() time.Time
}

// ratesView contains the exchange rates in force.
type ratesView struct {
	Base       domain.Currency                     `json:"base"`
	AsOf       *string                             `json:"as_of"` // YYYY-MM-DD, of the newest file; null if none was imported
	Rates      map[domain.Currency]decimal.Decimal `json:"rates"` // as strings: the price of one unit of the base
	Currencies domain.List[rateView]               `json:"currencies"`
	Missing    []client.MissingRate                `json:"missing"`
}

// rateView is a currency's exchange rate.
type rateView struct {
	Currency  domain.Currency     `json:"currency"`
	Rate      decimal.Decimal     `json:"rate"`
	AsOf      string              `json:"as_of"`
	Previous  decimal.NullDecimal `json:"previous_rate"`
	SoldUntil *time.Time          `json:"sold_until"` // null unless the newest file lacks the currency
}

func (h termsHandler) rates(r *http.Request) (any, error) {
	table, err := h.store.Rates(r.Context())
	if err != nil {
		return nil, err
	}
	missing, err := h.store.MissingRates(r.Context(), h.now())
	if err != nil {
		return nil, err
	}
	view := ratesView{Base: table.Base, Rates: map[domain.Currency]decimal.Decimal{}, Missing: missing}
	if !table.Of.IsZero() {
		view.AsOf = new(table.Of.Format(time.DateOnly))
	}
	for _, currency := range slices.Sorted(maps.Keys(table.Per)) {
		rate := table.Per[currency]
		row := rateView{Currency: currency, Rate: rate.Rate, AsOf: rate.Of.Format(time.DateOnly), Previous: rate.Before}
		if until := table.SoldUntil(currency); !until.IsZero() {
			row.SoldUntil = &until
		}
		view.Rates[currency], view.Currencies = rate.Rate, append(view.Currencies, row)
	}
	return view, nil
}

type newRates struct {
	Base  domain.Currency            `json:"base" validate:"required,iso4217"`
	Rates map[string]json.RawMessage `json:"rates" validate:"required"`
	Check bool                       `json:"check"`
}

func (h termsHandler) changeRates(r *http.Request, body newRates) (any, error) {
	change, err := domain.ParseRates(body.Base, body.Rates)
	if err != nil {
		return nil, err
	}
	change.Checked = body.Check
	if err := h.store.ChangeRates(r.Context(), change, h.now()); err != nil {
		return nil, err
	}
	h.caughtUp(r.Context())
	return h.rates(r)
}

type ratesImport struct {
	File  string `json:"file" validate:"required,max=1000000"`
	Force bool   `json:"force"`
}

func (h termsHandler) importRates(r *http.Request, body ratesImport) (any, error) {
	file, err := storefront.ReadRates(strings.NewReader(body.File))
	if err != nil {
		return nil, invalidBody("file: " + err.Error())
	}
	if _, err := h.store.ImportRates(r.Context(), file, h.now(), body.Force); err != nil {
		return nil, err
	}
	h.caughtUp(r.Context())
	return h.rates(r)
}

func (h termsHandler) fees(r *http.Request) (any, error) {
	terms, err := h.store.Terms(r.Context(), h.now())
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
