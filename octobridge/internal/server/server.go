// Package server serves the partner contract in front of an OCTO supplier.
package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/gorilla/mux"

	"partnerkit.dev/octobridge/internal/booking"
	"partnerkit.dev/octobridge/internal/offer"
	"partnerkit.dev/octobridge/internal/store"
	"partnerkit.dev/octobridge/internal/supplier"
	"partnerkit.dev/schemas/partnerapi"
)

// Config configures a Server.
type Config struct {
	AuthType partnerapi.AuthType
	AuthKey  string
	Supplier *supplier.Client
	Bookings *booking.Service
	Store    *store.Store
	Units    offer.Units
	Metrics  *Metrics
	Log      *slog.Logger
	Now      func() time.Time
}

// Server is an http.Handler. It is safe for concurrent use.
type Server struct {
	Config
	http.Handler
	offered    offers
	translator offer.Translator
}

// New returns a server.
func New(c Config) *Server {
	s := &Server{Config: c, translator: offer.Translator{Units: c.Units}}
	s.offered = offers{read: s.readOffer, now: c.Now}
	// Paths are not cleaned, because codes may look like directories.
	router := mux.NewRouter().SkipClean(true).UseEncodedPath()
	router.NotFoundHandler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, "there is no such path") })
	router.MethodNotAllowedHandler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusMethodNotAllowed, "this path has other methods")
	})
	serve := func(name partnerapi.Endpoint, path string, handle func(*http.Request) (any, error), methods ...string) {
		router.Handle(path, s.endpoint(name, handle)).Methods(methods...)
	}
	serve(partnerapi.Products, partnerapi.ProductsPath, s.products, http.MethodGet, http.MethodHead)
	serve(partnerapi.Availability, partnerapi.AvailabilityPath, s.availability, http.MethodPost)
	serve(partnerapi.Reserve, partnerapi.ReservePath, s.reserve, http.MethodPost)
	serve(partnerapi.Confirm, partnerapi.ConfirmPath, s.confirm, http.MethodPost)
	serve(partnerapi.Release, "/bookings/{code}", s.release, http.MethodDelete)
	serve(partnerapi.Cancel, "/bookings/{code}/cancel", s.cancel, http.MethodPost)
	router.HandleFunc(HealthPath, s.health).Methods(http.MethodGet, http.MethodHead)
	router.Handle("/metrics", c.Metrics.handler()).Methods(http.MethodGet)
	s.Handler = router
	return s
}

// HealthPath answers 200 while the bridge can serve. It does not call the supplier.
const HealthPath = "/healthz"

func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if err := s.Store.Ping(r.Context()); err != nil {
		s.Log.Warn("health", "error", err)
		refuse(w, http.StatusServiceUnavailable, "the store does not answer")
		return
	}
	send(w, http.StatusOK, map[string]string{"status": "ok"})
}

// maxBody is the maximum size of a request's body, in bytes.
const maxBody = 1 << 20

// endpoint answers 401 to callers without the key before anything else happens (AUTH-2 to AUTH-5), and
// ends the wait for the supplier before the caller does.
func (s *Server) endpoint(name partnerapi.Endpoint, handle func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, status := time.Now(), http.StatusOK
		defer func() { s.Metrics.countRequest(name, status, time.Since(began)) }()
		if !s.isPresented(r) {
			status = http.StatusUnauthorized
			w.Header().Set("WWW-Authenticate", `Bearer realm="partner"`)
			refuse(w, status, "wrong or missing key: send the header Authorization: "+s.AuthType.Authorization("<key>"))
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		value, err := handle(r)
		if err != nil {
			status = s.fail(w, r, name, err)
			return
		}
		send(w, status, value)
	})
}

// isPresented reports whether a request has the key. It compares in constant time.
func (s *Server) isPresented(r *http.Request) bool {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return false
	}
	presented, expected := sha256.Sum256([]byte(values[0])), sha256.Sum256([]byte(s.AuthType.Authorization(s.AuthKey)))
	return subtle.ConstantTimeCompare(presented[:], expected[:]) == 1
}

// waitFor returns how long the caller of an endpoint is kept waiting for the supplier. It is shorter than
// the time after which a marketplace gives up on a partner that is DEGRADED (LIM-1).
func waitFor(name partnerapi.Endpoint, probe bool) time.Duration {
	if probe {
		return partnerapi.ProbeTimeout - margin
	}
	return name.Timeout(partnerapi.Degraded) - margin
}

const margin = 500 * time.Millisecond

// send answers with a value, or with rendered JSON.
func send(w http.ResponseWriter, status int, value any) {
	body, rendered := value.([]byte)
	if !rendered {
		var err error
		if body, err = json.Marshal(value); err != nil {
			status, body = http.StatusInternalServerError, []byte(`{"message":"the answer cannot be written as JSON"}`)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the caller has left
}

func refuse(w http.ResponseWriter, status int, message string) {
	send(w, status, partnerapi.Refusal{Message: message})
}

// segment returns the code or booking id in the path (RSV-6).
func segment(r *http.Request) (string, error) {
	value, err := url.PathUnescape(mux.Vars(r)["code"])
	if err != nil {
		return "", badRequest("the path has invalid escapes")
	}
	return value, nil
}
