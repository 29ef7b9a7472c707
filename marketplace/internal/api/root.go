package api

import (
	"context"
	"net/http"
	"time"
)

// readyTime bounds the look at the database.
const readyTime = 2 * time.Second

// rootRoutes are what those ask who run the service.
func (a *API) rootRoutes() []route {
	return []route{
		{http.MethodGet, "/healthz", anybody, a.alive},
		{http.MethodGet, "/readyz", anybody, a.ready},
		{http.MethodGet, "/openapi.yaml", anybody, a.describe},
		{http.MethodGet, "/metrics", anybody, a.showMetrics},
	}
}

func (a *API) alive(w http.ResponseWriter, _ *http.Request) error {
	return writeData(w, http.StatusOK, map[string]string{"status": "alive"})
}

func (a *API) ready(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), readyTime)
	defer cancel()
	if err := a.store.Database.Ping(ctx); err != nil {
		return &statusError{http.StatusServiceUnavailable, "the database does not answer"}
	}
	return writeData(w, http.StatusOK, map[string]string{"status": "ready"})
}
