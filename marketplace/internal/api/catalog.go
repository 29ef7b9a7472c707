package api

import (
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/storefront"
)

// catalogRoutes are what resellers and affiliates read.
func (a *API) catalogRoutes() []route {
	return []route{
		{http.MethodGet, "/api/v1/resellers/activities", resellers, a.listForResellers},
		{http.MethodGet, "/api/v1/resellers/activities/{activity}", resellers, a.showActivity},
		{http.MethodGet, "/api/v1/resellers/activities/{activity}/variations/{variation}/calendar", resellers, a.showCalendar},
		{http.MethodGet, "/api/v1/resellers/activities/{activity}/variations/{variation}/availability", resellers, a.showDay},
		{http.MethodGet, "/api/v1/affiliates/activities", affiliates, a.listForAffiliates},
		{http.MethodGet, "/api/v1/affiliates/commissions", affiliates, a.listCommissions},
	}
}

func (a *API) listForResellers(w http.ResponseWriter, r *http.Request) error {
	return a.list(w, r, uuid.Nil)
}

// listForAffiliates is the same list, with the affiliate's own link to each activity.
func (a *API) listForAffiliates(w http.ResponseWriter, r *http.Request) error {
	return a.list(w, r, caller(r.Context()).Account)
}

// longestFilter bounds a filter, in letters.
const longestFilter = 200

func (a *API) list(w http.ResponseWriter, r *http.Request, affiliate uuid.UUID) error {
	given := readQuery(r)
	asked := storefront.Query{
		Currency: given.currency(), Language: given.language(), Affiliate: affiliate,
		Filter: storefront.Filter{
			Query: given.text("q", longestFilter), Category: given.text("category", longestFilter),
			Country: given.text("country", longestFilter), City: given.text("city", longestFilter),
		},
	}
	part := given.page()
	asked.Page, asked.Limit = part.number, part.size
	if err := given.check(); err != nil {
		return err
	}
	made, err := a.front.List(r.Context(), asked)
	if err != nil {
		return err
	}
	writeMade(w, r, made)
	return nil
}

func (a *API) showActivity(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "activity")
	if err != nil {
		return err
	}
	given := readQuery(r)
	currency, language := given.currency(), given.language()
	if err := given.check(); err != nil {
		return err
	}
	made, err := a.front.Activity(r.Context(), id, currency, language)
	if err != nil {
		return err
	}
	writeMade(w, r, made)
	return nil
}

// mostDays is how many dates a calendar has at most.
const mostDays = 62

func (a *API) showCalendar(w http.ResponseWriter, r *http.Request) error {
	of, err := pathVariation(r)
	if err != nil {
		return err
	}
	given := readQuery(r)
	from, to, currency := given.date("from"), given.date("to"), given.currency()
	if len(given.wrong) == 0 {
		switch {
		case to.Before(from):
			given.refuse("to", "want from, or a later date")
		case !to.Before(from.AddDate(0, 0, mostDays)):
			given.refuse("to", fmt.Sprintf("want at most %d dates, from and to among them", mostDays))
		}
	}
	if err := given.check(); err != nil {
		return err
	}
	made, err := a.front.Calendar(r.Context(), of, from, to, currency)
	if err != nil {
		return err
	}
	writeMade(w, r, made)
	return nil
}

func (a *API) showDay(w http.ResponseWriter, r *http.Request) error {
	of, err := pathVariation(r)
	if err != nil {
		return err
	}
	given := readQuery(r)
	date, currency := given.date("date"), given.currency()
	if err := given.check(); err != nil {
		return err
	}
	made, err := a.front.Day(r.Context(), of, date, currency)
	if err != nil {
		return err
	}
	writeMade(w, r, made)
	return nil
}

func pathVariation(r *http.Request) (of storefront.VariationID, err error) {
	if of.Activity, err = pathID(r, "activity"); err != nil {
		return of, err
	}
	of.Variation, err = pathID(r, "variation")
	return of, err
}

// currency is that in which prices are asked for; "" is the partner's.
func (q *query) currency() marketplace.Currency {
	return marketplace.Currency(q.tagged("currency", "iso4217"))
}

// language is that in which texts are asked for; "" is the activity's own.
func (q *query) language() string { return q.tagged("language", "bcp47_strict_language_tag") }
