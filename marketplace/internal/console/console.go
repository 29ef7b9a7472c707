// Package console contains the marketplace's pages. The operators' console at /console shows what
// needs attention, integrations, bookings, activities, prices and accounts. The partners' portal at
// /partners shows platforms, conformance runs and webhooks.
//
// The console is a client of the API in the same process. Everything on a page was requested with
// the viewer's own access token, and every button is a call of the API. Limits, validation and
// error messages are the API's.
//
// Pages are rendered on the server and need no script. Every control is a link or a form, except for
// buttons that copy, which a script shows. Pages that change by themselves say what is true when they are
// loaded, and a script follows them.
package console

import (
	"net/http"
	"slices"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/parts"
)

// operatorPages returns the pages for operators.
func operatorPages() []route {
	return []route{
		{get, "/", showOverview},
		{get, "/changes", followed(showOverview, overviewState, overviewPause)},
		{get, "/partners", listPartners},
		{get, "/partners.csv", exportPartners("/operator/conformance.csv", "conformance.csv")},
		{get, "/partners.json", exportPartners("/operator/conformance", "conformance.json")},
		{post, "/integrations/{id}/go-live", decideGoLive},
		{post, "/integrations/{id}/certification", setPolicy},
		{post, "/integrations/{id}/sync", syncIntegration},
		{post, "/integrations/{id}/approve", approveSync},
		{get, "/bookings", listBookings},
		{get, "/bookings/triage", chooseTriage},
		{post, "/bookings/triage", previewTriage},
		{post, "/bookings/triage/{action}", triageBookings},
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
		{post, "/terms/rates/import", importRates},
		{post, "/terms/fees", changeFees},
		{get, "/accounts", listAccounts},
		{post, "/invitations", invite},
		{post, "/invitations/{id}/revoke", uninvite},
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

// New returns a function for the API's router. It returns the routes of the operators' console and the
// partners' portal, which call the API.
func New(c Config) (func(http.Handler) []api.Page, error) {
	return c.pages, parts.Check("console", c)
}

func (c Config) pages(a http.Handler) (list []api.Page) {
	con := &console{Config: c, api: a, notes: c.Secret.Sealer("the console's notes"), follows: make(chan struct{}, mostFollowed)}
	for _, of := range []*site{&operators, &portal} {
		// Browsers say which site a form comes from. Forms of other sites are refused.
		sameOrigin := http.NewCrossOriginProtection()
		sameOrigin.SetDenyHandler(con.page(of, func(*exchange) error {
			return &refusal{Status: http.StatusForbidden, Message: "this form did not come from these pages"}
		}))
		add := func(routes []route, wrap func(handler) handler) {
			for _, r := range routes {
				methods := []string{get, http.MethodHead}
				if r.method == post {
					methods, r.show = []string{post}, withForm(r.show)
				}
				list = append(list, api.Page{Group: of.Root, Path: of.Root + r.path, Methods: methods, Handler: sameOrigin.Handler(con.page(of, wrap(r.show)))})
			}
		}
		add(slices.Concat(open(), of.entrances), func(h handler) handler { return h })
		add(of.pages, signedIn)
		notFound := con.page(of, func(x *exchange) error {
			_ = x.resume(x.cookies.get(sessionCookie)) // a viewer who is signed in sees the navigation
			return &refusal{Status: http.StatusNotFound, Message: "page not found"}
		})
		list = append(list, api.Page{Group: of.Root, Path: of.Root + "/", Prefix: true, Handler: sameOrigin.Handler(notFound)})
	}
	return list
}
