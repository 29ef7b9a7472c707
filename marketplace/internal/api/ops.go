package api

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"partnerkit.dev/internal/apidocs"
	"partnerkit.dev/internal/loopback"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/openapi"
)

type opsStore interface {
	Overview(ctx context.Context, now time.Time) (client.Overview, error)
}

// opsHandler serves operators of the service.
type opsHandler struct {
	store    opsStore
	check    func(context.Context) error
	measured http.Handler
	scrapers []netip.Prefix
	now      func() time.Time
}

func (h opsHandler) serveAlive(*http.Request) (any, error) {
	return map[string]string{"status": "alive"}, nil
}

func (h opsHandler) serveReady(r *http.Request) (any, error) {
	if err := h.check(r.Context()); err != nil {
		return nil, err
	}
	return map[string]string{"status": "ready"}, nil
}

// overview answers with what needs attention.
func (h opsHandler) overview(r *http.Request) (any, error) {
	return h.store.Overview(r.Context(), h.now())
}

// metrics answers Prometheus, if it calls from an allowed network. A request through a proxy comes
// from elsewhere, whatever its address.
func (h opsHandler) metrics(w http.ResponseWriter, r *http.Request) error {
	if err := h.checkScraper(r); err != nil {
		return &domain.Error{Code: domain.Forbidden, Message: err.Error()}
	}
	h.measured.ServeHTTP(w, r)
	return nil
}

// checkScraper returns an error for a caller that may not read the metrics: from another network, through a proxy,
// or a page of another site in a browser on this machine.
func (h opsHandler) checkScraper(r *http.Request) error {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !isInNetworks(h.scrapers, from.Addr()) || r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "" {
		return errors.New("metrics are available only to the networks of --metrics-from")
	}
	return loopback.Check(r)
}

// MetricsHandler serves only the metrics, for a separate listener.
func MetricsHandler(c Config) http.Handler {
	ops := newOps(c)
	only := http.NewServeMux()
	only.HandleFunc("GET "+metricsPath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if err := ops.checkScraper(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		ops.measured.ServeHTTP(w, r)
	})
	return only
}

const metricsPath = "/metrics"

func newOps(c Config) opsHandler {
	return opsHandler{c.Store.Database, c.Ready, c.Metrics.Handler(), c.Scrapers, c.Now}
}

// The references of the APIs. They are built at their first use.
var (
	marketplaceReference = apidocs.New(apidocs.Config{
		Title: "Marketplace API", Document: "openapi.yaml", Server: "./", Address: "$MARKETPLACE",
		Bundle: func() ([]byte, error) { return openapi.Bundle(openapi.Marketplace) },
		Tokens: []apidocs.Token{{Scheme: "apiToken", Variable: "TOKEN"}, {Scheme: "bearer", Variable: "ACCESS_TOKEN"}, {Scheme: "webhook_secret", Variable: "WEBHOOK_SECRET"}},
		Links:  []apidocs.Link{{Name: "Marketplace API"}, {Name: "Partner API", To: "docs/partner"}},
	})
	partnerReference = apidocs.New(apidocs.Config{
		Title: "Partner API", Document: "partner.yaml", Address: "$PARTNER",
		Bundle: func() ([]byte, error) { return openapi.Bundle(openapi.Partner) },
		Tokens: []apidocs.Token{{Scheme: "bearer", Variable: "PARTNER_KEY"}},
		Links:  []apidocs.Link{{Name: "Marketplace API", To: "../docs"}, {Name: "Partner API"}},
	})
)

// showDocument returns the handler of a document's pages.
func showDocument(of *apidocs.Reference) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		q := readQuery(r)
		q.one("tag")
		q.one("q")
		if err := q.check(); err != nil {
			return err
		}
		of.ServeHTTP(w, r)
		return nil
	}
}

// passOn returns a handler that cannot fail.
func passOn(serve http.HandlerFunc) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		serve(w, r)
		return nil
	}
}

// leadToDocs redirects browsers from the service's root to the API documentation.
func leadToDocs(w http.ResponseWriter, r *http.Request) error {
	http.Redirect(w, r, "docs", http.StatusSeeOther)
	return nil
}
