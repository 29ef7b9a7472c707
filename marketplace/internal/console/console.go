// Package console is the operators' page of the marketplace, at /console: what needs
// somebody now, partners' integrations, bookings, activities, prices and accounts.
//
// It is a client of the API like any other, in the same process: whatever a page shows
// was answered to the operator's own access token, and whatever a button does is one
// call of the operators' surface. Limits, checks and their words are the API's.
//
// Pages are made here, whole. They have no script; every control is a link or a form.
package console

import (
	"log/slog"
	"net/http"
	"time"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/auth"
)

// Path is where the console lies.
const Path = "/console"

// Config is what a console is made of. Every field is required.
type Config struct {
	SignIn *auth.Service
	Secret *auth.Secret
	Secure bool // browsers come by https: the cookies are for https alone
	Now    func() time.Time
	Log    *slog.Logger
}

// Console answers with pages. It is safe for concurrent use.
type Console struct {
	Config
	api     http.Handler
	notes   *auth.Sealer
	handler http.Handler
}

// New returns the console of an API.
func New(c Config, api http.Handler) *Console {
	console := &Console{Config: c, api: api, notes: c.Secret.Sealer("the console's notes")}
	routes := http.NewServeMux()
	for pattern, show := range console.open() {
		routes.Handle(pattern, console.page(show))
	}
	for pattern, show := range console.pages() {
		routes.Handle(pattern, console.page(signedIn(show)))
	}
	// A browser says where a form comes from: what another site has sent is refused.
	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(console.page(func(*visit) error {
		return &refusal{Status: http.StatusForbidden, Message: "this form was not sent from the console"}
	}))
	console.handler = sameOrigin.Handler(routes)
	return console
}

// ServeHTTP answers a request.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }

// handler shows a page, or returns why it cannot.
type handler func(*visit) error

// open lists what needs no sign-in.
func (c *Console) open() map[string]handler {
	return map[string]handler{
		"GET /console":          func(v *visit) error { return v.goTo(Path + "/") },
		"GET " + stylePath():    showStyle,
		"GET /console/signin":   showSignIn,
		"POST /console/signin":  signIn,
		"POST /console/signout": signOut,
		"/console/":             notThere,
	}
}

// pages lists what is for operators alone.
func (c *Console) pages() map[string]handler {
	return map[string]handler{
		"GET /console/{$}":                                     showOverview,
		"GET /console/integrations":                            listIntegrations,
		"POST /console/integrations":                           register,
		"GET /console/integrations/{id}":                       showIntegration,
		"POST /console/integrations/{id}/sync":                 syncIntegration,
		"POST /console/integrations/{id}/approve":              approveSync,
		"GET /console/integrations/{id}/delete":                askToDelete,
		"GET /console/bookings":                                listBookings,
		"GET /console/bookings/{id}":                           showBooking,
		"GET /console/bookings/{id}/cancel":                    askToCancel,
		"POST /console/bookings/{id}/cancel":                   settle(client.MayCancel),
		"POST /console/bookings/{id}/confirm":                  settle(client.MayConfirm),
		"POST /console/bookings/{id}/deliver":                  settle(client.MayDeliver),
		"POST /console/bookings/{id}/resolve":                  settle(client.MayResolve),
		"GET /console/activities":                              listActivities,
		"GET /console/activities/{id}":                         showActivity,
		"POST /console/activities/{id}":                        changeActivity,
		"GET /console/activities/{id}/variations/{variation}":  showVariation,
		"POST /console/activities/{id}/variations/{variation}": changeVariation,
		"GET /console/terms":                                   showTerms,
		"POST /console/terms/rates":                            changeRates,
		"POST /console/terms/fees":                             changeFees,
		"GET /console/accounts":                                listAccounts,
		"POST /console/accounts":                               createAccount,
		"GET /console/accounts/{id}":                           showAccount,
		"POST /console/accounts/{id}/name":                     nameAccount,
		"POST /console/accounts/{id}/password":                 setPassword,
		"GET /console/accounts/{id}/lock":                      askToLock,
		"POST /console/accounts/{id}/lock":                     lock(true, "The account is locked out."),
		"POST /console/accounts/{id}/unlock":                   lock(false, "The account may sign in again."),
		"POST /console/accounts/{id}/tokens":                   createToken,
		"GET /console/accounts/{id}/tokens/{token}/revoke":     askToRevoke,
		"POST /console/accounts/{id}/tokens/{token}/revoke":    revokeToken,
		"POST /console/integrations/{id}/delete":               deleteIntegration,
	}
}

func notThere(*visit) error {
	return &refusal{Status: http.StatusNotFound, Message: "there is no such page"}
}
