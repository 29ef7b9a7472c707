package api

import (
	"net/http"
	"slices"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// handler answers a request, or returns why it cannot.
type handler func(http.ResponseWriter, *http.Request) error

// route is one way in. All of them are registered at one router: gorilla/mux forgets in
// a subrouter that a path was found and only its method was not.
type route struct {
	method, path string
	access       access
	handle       handler
}

// access says whom a route is for.
type access struct {
	open   bool               // anybody
	roles  []marketplace.Role // else these
	tokens bool               // and a long-lived API token opens it as well
}

// Who may come in.
var (
	anybody    = access{open: true}
	operators  = access{roles: []marketplace.Role{marketplace.Operator}}
	resellers  = access{roles: []marketplace.Role{marketplace.Reseller}, tokens: true}
	affiliates = access{roles: []marketplace.Role{marketplace.Affiliate}}
	partners   = access{roles: []marketplace.Role{marketplace.Partner, marketplace.Operator}} // each sees its own, operators all
)

// routes lists every way in. The router tries one after the other: what is asked for the
// most stands first.
func (a *API) routes() []route {
	return slices.Concat(a.catalogRoutes(), a.rootRoutes(), a.authRoutes(), a.operatorOverviewRoutes(), a.operatorAccountRoutes(), a.operatorTermsRoutes(), a.operatorActivityRoutes(),
		a.operatorIntegrationRoutes(), a.bookingRoutes(), a.operatorBookingRoutes(), a.integrationRoutes(), a.webhookRoutes(), a.docsRoutes())
}
