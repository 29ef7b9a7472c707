package api

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"partnerkit.dev/marketplace/internal/marketplace"
)

type opsStore interface {
	Ping(ctx context.Context) error
	Overview(ctx context.Context, now time.Time) (marketplace.Overview, error)
}

// opsHandler answers those who run the service.
type opsHandler struct {
	store    opsStore
	measured http.Handler
	scrapers []netip.Prefix
	now      func() time.Time
}

func (h opsHandler) alive(*http.Request) (any, error) {
	return map[string]string{"status": "alive"}, nil
}

// readyTime bounds the look at the database.
const readyTime = 2 * time.Second

func (h opsHandler) ready(r *http.Request) (any, error) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTime)
	defer cancel()
	if err := h.store.Ping(ctx); err != nil {
		return nil, httpError(marketplace.ServiceUnavailable, "the database does not answer")
	}
	return map[string]string{"status": "ready"}, nil
}

// overview is what operators look at first.
func (h opsHandler) overview(r *http.Request) (any, error) {
	return h.store.Overview(r.Context(), h.now())
}

// metrics answers Prometheus, where it asks from a network that may. What a proxy passes
// on comes from somewhere else, whatever its address.
func (h opsHandler) metrics(w http.ResponseWriter, r *http.Request) error {
	if r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "" || !h.mayScrape(r.RemoteAddr) {
		return &marketplace.Error{Code: marketplace.Forbidden, Message: "metrics are for the networks of --metrics-from"}
	}
	h.measured.ServeHTTP(w, r)
	return nil
}

func (h opsHandler) mayScrape(remote string) bool {
	from, err := netip.ParseAddrPort(remote)
	address := from.Addr().Unmap().WithZone("")
	return err == nil && slices.ContainsFunc(h.scrapers, func(network netip.Prefix) bool { return network.Contains(address) })
}
