package api

import (
	"net/http"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace"
	"partnerkit.dev/marketplace/storefront"
)

// catalogRoutes are what resellers and affiliates read.
func (a *API) catalogRoutes() []route {
	return []route{
		{http.MethodGet, "/api/v1/resellers/activities", resellers, a.listForResellers},
		{http.MethodGet, "/api/v1/affiliates/activities", affiliates, a.listForAffiliates},
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

// currency is that in which prices are asked for; "" is the partner's.
func (q *query) currency() marketplace.Currency {
	return marketplace.Currency(q.tagged("currency", "iso4217"))
}

// language is that in which texts are asked for; "" is the activity's own.
func (q *query) language() string { return q.tagged("language", "bcp47_strict_language_tag") }
