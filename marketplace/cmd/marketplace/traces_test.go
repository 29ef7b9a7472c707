package main

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/waittest"
	"partnerkit.dev/mockpartner"
	mock "partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/partnerapi"
)

// tracer receives traces by OTLP over HTTP.
type tracer struct {
	*httptest.Server
	mu    sync.Mutex
	spans []received
	text  strings.Builder // everything received, as JSON
}

// received is a span and the replica that sent it.
type received struct {
	*trace.Span
	replica string
}

func openTracer(t *testing.T) *tracer {
	t.Helper()
	r := &tracer{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		var export collector.ExportTraceServiceRequest
		if err != nil || request.URL.Path != "/v1/traces" || proto.Unmarshal(body, &export) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.text.WriteString(protojson.Format(&export))
		for _, of := range export.GetResourceSpans() {
			for _, scope := range of.GetScopeSpans() {
				for _, span := range scope.GetSpans() {
					r.spans = append(r.spans, received{span, attribute(of.GetResource().GetAttributes(), "service.instance.id")})
				}
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(r.Close)
	return r
}

func attribute(all []*common.KeyValue, key string) string {
	for _, one := range all {
		if one.GetKey() == key {
			return one.GetValue().GetStringValue()
		}
	}
	return ""
}

// trace returns the spans of a trace, earliest first.
func (r *tracer) trace(id string) (of []received) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, span := range r.spans {
		if string(span.GetTraceId()) == id {
			of = append(of, span)
		}
	}
	slices.SortFunc(of, func(a, b received) int { return int(a.GetStartTimeUnixNano()) - int(b.GetStartTimeUnixNano()) })
	return of
}

func (r *tracer) variables(replica string) []string {
	return []string{keyRing, "MARKETPLACE_TRACES=true", "OTEL_EXPORTER_OTLP_ENDPOINT=" + r.URL, "OTEL_RESOURCE_ATTRIBUTES=service.instance.id=" + replica, "OTEL_BSP_SCHEDULE_DELAY=100"}
}

// withTrace sends every request as part of a trace, as a gateway does.
type withTrace string

func (w withTrace) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Traceparent", string(w))
	return http.DefaultTransport.RoundTrip(r)
}

// guest is a customer's name.
const guest = "Ana Sousa-Telles"

// openShop signs in to a marketplace with a partner and a reseller, and returns an order for a
// bookable slot.
func (s *service) openShop(t *testing.T, partner *mocktest.Server) (email string, order client.Order) {
	t.Helper()
	operator, err := client.NewOperator(s.base, client.Password("op@example.com", operatorPassword), client.Options{})
	must(t, err)
	for _, role := range []client.Role{client.PartnerRole, client.ResellerRole} {
		_, err := operator.CreateAccount(t.Context(), client.NewAccount{Email: string(role) + "@example.com", Password: operatorPassword, Role: role, Name: "A"})
		must(t, err)
	}
	platform, err := client.NewPartner(s.base, client.Password("partner@example.com", operatorPassword), client.Options{})
	must(t, err)
	made, err := platform.Register(t.Context(), client.Registration{Name: "Walks", BaseURL: partner.URL, AuthKey: client.Secret(partner.AuthKey)})
	must(t, err)
	_, err = operator.Sync(t.Context(), made.IntegrationID, client.Full)
	must(t, err)
	shop, err := client.NewReseller(s.base, client.Password("reseller@example.com", operatorPassword), client.Options{})
	must(t, err)
	waittest.Until(t, "a slot that can be booked", func() (found bool) {
		order, found = findSlot(t, shop)
		return found
	})
	return "reseller@example.com", order
}

// findSlot finds a bookable slot for two.
func findSlot(t *testing.T, shop *client.Reseller) (client.Order, bool) {
	t.Helper()
	activities, err := shop.Activities(client.ActivityQuery{}).Page(t.Context(), 1, 20)
	must(t, err)
	for _, activity := range activities.Entries {
		for _, variation := range activity.Variations {
			for day := 2; day < 9; day++ {
				slots, err := shop.Slots(t.Context(), client.SlotsQuery{ActivityID: activity.ID, VariationID: variation.ID, Date: client.DateOf(time.Now().AddDate(0, 0, day))})
				must(t, err)
				for _, slot := range slots {
					if slot.Bookable && len(slot.Pricing.Units) > 0 && (slot.Vacancies == nil || *slot.Vacancies >= 2) {
						return client.Order{
							ActivityID: activity.ID, VariationID: variation.ID, AvailabilityID: slot.AvailabilityID,
							Units:   []client.Party{{Type: partnerapi.UnitType("ADULT"), Quantity: 2}},
							Contact: client.Contact{FullName: guest, EmailAddress: "ana@telles.example", PhoneNumber: "+351 900 111 222"},
						}, true
					}
				}
			}
		}
	}
	return client.Order{}, false
}

// TestABookingIsOneTraceThroughTwoReplicasItsJobAndItsPartner also requires that the trace contains
// no secret and no customer data.
func TestABookingIsOneTraceThroughTwoReplicasItsJobAndItsPartner(t *testing.T) {
	t.Parallel()
	const id, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	receiver, address := openTracer(t), pgtest.URL(t)
	first := startService(t, append(firstOperator, receiver.variables("first")...), "--database-url", address, "--trusted-proxies", "127.0.0.0/8")
	partner := mocktest.Start(t, mockpartner.Options{Seed: 1})
	email, order := first.openShop(t, partner)
	second := startService(t, receiver.variables("second"), "--database-url", address)

	_, err := partner.Control.Faults.Arm(t.Context(), `[{match: {endpoint: confirm}, times: 1, when: after, fault: CONNECTION_RESET_BY_PEER}]`)
	must(t, err)
	gateway := &http.Client{Transport: withTrace("00-" + id + "-" + parent + "-01")}
	shop, err := client.NewReseller(first.base, client.Password(email, operatorPassword), client.Options{HTTP: gateway})
	must(t, err)
	held, err := shop.Book(t.Context(), order)
	must(t, err)
	paid, err := shop.Pay(t.Context(), held.ID, "payment-of-Ana")
	must(t, err)
	if paid.Status != "PAID" {
		t.Fatalf("Expected the confirm's answer to be lost, received %s", paid.Status)
	}
	first.stop(t) // the other replica repeats the confirm
	job := func(s received) bool { return s.GetName() == "river.work/booking_confirm" && s.replica == "second" }
	var spans []received
	waittest.Until(t, "the span of the job", func() bool {
		spans = receiver.trace(unhex(t, id))
		return slices.ContainsFunc(spans, job)
	})
	second.stop(t)

	var names []string
	byID := map[string]received{}
	for _, span := range receiver.trace(unhex(t, id)) {
		byID[string(span.GetSpanId())] = span
		if !strings.Contains(attribute(span.GetAttributes(), "db.system.name"), "postgresql") {
			names = append(names, span.replica+" "+span.GetName())
		}
	}
	for _, want := range []string{
		"first POST /api/v1/resellers/bookings", "first partner availability", "first partner reserve",
		"first POST /api/v1/resellers/bookings/{booking}/payment", "first partner confirm",
		"second river.work/booking_confirm", "second partner confirm",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("Expected a span %q, received %q", want, names)
		}
	}
	// The parents of the second replica's SQL lead to the gateway in one line.
	queries := 0
	for _, span := range byID {
		if attribute(span.GetAttributes(), "db.query.text") == "" {
			continue
		}
		queries++
		for string(span.GetParentSpanId()) != unhex(t, parent) {
			above, found := byID[string(span.GetParentSpanId())]
			if !found {
				t.Fatalf("Expected %s to have a parent in the trace", span)
			}
			span = above
		}
	}
	if queries < 10 {
		t.Errorf("Expected the SQL in the trace, received %d queries", queries)
	}
	booked := 0
	for _, span := range byID {
		if attribute(span.GetAttributes(), "marketplace.booking.id") == held.ID {
			booked++
		}
	}
	if booked < 3 { // checkout, payment, job
		t.Errorf("Expected 3 spans with the booking's id, received %d", booked)
	}
	for _, secret := range []string{guest, "telles.example", "900 111 222", "payment-of-Ana", partner.AuthKey, operatorPassword, "Bearer", code(t, address)} {
		if strings.Contains(receiver.text.String(), secret) {
			t.Errorf("Expected no trace to have %q", secret)
		}
	}
	var archive strings.Builder
	must(t, partner.Control.Journal.WriteHAR(t.Context(), &archive, mock.Filter{}))
	if strings.Contains(strings.ToLower(archive.String()), "traceparent") {
		t.Error("Expected the partner to receive no traceparent")
	}
}

