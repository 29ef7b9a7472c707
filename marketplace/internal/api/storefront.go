package api

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/storefront"
)

// storefrontHandler serves what resellers read.
type storefrontHandler struct{ front *storefront.Front }

func (h storefrontHandler) list(r *http.Request) (any, error) { return h.listFor(r, uuid.Nil) }

// longestFilter limits a filter, in characters.
const longestFilter = 200

// listFor lists activities with an affiliate's link to each. A zero id adds no links.
func (h storefrontHandler) listFor(r *http.Request, affiliate uuid.UUID) (any, error) {
	given := readQuery(r)
	asked := storefront.Query{
		Currency: given.currency(), Language: given.language(), Affiliate: affiliate,
		Filter: storefront.Filter{
			Mode: caller(r.Context()).Mode, Query: given.text("q", longestFilter), Category: given.text("category", longestFilter),
			Country: given.text("country", longestFilter), City: given.text("city", longestFilter),
			DateFrom: given.optionalDate("date_from"), DateTo: given.optionalDate("date_to"), MinPrice: given.price("min_price"), MaxPrice: given.price("max_price"),
		},
		Sort: storefront.Sort(given.validated("sort", "oneof="+strings.Join(storefront.Sorts(), " "))),
	}
	given.checkRanges(asked.Filter)
	var err error
	asked.Page, asked.Limit, err = given.pageBy(func(cursor string) (err error) {
		asked.After, err = asked.ReadCursor(cursor)
		return err
	})
	if err != nil {
		return nil, err
	}
	return h.front.List(r.Context(), asked)
}

// checkRanges refuses dates and prices of which nothing can be both.
func (q *query) checkRanges(f storefront.Filter) {
	if !f.DateTo.IsZero() && f.DateTo.Before(f.DateFrom) {
		q.refuse("date_to", "must not be before date_from")
	}
	if f.MinPrice != "" && f.MaxPrice != "" && decimal.RequireFromString(f.MaxPrice).LessThan(decimal.RequireFromString(f.MinPrice)) {
		q.refuse("max_price", "must not be below min_price")
	}
}

func (h storefrontHandler) show(r *http.Request, id uuid.UUID) (any, error) {
	given := readQuery(r)
	currency, language := given.currency(), given.language()
	if err := given.check(); err != nil {
		return nil, err
	}
	return h.front.Activity(r.Context(), caller(r.Context()).Mode, id, currency, language)
}

// mostDays limits the dates of a calendar.
const mostDays = 62

func (h storefrontHandler) calendar(r *http.Request) (any, error) {
	of, err := pathVariation(r)
	if err != nil {
		return nil, err
	}
	from, to, currency, err := readRange(r)
	if err != nil {
		return nil, err
	}
	return h.front.Calendar(r.Context(), of, from, to, currency)
}

// calendars serves the calendars of all variations of an activity.
func (h storefrontHandler) calendars(r *http.Request, activity uuid.UUID) (any, error) {
	from, to, currency, err := readRange(r)
	if err != nil {
		return nil, err
	}
	return h.front.Calendars(r.Context(), caller(r.Context()).Mode, activity, from, to, currency)
}

// readRange reads the query of a calendar.
func readRange(r *http.Request) (from, to time.Time, currency domain.Currency, err error) {
	given := readQuery(r)
	from, to, currency = given.date("from"), given.date("to"), given.currency()
	if len(given.wrong) == 0 {
		switch {
		case to.Before(from):
			given.refuse("to", "must not be before from")
		case !to.Before(from.AddDate(0, 0, mostDays)):
			given.refuse("to", fmt.Sprintf("expected at most %d dates, including from and to", mostDays))
		}
	}
	return from, to, currency, given.check()
}

func (h storefrontHandler) day(r *http.Request) (any, error) {
	of, err := pathVariation(r)
	if err != nil {
		return nil, err
	}
	given := readQuery(r)
	date, currency := given.date("date"), given.currency()
	if err := given.check(); err != nil {
		return nil, err
	}
	return h.front.Day(r.Context(), of, date, currency)
}

func pathVariation(r *http.Request) (of storefront.VariationID, err error) {
	of.Mode = caller(r.Context()).Mode
	if of.Activity, err = pathID(r, "activity"); err != nil {
		return of, err
	}
	of.Variation, err = pathID(r, "variation")
	return of, err
}

// affiliateHandler serves what affiliates read.
type affiliateHandler struct {
	storefront storefrontHandler
	store      bookingStore
}

func (h affiliateHandler) activities(r *http.Request) (any, error) {
	return h.storefront.listFor(r, caller(r.Context()).Account)
}

func viewCommission(c booking.Commission) client.Commission {
	view := client.Commission{
		BookingID: c.Booking.String(), Status: client.Accrued, Currency: string(c.Currency), Amount: decimalOf(&c.Amount), AccruedAt: c.AccruedAt, ReversedAt: c.ReversedAt,
	}
	if !c.ReversedAt.IsZero() {
		view.Status = client.Reversed
	}
	return view
}

func (h affiliateHandler) commissions(r *http.Request) (any, error) {
	asked, err := readQuery(r).storedPage(r.URL.Path)
	if err != nil {
		return nil, err
	}
	found, err := h.store.Commissions(r.Context(), scope(r), asked.request())
	return pageOf(asked, found, viewCommission), err
}
