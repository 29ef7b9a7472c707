package api

import (
	"net/http"
	"strings"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/partner"
)

// route is one route. All are registered at one router, because gorilla/mux answers 404 instead of
// 405 for a wrong method in a subrouter.
type route struct {
	method, path string
	access       access
	handle       handler
}

// access says who may call a route.
type access struct {
	open   bool               // everyone
	roles  []marketplace.Role // otherwise these roles
	tokens bool               // an API token is accepted, too
}

// The kinds of access.
var (
	everyone   = access{open: true}
	operators  = access{roles: []marketplace.Role{marketplace.Operator}}
	resellers  = access{roles: []marketplace.Role{marketplace.Reseller}, tokens: true}
	affiliates = access{roles: []marketplace.Role{marketplace.Affiliate}}
	partners   = access{roles: []marketplace.Role{marketplace.Partner, marketplace.Operator}} // partners see their own, operators all
)

const (
	get    = http.MethodGet
	post   = http.MethodPost
	put    = http.MethodPut
	patch  = http.MethodPatch
	remove = http.MethodDelete
)

// routes returns every route. The router tries them in order, so the most frequent ones come first.
func routes(c Config, g *guard, caughtUp catchUp) []route {
	storefront := storefrontHandler{c.Front}
	affiliate := affiliateHandler{storefront, c.Store.Bookings}
	bookings := bookingHandler{c.Store.Bookings, c.Bookings}
	integrations := integrationHandler{c.Store.Partners, c.Store.Catalog, c.Integrations, c.Syncer, c.Trials, c.Now, caughtUp, c.Journals, c.Store.Bookings, c.Runs}
	runs := newRunHandler(c, integrations)
	admissions := admissionHandler{c.Runs.Store, integrations, caughtUp, c.Log}
	events := eventHandler{c.Events}
	webhooks := webhookHandler{g, integrations, c.Notifier, c.Journals.Webhooks, c.Now}
	accounts := accountHandler{c.Store.Accounts, c.SignIn, c.Now, c.Secure}
	activities := activityHandler{c.Store.Catalog, caughtUp}
	terms := termsHandler{c.Store.Storefront, caughtUp}
	signIns := signInHandler{g, c.SignIn}
	ops := newOps(c)
	return []route{
		{get, "/api/v1/resellers/activities", resellers, ok(storefront.list)},
		{get, "/api/v1/resellers/activities/{activity}", resellers, ok(byID("activity", storefront.show))},
		{get, "/api/v1/resellers/activities/{activity}/variations/{variation}/calendar", resellers, ok(storefront.calendar)},
		{get, "/api/v1/resellers/activities/{activity}/variations/{variation}/availability", resellers, ok(storefront.day)},

		{get, "/api/v1/affiliates/activities", affiliates, ok(affiliate.activities)},
		{get, "/api/v1/affiliates/commissions", affiliates, ok(affiliate.commissions)},

		{get, "/", everyone, leadToDocs},
		{get, "/healthz", everyone, ok(ops.alive)},
		{get, "/readyz", everyone, ok(ops.ready)},
		{get, metricsPath, everyone, ops.metrics},
		{get, "/openapi.yaml", everyone, showDocument(marketplaceDocument)},
		{get, "/.well-known/jwks.json", everyone, runs.keys},
		{get, sharedPath + "reports/{token}", everyone, runs.shared},
		{get, "/docs", everyone, showMarketplaceDocs},
		{get, "/docs/partner", everyone, showPartnerDocs},
		{get, "/docs/partner.yaml", everyone, showDocument(partnerDocument)},
		{get, "/docs/assets/{asset}", everyone, showAsset},

		{post, "/api/v1/auth/login", everyone, ok(withBody(signIns.signIn))},
		{post, "/api/v1/auth/refresh", everyone, ok(withBody(signIns.refresh))},
		{post, "/api/v1/auth/logout", everyone, ok(withBody(signIns.signOut))},

		{post, "/api/v1/resellers/bookings", resellers, bookings.checkOut},
		{get, "/api/v1/resellers/bookings", resellers, ok(bookings.list)},
		{get, "/api/v1/resellers/bookings/{booking}", resellers, ok(byID("booking", bookings.show))},
		{remove, "/api/v1/resellers/bookings/{booking}", resellers, ok(byID("booking", bookings.abandon))},
		{post, "/api/v1/resellers/bookings/{booking}/payment", resellers, ok(byIDWithBody("booking", bookings.pay))},
		{post, "/api/v1/resellers/bookings/{booking}/cancel", resellers, ok(byIDWithOptionalBody("booking", bookings.cancel))},

		{get, "/api/v1/resellers/events", resellers, events.feed},
		{post, "/api/v1/resellers/webhooks", resellers, created(withBody(events.subscribe))},
		{get, "/api/v1/resellers/webhooks", resellers, ok(events.subscriptions)},
		{remove, "/api/v1/resellers/webhooks/{webhook}", resellers, ok(byID("webhook", events.unsubscribe))},
		{get, "/api/v1/resellers/webhooks/{webhook}/deliveries", resellers, ok(byID("webhook", events.deliveries))},
		{post, "/api/v1/resellers/webhooks/{webhook}/deliveries/{event}/retry", resellers, ok(byID("webhook", events.retry))},

		{post, "/api/v1/partner-integrations/{integration}/availability/notify", everyone, webhooks.noted(partner.AvailabilityNotify, webhooks.notify)},
		{post, "/api/v1/partner-integrations/{integration}/sync/trigger", everyone, webhooks.noted(partner.SyncTrigger, webhooks.trigger)},

		{post, "/api/v1/partner-integrations", partners, created(withBody(integrations.register))},
		{get, "/api/v1/partner-integrations", partners, ok(integrations.list)},
		{get, "/api/v1/partner-integrations/{integration}", partners, ok(integrations.found(integrations.show))},
		{patch, "/api/v1/partner-integrations/{integration}", partners, ok(byIDWithBody("integration", integrations.change))},
		{remove, "/api/v1/partner-integrations/{integration}", partners, ok(byID("integration", integrations.remove))},
		{post, "/api/v1/partner-integrations/{integration}/test", partners, ok(byIDWithOptionalBody("integration", integrations.test))},
		{post, "/api/v1/partner-integrations/{integration}/webhook-secret", partners, created(integrations.found(integrations.rotate))},
		{get, "/api/v1/partner-integrations/{integration}/syncs", partners, ok(integrations.found(integrations.everySync))},
		{get, "/api/v1/partner-integrations/{integration}/calls", partners, ok(integrations.found(integrations.calls))},
		{get, "/api/v1/partner-integrations/{integration}/bookings", partners, ok(integrations.found(integrations.bookingsOf))},
		{get, "/api/v1/partner-integrations/{integration}/webhook-deliveries", partners, ok(integrations.found(integrations.received))},
		{post, "/api/v1/partner-integrations/{integration}/conformance-runs", partners, accepted(integrations.found(runs.start))},
		{get, "/api/v1/partner-integrations/{integration}/conformance-runs", partners, ok(integrations.found(runs.list))},
		{get, "/api/v1/partner-integrations/{integration}/conformance-runs/{run}", partners, ok(runs.show)},
		{get, "/api/v1/partner-integrations/{integration}/conformance-runs/{run}/progress", partners, runs.progress},
		{get, "/api/v1/partner-integrations/{integration}/conformance-runs/{run}/report.json", partners, runs.report("application/json")},
		{get, "/api/v1/partner-integrations/{integration}/conformance-runs/{run}/report.html", partners, runs.report(htmlType)},
		{get, "/api/v1/partner-integrations/{integration}/conformance-runs/{run}/junit.xml", partners, runs.report("application/xml")},
		{post, "/api/v1/partner-integrations/{integration}/conformance-runs/{run}/share", partners, created(runs.share)},
		{get, "/api/v1/partner-integrations/{integration}/certificate", partners, runs.certificate},
		{post, "/api/v1/partner-integrations/{integration}/go-live", partners, ok(integrations.found(admissions.ask))},
		{get, "/api/v1/partner-integrations/{integration}/events", partners, ok(integrations.found(admissions.listEvents))},

		{post, "/api/v1/operator/integrations/{integration}/sync", operators, ok(integrations.found(integrations.sync))},
		{post, "/api/v1/operator/integrations/{integration}/sync/approve", operators, ok(integrations.found(integrations.approveSync))},
		{get, "/api/v1/operator/integrations/{integration}/syncs", operators, ok(integrations.found(integrations.syncs))},

		{put, "/api/v1/operator/integrations/{integration}/certification", operators, ok(integrations.found(admissions.setPolicy))},
		{post, "/api/v1/operator/integrations/{integration}/go-live", operators, ok(integrations.found(admissions.decide))},
		{get, "/api/v1/operator/conformance", operators, ok(admissions.matrix)},
		{get, "/api/v1/operator/conformance.csv", operators, admissions.export},

		{get, "/api/v1/operator/overview", operators, ok(ops.overview)},
		{get, "/api/v1/operator/bookings", operators, ok(bookings.listAll)},
		{get, "/api/v1/operator/bookings/{booking}", operators, ok(byID("booking", bookings.show))},
		{post, "/api/v1/operator/bookings/{booking}/confirm", operators, ok(byID("booking", bookings.settle(c.Bookings.Retry)))},
		{post, "/api/v1/operator/bookings/{booking}/cancel", operators, ok(byIDWithOptionalBody("booking", bookings.cancelAny))},
		{post, "/api/v1/operator/bookings/{booking}/deliver", operators, ok(byID("booking", bookings.settle(c.Bookings.Deliver)))},
		{post, "/api/v1/operator/bookings/{booking}/resolve", operators, ok(byID("booking", bookings.settle(c.Bookings.Resolve)))},
		{post, "/api/v1/operator/bookings/{booking}/erase-guest", operators, ok(byID("booking", bookings.eraseGuest))},

		{post, "/api/v1/operator/accounts", operators, created(withBody(accounts.create))},
		{get, "/api/v1/operator/accounts", operators, ok(accounts.list)},
		{post, "/api/v1/operator/invitations", operators, created(withBody(accounts.invite))},
		{get, "/api/v1/operator/invitations", operators, ok(accounts.invitations)},
		{remove, "/api/v1/operator/invitations/{invitation}", operators, ok(byID("invitation", accounts.uninvite))},
		{get, "/api/v1/operator/accounts/{account}", operators, ok(byID("account", accounts.show))},
		{patch, "/api/v1/operator/accounts/{account}", operators, ok(byIDWithBody("account", accounts.change))},
		{post, "/api/v1/operator/accounts/{account}/api-tokens", operators, created(byIDWithBody("account", accounts.createToken))},
		{remove, "/api/v1/operator/accounts/{account}/api-tokens/{token}", operators, ok(byID("account", accounts.revokeToken))},
		{get, "/api/v1/operator/accounts/{account}/webhooks", operators, ok(byID("account", events.subscriptionsOf))},
		{get, "/api/v1/operator/accounts/{account}/webhooks/{webhook}/deliveries", operators, ok(byID("account", events.anyDeliveries))},

		{get, "/api/v1/operator/activities", operators, ok(activities.list)},
		{get, "/api/v1/operator/activities/{activity}", operators, ok(byID("activity", activities.show))},
		{patch, "/api/v1/operator/activities/{activity}", operators, ok(byID("activity", activities.edit))},

		{get, "/api/v1/operator/rates", operators, ok(terms.rates)},
		{put, "/api/v1/operator/rates", operators, ok(withBody(terms.changeRates))},
		{get, "/api/v1/operator/pricing", operators, ok(terms.fees)},
		{put, "/api/v1/operator/pricing", operators, ok(withBody(terms.changeFees))},
	}
}

const (
	serviceSurface = "service"  // for those who run the service
	webhookSurface = "webhooks" // for partners' platforms
	sharedSurface  = "shared"   // for those who received a link
)

// sharedPath is the start of links that were shared.
const sharedPath = "/shared/"

// methods returns the route's methods. GET includes HEAD.
func (r route) methods() []string {
	if r.method == get {
		return []string{get, http.MethodHead}
	}
	return []string{r.method}
}

// surface returns the name of the route's group.
func (r route) surface() string {
	if strings.HasPrefix(r.path, sharedPath) {
		return sharedSurface
	}
	below, ok := strings.CutPrefix(r.path, "/api/v1/")
	if !ok {
		return serviceSurface
	}
	surface, _, _ := strings.Cut(below, "/")
	if surface == "partner-integrations" && r.access.open {
		return webhookSurface
	}
	return surface
}