// code returns the code of the only hold.
func code(t *testing.T, address string) (text string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	must(t, err)
	defer conn.Close(t.Context())
	must(t, conn.QueryRow(t.Context(), `SELECT code FROM bookings`).Scan(&text))
	return text
}

func TestTracesNeedAnAddressAndTheProtocolThatIsSpoken(t *testing.T) {
	t.Parallel()
	for want, variables := range map[string][]string{
		"--traces: set OTEL_EXPORTER_OTLP_ENDPOINT to the address of an OTLP receiver":   nil,
		"--traces: OTEL_EXPORTER_OTLP_ENDPOINT: expected an address such as":             {"OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4318"},
		"--traces: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: expected an address such as":      {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://me:hush@tracer", "OTEL_EXPORTER_OTLP_ENDPOINT=http://tracer"},
		`--traces: OTEL_EXPORTER_OTLP_PROTOCOL: expected http/protobuf, received "grpc"`: {"OTEL_EXPORTER_OTLP_ENDPOINT=http://tracer", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"},
	} {
		run(t, "", variables, "serve", "--traces").requireUsageError(t, want)
	}
}

// An unavailable receiver only causes a log line. It affects neither answers nor a clean shutdown.
func TestAServiceServesAndEndsWithoutAReceiverOfTraces(t *testing.T) {
	t.Parallel()
	s := startService(t, append(firstOperator, keyRing, "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "OTEL_BSP_SCHEDULE_DELAY=50", "OTEL_EXPORTER_OTLP_TIMEOUT=200"), "--traces", "--database-url", pgtest.URL(t))
	for range 3 {
		s.rates(t)
	}
	must(t, s.Process.Signal(syscall.SIGTERM))
	r := s.ends(t)
	if r.code != 0 || strings.Count(r.out, "traces were not sent") != 1 {
		t.Errorf("Expected exit code 0 and one line about the traces, received %d: %s", r.code, r.out)
	}
	if !strings.Contains(r.out, `"trace_id"`) {
		t.Errorf("Expected the log to name the trace of a request, received %s", r.out)
	}
}

func unhex(t *testing.T, id string) string {
	t.Helper()
	text, err := hex.DecodeString(id)
	must(t, err)
	return string(text)
}
