package server_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/octobridge/internal/booking"
	"partnerkit.dev/octobridge/internal/offer"
	"partnerkit.dev/octobridge/internal/server"
	"partnerkit.dev/octobridge/internal/store"
	"partnerkit.dev/octobridge/internal/supplier"
	"partnerkit.dev/schemas/partnerapi"
)

// check ends the test on an error.
var check = errtest.Check

// key is the key that the marketplace presents to the bridge.
const key = "a-key-for-the-bridge"

// bridge is a bridge in front of the mock partner, which serves as an OCTO supplier.
type bridge struct {
	*server.Server
	mock *mocktest.Server
	url  string // the bridge's
	octo string // the supplier's
	log  *logged
}

// options of a bridge.
type options struct {
	mock   mockpartner.Options
	units  offer.Units
	around func(supplier http.Handler) http.Handler // what stands between the bridge and the supplier
}

// start serves a bridge until the test ends. It has the mock's clock.
func start(t testing.TB, o options) *bridge {
	t.Helper()
	mock := mocktest.Start(t, o.mock)
	face := mock.OCTO()
	if o.around != nil {
		face = o.around(face)
	}
	octo := httptest.NewServer(face)
	t.Cleanup(octo.Close)
	address, err := url.Parse(octo.URL)
	check(t, err)
	now := mock.Default().Now
	kept, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "bridge.db"), now)
	check(t, err)
	log, metrics := &logged{}, server.NewMetrics()
	client := supplier.New(supplier.Config{URL: address, Key: mock.AuthKey, UserAgent: "octobridge/test", Observe: metrics.CountCall})
	bookings := booking.New(booking.Config{
		Supplier: client, Store: kept, HoldFor: 20 * time.Minute, Log: slog.New(slog.NewTextHandler(log, nil)), Now: now,
	})
	handler := server.New(server.Config{
		AuthType: partnerapi.Bearer, AuthKey: key, Supplier: client, Bookings: bookings, Store: kept, Units: o.units,
		Metrics: metrics, Log: bookings.Log, Now: now,
	})
	served := httptest.NewServer(handler)
	t.Cleanup(func() {
		served.Close()
		bookings.Wait()
		check(t, kept.Close())
	})
	return &bridge{Server: handler, mock: mock, url: served.URL, octo: octo.URL, log: log}
}

// logged is what a bridge has logged.
type logged struct {
	mu   sync.Mutex
	text []byte
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, line...)
	return len(line), nil
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}
