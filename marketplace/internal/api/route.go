package api

import (
	"net/http"
	"strings"

	"partnerkit.dev/marketplace/internal/domain"
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
	open   bool          // everyone
	roles  []domain.Role // otherwise these roles
	tokens bool          // an API token is accepted, too
}

// The kinds of access.
var (
	everyone   = access{open: true}
	operators  = access{roles: []domain.Role{domain.Operator}}
	resellers  = access{roles: []domain.Role{domain.Reseller}, tokens: true}
	affiliates = access{roles: []domain.Role{domain.Affiliate}}
	partners   = access{roles: []domain.Role{domain.Partner, domain.Operator}} // partners see their own, operators all
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
	runs := newRunHandler(c, g, integrations)
	admissions := admissionHandler{c.Runs.Store, integrations, caughtUp, c.Log}
	certified := registryHandler{c.Runs.Store, c.Runs.Signer, integrations, c.Now, c.Secure}
	events := eventHandler{c.Events}
	webhooks := webhookHandler{g, integrations, c.Notifier, c.Journals.Webhooks, c.Now}
	accounts := accountHandler{c.Store.Accounts, c.SignIn, c.Now, c.Secure}
	activities := activityHandler{c.Store.Catalog, caughtUp, c.Store.Storefront, c.Now}
	terms := termsHandler{c.Store.Storefront, caughtUp, c.Now}
	signIns := signInHandler{g, c.SignIn}
	ops, stale := newOps(c), g.stale.allow // which a standby may answer
	return []route{
		{get, "/api/v1/resellers/activities", resellers, stale(respondOK(storefront.list))},
		{get, "/api/v1/resellers/activities/{activity}", resellers, stale(respondOK(byID("activity", storefront.show)))},
		{get, "/api/v1/resellers/activities/{activity}/calendar", resellers, stale(respondOK(byID("activity", storefront.calendars)))},
		{get, "/api/v1/resellers/activities/{activity}/variations/{variation}/calendar", resellers, stale(respondOK(storefront.calendar))},
		{get, "/api/v1/resellers/activities/{activity}/variations/{variation}/availability", resellers, stale(respondOK(storefront.day))},

		{get, "/api/v1/affiliates/activities", affiliates, stale(respondOK(affiliate.activities))},
		{get, "/api/v1/affiliates/commissions", affiliates, stale(respondOK(affiliate.commissions))},

		{get, "/", everyone, leadToDocs},
		{get, "/healthz", everyone, respondOK(ops.serveAlive)},
		{get, "/readyz", everyone, respondOK(ops.serveReady)},
		{get, metricsPath, everyone, ops.metrics},
		{get, "/openapi.yaml", everyone, passOn(marketplaceReference.ServeDocument)},
		{get, "/.well-known/jwks.json", everyone, runs.keys},
		{get, sharedPath + "reports/{token}", everyone, runs.serveShared},
		{get, registryPath, everyone, certified.page},
		{get, registryList, everyone, certified.list},
		{get, registryPath + "/{integration}/badge.svg", everyone, certified.badge},
		{get, registryPath + "/{integration}/certificate.jws", everyone, certified.certificate},
		{get, registryPath + "/revocations.jws", everyone, certified.revocations},
		{get, "/docs", everyone, showDocument(marketplaceReference)},
		{get, "/docs/partner", everyone, showDocument(partnerReference)},
		{get, "/docs/partner.yaml", everyone, passOn(partnerReference.ServeDocument)},

		{post, "/api/v1/auth/login", everyone, respondOK(withBody(signIns.signIn))},
		{post, "/api/v1/auth/refresh", everyone, respondOK(withBody(signIns.refresh))},
		{post, "/api/v1/auth/logout", everyone, respondOK(withBody(signIns.signOut))},

		{post, "/api/v1/resellers/bookings", resellers, bookings.checkOut},
		{get, "/api/v1/resellers/bookings", resellers, stale(respondOK(bookings.list))},
		{get, "/api/v1/resellers/bookings/{booking}", resellers, respondOK(byID("booking", bookings.show))},
		{remove, "/api/v1/resellers/bookings/{booking}", resellers, respondOK(byID("booking", bookings.abandon))},
		{post, "/api/v1/resellers/bookings/{booking}/payment", resellers, respondOK(byIDWithBody("booking", bookings.pay))},
		{post, "/api/v1/resellers/bookings/{booking}/reschedule", resellers, bookings.reschedule},
		{post, "/api/v1/resellers/bookings/{booking}/cancel", resellers, respondOK(byIDWithOptionalBody("booking", bookings.cancel))},

		{get, "/api/v1/resellers/events", resellers, events.feed},
		{post, "/api/v1/resellers/webhooks", resellers, respondCreated(withBody(events.subscribe))},
		{get, "/api/v1/resellers/webhooks", resellers, respondOK(events.subscriptions)},
		{remove, "/api/v1/resellers/webhooks/{webhook}", resellers, respondOK(byID("webhook", events.unsubscribe))},
		{patch, "/api/v1/resellers/webhooks/{webhook}", resellers, respondOK(byIDWithBody("webhook", events.change))},
		{post, "/api/v1/resellers/webhooks/{webhook}/secret", resellers, respondCreated(byID("webhook", events.rotate))},
		{get, "/api/v1/resellers/webhooks/{webhook}/deliveries", resellers, respondOK(byID("webhook", events.deliveries))},
		{post, "/api/v1/resellers/webhooks/{webhook}/deliveries/{event}/retry", resellers, respondOK(byID("webhook", events.retry))},

		{post, "/api/v1/partner-integrations/{integration}/availability/notify", everyone, webhooks.recordWebhook(partner.AvailabilityNotify, webhooks.notify)},
		{post, "/api/v1/partner-integrations/{integration}/sync/trigger", everyone, webhooks.recordWebhook(partner.SyncTrigger, webhooks.trigger)},

		{post, "/api/v1/partner-integrations", partners, respondCreated(withBody(integrations.register))},
		{get, "/api/v1/partner-integrations", partners, respondOK(integrations.list)},
		{get, "/api/v1/partner-integrations/{integration}", partners, respondOK(integrations.withIntegration(integrations.show))},
		{patch, "/api/v1/partner-integrations/{integration}", partners, respondOK(byIDWithBody("integration", integrations.change))},
		{remove, "/api/v1/partner-integrations/{integration}", partners, respondOK(byID("integration", integrations.remove))},
		{post, "/api/v1/partner-integrations/{integration}/test", partners, respondOK(byIDWithOptionalBody("integration", integrations.test))},
		{post, "/api/v1/partner-integrations/{integration}/webhook-secret", partners, respondCreated(integrations.withIntegration(integrations.rotate))},
		{get, "/api/v1/partner-integrations/{integration}/syncs", partners, respondOK(integrations.withIntegration(integrations.everySync))},
		{get, "/api/v1/partner-integrations/{integration}/calls", partners, respondOK(integrations.withIntegration(integrations.calls))},
		{get, "/api/v1/partner-integrations/{integration}/bookings", partners, respondOK(integrations.withIntegration(integrations.bookingsOf))},
		{get, "/api/v1/partner-integrations/{integration}/webhook-deliveries", partners, respondOK(integrations.withIntegration(integrations.listWebhooks))},
		{post, "/api/v1/partner-integrations/{integration}/conformance-runs", partners, respondAccepted(integrations.withIntegration(runs.start))},
		{get, "/api/v1/partner-integrations/{integration}/conformance-runs", partners, respondOK(integrations.withIntegration(runs.list))},
		{get, "/api/v1/partner-integrations/{integration}/conformance-runs/{run}", partners, respondOK(runs.show)},
		{get, "/api/v1/partner-integrations/{integration}/conformance-runs/{run}/progress", partners, runs.progress},
		{get, "/api/v1/partner-integrations/{integration}/conformance-runs/{run}/report.json", partners, runs.report("application/json")},
		{get, "/api/v1/partner-integrations/{integration}/conformance-runs/{run}/report.html", partners, runs.report(htmlType)},
		{get, "/api/v1/partner-integrations/{integration}/conformance-runs/{run}/junit.xml", partners, runs.report("application/xml")},
		{post, "/api/v1/partner-integrations/{integration}/conformance-runs/{run}/share", partners, respondCreated(runs.share)},
		{get, "/api/v1/partner-integrations/{integration}/conformance-runs/{run}/shares", partners, respondOK(runs.shares)},
		{remove, "/api/v1/partner-integrations/{integration}/conformance-runs/{run}/shares/{share}", partners, respondOK(runs.unshare)},
		{get, "/api/v1/partner-integrations/{integration}/certificate", partners, runs.certificate},
		{put, "/api/v1/partner-integrations/{integration}/registry", partners, respondOK(certified.set(true))},
		{remove, "/api/v1/partner-integrations/{integration}/registry", partners, respondOK(certified.set(false))},
		{post, "/api/v1/partner-integrations/{integration}/go-live", partners, respondOK(integrations.withIntegration(admissions.ask))},
		{get, "/api/v1/partner-integrations/{integration}/events", partners, respondOK(integrations.withIntegration(admissions.listEvents))},

		{post, "/api/v1/operator/integrations/{integration}/sync", operators, respondOK(integrations.withIntegration(integrations.sync))},
		{post, "/api/v1/operator/integrations/{integration}/sync/approve", operators, respondOK(integrations.withIntegration(integrations.approveSync))},
		{get, "/api/v1/operator/integrations/{integration}/syncs", operators, respondOK(integrations.withIntegration(integrations.syncs))},

		{put, "/api/v1/operator/integrations/{integration}/certification", operators, respondOK(integrations.withIntegration(admissions.setPolicy))},
		{post, "/api/v1/operator/integrations/{integration}/go-live", operators, respondOK(integrations.withIntegration(admissions.decide))},
		{get, "/api/v1/operator/conformance", operators, respondOK(admissions.matrix)},
		{get, "/api/v1/operator/conformance.csv", operators, admissions.export},

		{get, "/api/v1/operator/overview", operators, stale(respondOK(ops.overview))},
		{get, "/api/v1/operator/bookings", operators, stale(respondOK(bookings.listAll))},
		{get, "/api/v1/operator/bookings/{booking}", operators, respondOK(byID("booking", bookings.show))},
		{post, "/api/v1/operator/bookings/{booking}/confirm", operators, respondOK(byID("booking", bookings.settle(c.Bookings.Retry)))},
		{post, "/api/v1/operator/bookings/{booking}/cancel", operators, respondOK(byIDWithOptionalBody("booking", bookings.cancelAny))},
		{post, "/api/v1/operator/bookings/{booking}/deliver", operators, respondOK(byID("booking", bookings.settle(c.Bookings.Deliver)))},
		{post, "/api/v1/operator/bookings/{booking}/resolve", operators, respondOK(byID("booking", bookings.settle(c.Bookings.Resolve)))},
		{post, "/api/v1/operator/bookings/{booking}/erase-guest", operators, respondOK(byID("booking", bookings.eraseGuest))},

		{post, "/api/v1/operator/accounts", operators, respondCreated(withBody(accounts.create))},
		{get, "/api/v1/operator/accounts", operators, respondOK(accounts.list)},
		{post, "/api/v1/operator/invitations", operators, respondCreated(withBody(accounts.invite))},
		{get, "/api/v1/operator/invitations", operators, respondOK(accounts.invitations)},
		{remove, "/api/v1/operator/invitations/{invitation}", operators, respondOK(byID("invitation", accounts.uninvite))},
		{get, "/api/v1/operator/accounts/{account}", operators, respondOK(byID("account", accounts.show))},
		{patch, "/api/v1/operator/accounts/{account}", operators, respondOK(byIDWithBody("account", accounts.change))},
		{post, "/api/v1/operator/accounts/{account}/api-tokens", operators, respondCreated(byIDWithBody("account", accounts.createToken))},
		{remove, "/api/v1/operator/accounts/{account}/api-tokens/{token}", operators, respondOK(byID("account", accounts.revokeToken))},
		{get, "/api/v1/operator/accounts/{account}/webhooks", operators, respondOK(byID("account", events.subscriptionsOf))},
		{get, "/api/v1/operator/accounts/{account}/webhooks/{webhook}/deliveries", operators, respondOK(byID("account", events.anyDeliveries))},

		{get, "/api/v1/operator/activities", operators, respondOK(activities.list)},
		{get, "/api/v1/operator/activities/{activity}", operators, respondOK(byID("activity", activities.show))},
		{get, "/api/v1/operator/activities/{activity}/prices", operators, respondOK(byID("activity", activities.prices))},
		{patch, "/api/v1/operator/activities/{activity}", operators, respondOK(byID("activity", activities.edit))},

		{get, "/api/v1/operator/rates", operators, respondOK(terms.rates)},
		{put, "/api/v1/operator/rates", operators, respondOK(withBody(terms.changeRates))},
		{post, "/api/v1/operator/rates/import", operators, respondOK(withBody(terms.importRates))},
		{get, "/api/v1/operator/pricing", operators, respondOK(terms.fees)},
		{put, "/api/v1/operator/pricing", operators, respondOK(withBody(terms.changeFees))},
	}
}

const (
	serviceSurface = "service"  // for those who run the service
	webhookSurface = "webhooks" // for partners' platforms
	sharedSurface  = "shared"   // for those who received a link
	publicSurface  = "registry" // for everyone
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
	if strings.HasPrefix(r.path, registryPath) {
		return publicSurface
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
