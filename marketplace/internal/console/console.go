// Package console is the operators' page of the marketplace, at /console: what needs
// attention, partners' integrations, bookings, activities, prices and accounts.
//
// It is a client of the API like any other, in the same process: whatever a page shows
// was answered to the operator's own access token, and whatever a button does is one
// call of the operators' surface. Limits, checks and their words are the API's.
//
// Pages are made here, whole. They have no script; every control is a link or a form.
package console

import (
	"net/http"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/api"
)

// route is one of the console's, below its path.
type route struct {
	method, path string
	show         handler
}

const (
	get  = http.MethodGet
	post = http.MethodPost
)

// open lists what needs no sign-in.
func open() []route {
	return []route{
		{get, "", func(x *exchange) error { return x.goTo(root + "/") }},
		{get, stylePath(), showStyle},
		{get, "/signin", showSignIn},
		{post, "/signin", signIn},
		{post, "/signout", signOut},
	}
}

// pages lists what is for operators alone.
func pages() []route {
	return []route{
		{get, "/", showOverview},
		{get, "/integrations", listIntegrations},
		{post, "/integrations", register},
		{get, "/integrations/{id}", showIntegration},
		{post, "/integrations/{id}", changeIntegration},
		{get, "/integrations/{id}/rotate", askToRotate},
		{post, "/integrations/{id}/rotate", rotateSecret},
		{post, "/integrations/{id}/sync", syncIntegration},
		{post, "/integrations/{id}/approve", approveSync},
		{get, "/integrations/{id}/delete", askToDelete},
		{post, "/integrations/{id}/delete", deleteIntegration},
		{get, "/bookings", listBookings},
		{get, "/bookings/{id}", showBooking},
		{get, "/bookings/{id}/cancel", askToCancel},
		{post, "/bookings/{id}/cancel", settle(client.MayCancel)},
		{post, "/bookings/{id}/confirm", settle(client.MayConfirm)},
		{post, "/bookings/{id}/deliver", settle(client.MayDeliver)},
		{get, "/bookings/{id}/erase-guest", askToErase},
		{post, "/bookings/{id}/erase-guest", eraseGuest},
		{post, "/bookings/{id}/resolve", settle(client.MayResolve)},
		{get, "/activities", listActivities},
		{get, "/activities/{id}", showActivity},
		{post, "/activities/{id}", changeActivity},
		{get, "/activities/{id}/variations/{variation}", showVariation},
		{post, "/activities/{id}/variations/{variation}", changeVariation},
		{get, "/terms", showTerms},
		{post, "/terms/rates", changeRates},
		{post, "/terms/fees", changeFees},
		{get, "/accounts", listAccounts},
		{post, "/accounts", createAccount},
		{get, "/accounts/{id}", showAccount},
		{post, "/accounts/{id}/name", setAccount("name", "Name changed.")},
		{post, "/accounts/{id}/password", setAccount("password", "Password changed. All sessions of the account are signed out.")},
		{get, "/accounts/{id}/webhooks", showWebhooks},
		{get, "/accounts/{id}/lock", askToLock},
		{post, "/accounts/{id}/lock", lock(true, "Account disabled.")},
		{post, "/accounts/{id}/unlock", lock(false, "Account enabled.")},
		{post, "/accounts/{id}/tokens", createToken},
		{get, "/accounts/{id}/tokens/{token}/revoke", askToRevoke},
		{post, "/accounts/{id}/tokens/{token}/revoke", revokeToken},
	}
}

// Pages returns the console of an API, as routes for the API's router.
func Pages(c Config, a http.Handler) []api.Page {
	con := &console{Config: c, api: a, notes: c.Secret.Sealer("the console's notes")}
	// A browser says where a form comes from: what another site has sent is refused.
	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(con.page(func(*exchange) error {
		return &refusal{Status: http.StatusForbidden, Message: "this form did not come from the console"}
	}))
	var list []api.Page
	add := func(routes []route, wrap func(handler) handler) {
		for _, r := range routes {
			methods := []string{get, http.MethodHead}
			if r.method == post {
				methods, r.show = []string{post}, withForm(r.show)
			}
			list = append(list, api.Page{Group: root, Path: root + r.path, Methods: methods, Handler: sameOrigin.Handler(con.page(wrap(r.show)))})
		}
	}
	add(open(), func(h handler) handler { return h })
	add(pages(), signedIn)
	notFound := con.page(func(*exchange) error { return &refusal{Status: http.StatusNotFound, Message: "page not found"} })
	return append(list, api.Page{Group: root, Path: root + "/", Prefix: true, Handler: sameOrigin.Handler(notFound)})
}
