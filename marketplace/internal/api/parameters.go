package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"partnerkit.dev/internal/suggest"
	"partnerkit.dev/marketplace/internal/domain"
)

var (
	pages          = []string{"page", "limit", "cursor"}
	activityList   = append([]string{"currency", "language", "q", "category", "country", "city", "date_from", "date_to", "min_price", "max_price", "sort"}, pages...)
	matrixFilters  = []string{"mode", "state", "certification", "go_live", "endpoint", "failing", "q"}
	bookingFilters = append([]string{"status", "activity_id", "reseller_reference", "q", "created_from", "created_to", "start_from", "start_to"}, pages...)
)

// parameters are the query parameters of a GET of a path. Other calls have no query parameters.
var parameters = map[string][]string{
	"/docs":                        {"tag", "q"},
	"/docs/partner":                {"tag", "q"},
	registryPath:                   {"q", "cursor"},
	registryList:                   {"name", "limit", "cursor"},
	"/api/v1/resellers/activities": activityList,
	"/api/v1/resellers/activities/{activity}":                                     {"currency", "language"},
	"/api/v1/resellers/activities/{activity}/calendar":                            {"from", "to", "currency"},
	"/api/v1/resellers/activities/{activity}/variations/{variation}/calendar":     {"from", "to", "currency"},
	"/api/v1/resellers/activities/{activity}/variations/{variation}/availability": {"date", "currency"},
	"/api/v1/resellers/bookings":                                                  bookingFilters,
	"/api/v1/resellers/events":                                                    {"after", "limit"},
	"/api/v1/resellers/webhooks/{webhook}/deliveries":                             {"state", "limit"},
	"/api/v1/operator/accounts/{account}/webhooks/{webhook}/deliveries":           {"state", "limit"},
	"/api/v1/affiliates/activities":                                               activityList,
	"/api/v1/affiliates/commissions":                                              pages,
	"/api/v1/partner-integrations":                                                append([]string{"mode", "q"}, pages...),
	"/api/v1/partner-integrations/{integration}/syncs":                            pages,
	"/api/v1/partner-integrations/{integration}/calls":                            append([]string{"failed"}, pages...),
	"/api/v1/partner-integrations/{integration}/bookings":                         append([]string{"status"}, pages...),
	"/api/v1/partner-integrations/{integration}/webhook-deliveries":               append([]string{"failed"}, pages...),
	"/api/v1/partner-integrations/{integration}/conformance-runs":                 pages,
	"/api/v1/operator/integrations/{integration}/syncs":                           pages,
	"/api/v1/operator/bookings":                                                   append([]string{"mode", "attention", "reason", "integration_id", "reseller_id", "reseller"}, bookingFilters...),
	"/api/v1/operator/accounts":                                                   append([]string{"role", "q"}, pages...),
	"/api/v1/partner-integrations/{integration}/events":                           {"after", "newest", "limit"},
	"/api/v1/operator/conformance":                                                matrixFilters,
	"/api/v1/operator/conformance.csv":                                            matrixFilters,
	"/api/v1/operator/invitations":                                                pages,
	"/api/v1/operator/activities":                                                 append([]string{"mode", "q", "status", "integration"}, pages...),
	"/api/v1/operator/activities/{activity}/prices":                               {"admin_price_percentage", "admin_discount_percentage", "variation_id", "group_price", "group_price_currency", "currency"},
}

// parameters returns the query parameters of the route.
func (r route) parameters() []string {
	if r.method != get {
		return nil
	}
	return parameters[r.path]
}

// knownParameters refuses a request with an unknown query parameter, because a misspelled filter
// would select everything. Webhooks, the service's pages, shared links and the registry's page and badges
// ignore unknown parameters: programs that pass a link on may add some.
func (r route) knownParameters() handler {
	if surface := r.surface(); surface == webhookSurface || surface == serviceSurface || surface == sharedSurface || surface == publicSurface && r.path != registryList {
		return r.handle
	}
	known := r.parameters()
	return func(w http.ResponseWriter, request *http.Request) error {
		if err := onlyKnown(request.URL.RawQuery, known); err != nil {
			return err
		}
		return r.handle(w, request)
	}
}

// onlyKnown returns an error that names each unknown parameter of a query.
func onlyKnown(query string, known []string) error {
	var wrong []string
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if pair == "" || slices.Contains(known, name) {
			continue
		}
		name, err := url.QueryUnescape(name)
		if err != nil || slices.Contains(known, name) {
			continue // reported by the query's own checks
		}
		wrong = append(wrong, unknownParameter(name, known))
	}
	if len(wrong) == 0 {
		return nil
	}
	return &domain.Error{Code: domain.Invalid, Message: "the query has an unknown parameter", Details: wrong[:min(len(wrong), mostNamed)]}
}

// Limits of an error: the unknown parameters that it names, and the bytes of each.
const (
	mostNamed   = 20
	longestName = 100
)

func unknownParameter(name string, known []string) string {
	hint := suggest.Hint(name, known)
	switch {
	case len(known) == 0:
		hint = ": this endpoint takes no query parameters"
	case hint == "":
		hint = ": this endpoint takes " + strings.Join(known, ", ")
	}
	return fmt.Sprintf("%s: unknown query parameter%s", strings.ToValidUTF8(name[:min(len(name), longestName)], "\uFFFD"), hint)
}
