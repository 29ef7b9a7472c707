package api

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"partnerkit.dev/marketplace/internal/marketplace"
)

type opsStore interface {
	Overview(ctx context.Context, now time.Time, certificates bool) (marketplace.Overview, error)
}

// opsHandler serves operators of the service.
type opsHandler struct {
	store    opsStore
	check    func(context.Context) error
	measured http.Handler
	scrapers []netip.Prefix
	now      func() time.Time

	certificates bool // integrations include their certification
}

func (h opsHandler) alive(*http.Request) (any, error) {
	return map[string]string{"status": "alive"}, nil
}

func (h opsHandler) ready(r *http.Request) (any, error) {
	if err := h.check(r.Context()); err != nil {
		return nil, err
	}
	return map[string]string{"status": "ready"}, nil
}

// overview answers with what needs attention.
func (h opsHandler) overview(r *http.Request) (any, error) {
	return h.store.Overview(r.Context(), h.now(), h.certificates)
}

// metrics answers Prometheus, if it calls from an allowed network. A request through a proxy comes
// from elsewhere, whatever its address.
func (h opsHandler) metrics(w http.ResponseWriter, r *http.Request) error {
	if !h.mayScrape(r) {
		return &marketplace.Error{Code: marketplace.Forbidden, Message: notForMetrics}
	}
	h.measured.ServeHTTP(w, r)
	return nil
}

const notForMetrics = "metrics are available only to the networks of --metrics-from"

func (h opsHandler) mayScrape(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && within(h.scrapers, from.Addr()) && r.Header.Get("X-Forwarded-For") == "" && r.Header.Get("Forwarded") == ""
}

// MetricsHandler serves only the metrics, for a separate listener.
func MetricsHandler(c Config) http.Handler {
	ops := newOps(c)
	only := http.NewServeMux()
	only.HandleFunc("GET "+metricsPath, func(w http.ResponseWriter, r *http.Request) {
		if !ops.mayScrape(r) {
			http.Error(w, notForMetrics, http.StatusForbidden)
			return
		}
		ops.measured.ServeHTTP(w, r)
	})
	return only
}

const metricsPath = "/metrics"

func newOps(c Config) opsHandler {
	return opsHandler{c.Store.Database, c.Ready, c.Metrics.Handler(), c.Scrapers, c.Now, c.Runs.Shown}
}
