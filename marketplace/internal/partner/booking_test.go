package partner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/partner/partnertest"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	goodHold    = `{"reservationConfirmationCode":"H/1","expiresAt":"2026-07-01T09:20:00Z"}`
	goodBooking = `{"externalBookingId":"B-1","status":"CONFIRMED"}`
)

// neverAnswer never answers. The server notices that the caller has disconnected after it has
// read the body.
func neverAnswer(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func (b *bench) reserve(ctx context.Context) (partnerapi.ReserveAnswer, partner.Outcome) {
	return b.Reserve(ctx, soonDeadline(), b.target, partnerapi.Healthy, partnerapi.ReserveRequest{
		ProductID: "p", OptionID: "o", AvailabilityID: "a", Units: []partnerapi.UnitQuantity{{ID: "unit-adult", Quantity: 2}}, ResellerReference: "r",
	}, func(partnerapi.ReserveAnswer, partner.Outcome) {})
}

func (b *bench) confirm(ctx context.Context) (partnerapi.ConfirmAnswer, partner.Outcome) {
	return b.Confirm(ctx, soonDeadline(), b.target, partnerapi.Healthy, partnerapi.ConfirmRequest{ReservationConfirmationCode: "H/1"}, false)
}

func TestABookingsCallsAreWhatTheContractSays(t *testing.T) {
	t.Parallel()
	var got []string
	b := setup(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, fmt.Sprintf("%s %s %s %s%s", r.Method, r.URL.EscapedPath(), r.Header.Get("Content-Type"), body, r.Header.Get("Idempotency-Key")))
		switch {
		case strings.HasSuffix(r.URL.Path, "/reserve"):
			w.WriteHeader(201)
			_, _ = io.WriteString(w, goodHold)
		case strings.HasSuffix(r.URL.Path, "/confirm"):
			_, _ = io.WriteString(w, goodBooking)
		default:
			_, _ = io.WriteString(w, `{"success":true}`)
		}
	})
	hold, reserved := b.reserve(t.Context())
	booked, confirmed := b.confirm(t.Context())
	if reserved.Kind != partner.Done || reserved.Status != 201 || hold.ReservationConfirmationCode != "H/1" {
		t.Errorf("want a hold, got %+v and %+v", hold, reserved)
	}
	if confirmed.Kind != partner.Done || booked.ExternalBookingID != "B-1" || confirmed.Breaches != nil {
		t.Errorf("want a booking, got %+v and %+v", booked, confirmed)
	}
	for _, code := range []string{"H/1", "..", "a+b %"} {
		if o := b.Release(t.Context(), soonDeadline(), b.target, code); o.Kind != partner.Done {
			t.Errorf("want it taken, got %+v", o)
		}
	}
	if o := b.Cancel(t.Context(), soonDeadline(), b.target, "B/1", "ill"); o.Kind != partner.Done {
		t.Errorf("want it taken, got %+v", o)
	}
	want := []string{
		`POST /v2/bookings/reserve application/json {"productId":"p","optionId":"o","availabilityId":"a","units":[{"id":"unit-adult","quantity":2}],"resellerReference":"r"}`,
		`POST /v2/bookings/confirm application/json {"reservationConfirmationCode":"H/1"}`,
		`DELETE /v2/bookings/H%2F1 application/json {"reservationConfirmationCode":"H/1"}`,
		`DELETE /v2/bookings/%2E%2E application/json {"reservationConfirmationCode":".."}`,
		`DELETE /v2/bookings/a%2Bb%20%25 application/json {"reservationConfirmationCode":"a+b %"}`,
		`POST /v2/bookings/B%2F1/cancel application/json {"reason":"ill"}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("want\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

func TestAConfirmsOutcomeDistinguishesAnAnswerFromNone(t *testing.T) {
	t.Parallel()
	says := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		kind    partner.Kind
		health  partner.Result
		message string
	}{
		"a booking":               {says(200, goodBooking), partner.Done, partner.ResultOK, ""},
		"a refusal":               {says(400, `{"message":"The hold\n has expired.\u0000"}`), partner.Refused, partner.ResultStatus, "The hold has expired."},
		"a refusal without words": {says(400, ""), partner.Refused, partner.ResultStatus, ""},
		"long words":              {says(400, `{"message":"`+strings.Repeat("x", 5000)+`"}`), partner.Refused, partner.ResultStatus, strings.Repeat("x", 500) + "…"},
		"an error":                {says(500, "<html>"), partner.Failed, partner.ResultStatus, ""},
		"a redirect":              {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, partner.Refused, partner.ResultStatus, ""},
		"nonsense":                {says(200, "fine"), partner.Unreadable, partner.ResultUnreadable, ""},
		"no booking's id":         {says(200, `{"status":"CONFIRMED"}`), partner.Unreadable, partner.ResultUnreadable, ""},
		"a long booking's id":     {says(200, `{"status":"CONFIRMED","externalBookingId":"`+strings.Repeat("x", 1001)+`"}`), partner.Unstorable, partner.ResultUnreadable, ""},
		"NUL in a booking's id":   {says(200, `{"status":"CONFIRMED","externalBookingId":"B\u0000"}`), partner.Unstorable, partner.ResultUnreadable, ""},
		"an endless answer":       {says(200, strings.Repeat(" ", 9<<20)), partner.Unreadable, partner.ResultUnreadable, ""},
		"an endless error":        {says(500, strings.Repeat(" ", 9<<20)), partner.Failed, partner.ResultUnreadable, ""},
		"silence":                 {neverAnswer, partner.Unanswered, partner.ResultTimeout, ""},
		"a lost connection":       {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, partner.Unanswered, partner.ResultTransport, ""},
		"half an answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, goodBooking)
		}, partner.Unanswered, partner.ResultTransport, ""},
		"half of a refusal": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(400)
		}, partner.Unanswered, partner.ResultTransport, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			judge := func(t *testing.T, b *bench) {
				_, o := b.confirm(t.Context())
				b.observes(t, c.health)
				if o.Kind != c.kind || o.Message != c.message || (o.Err == nil) != (c.kind == partner.Done) || (o.Status != 0) != o.Kind.IsAnswered() {
					t.Errorf("want %s with %q, got %+v", c.kind, c.message, o)
				}
			}
			if c.health == partner.ResultTimeout {
				timed(t, c.answer, judge)
				return
			}
			judge(t, setup(t, c.answer))
		})
	}
}

func TestAnAnswerThatNamesItsBookingIsGoodWhateverElseItBreaks(t *testing.T) {
	t.Parallel()
	ticket := `{"redemptionMethod":"DIGITAL","deliveryOptions":[{"deliveryFormat":"QRCODE","deliveryMethod":"TICKET","deliveryValue":"q"}]}`
	for body, tickets := range map[string]int{
		`{"externalBookingId":"B-1","status":"CONFIRMED"}`:                                                                                   0,
		`{"externalBookingId":"B-1","status":"PENDING","tickets":[` + ticket + `]}`:                                                          1,
		`{"externalBookingId":"B-1"}`:                                                                                                        0,
		`{"externalBookingId":"B-1","status":"CONFIRMED","tickets":[{},` + ticket + `]}`:                                                     1,
		`{"externalBookingId":"B-1","status":"CONFIRMED","tickets":[` + ticket + `,` + strings.Replace(ticket, `"q"`, `"q\u0000"`, 1) + `]}`: 1,
		`{"externalBookingId":"B-1","status":17,"tickets":"none","uuid":{"a":["strange"]}}`:                                                  0,
	} {
		b := setup(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		booked, o := b.Confirm(t.Context(), soonDeadline(), b.target, partnerapi.Healthy, partnerapi.ConfirmRequest{ReservationConfirmationCode: "H"}, true)
		if o.Kind != partner.Done || booked.ExternalBookingID != "B-1" || len(booked.Tickets) != tickets || len(o.Breaches) == 0 {
			t.Errorf("%s: want the booking, %d tickets and what it breaks, got %+v and %+v", body, tickets, booked, o)
		}
	}
}

func TestABadDeliveryOptionCostsItselfOnly(t *testing.T) {
	t.Parallel()
	const good, second = `{"deliveryFormat":"QRCODE","deliveryMethod":"TICKET","deliveryValue":"q"}`, `{"deliveryFormat":"PDF_URL","deliveryMethod":"VOUCHER","deliveryValue":"https://partner.example/1.pdf"}`
	for bad, breach := range map[string]string{
		`{"deliveryFormat":"qrcode","deliveryMethod":"TICKET","deliveryValue":"q"}`:                    "tickets[0].deliveryOptions[1].deliveryFormat: expected one of QRCODE",
		`{"deliveryFormat":"QRCODE","deliveryMethod":"MAIL","deliveryValue":"q"}`:                      "tickets[0].deliveryOptions[1].deliveryMethod: expected one of TICKET",
		`{"deliveryFormat":"QRCODE","deliveryMethod":"TICKET","deliveryValue":""}`:                     "tickets[0].deliveryOptions[1].deliveryValue: expected a string that is not empty",
		`{"deliveryFormat":"QRCODE","deliveryMethod":"TICKET","deliveryValue":17}`:                     "tickets[0].deliveryOptions[1].deliveryValue: expected a string that is not empty",
		`{"deliveryFormat":"QRCODE","deliveryMethod":"TICKET"}`:                                        "tickets[0].deliveryOptions[1].deliveryValue: missing",
		`{"deliveryFormat":"QRCODE","deliveryMethod":"TICKET","deliveryValue":"q\u0000"}`:              "tickets[0].deliveryOptions[1].deliveryValue: expected at most 10,000 bytes, without NUL",
		`{"deliveryFormat":"PDF_URL","deliveryMethod":"TICKET","deliveryValue":"javascript:alert(1)"}`: "tickets[0].deliveryOptions[1].deliveryValue: expected an http or https address",
		`"QRCODE"`: "tickets[0].deliveryOptions[1]: expected an object",
		`null`:     "tickets[0].deliveryOptions[1]: expected an object",
	} {
		b := setup(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, `{"externalBookingId":"B-1","status":"CONFIRMED","tickets":[{"redemptionMethod":"DIGITAL","deliveryOptions":[%s,%s,%s]},{"redemptionMethod":"PRINT","deliveryOptions":[%s]}]}`, good, bad, second, good)
		})
		booked, o := b.Confirm(t.Context(), soonDeadline(), b.target, partnerapi.Healthy, partnerapi.ConfirmRequest{}, true)
		want := []partnerapi.Ticket{
			{RedemptionMethod: "DIGITAL", DeliveryOptions: []partnerapi.DeliveryOption{{DeliveryFormat: "QRCODE", DeliveryMethod: "TICKET", DeliveryValue: "q"}, {DeliveryFormat: "PDF_URL", DeliveryMethod: "VOUCHER", DeliveryValue: "https://partner.example/1.pdf"}}},
			{RedemptionMethod: "PRINT", DeliveryOptions: []partnerapi.DeliveryOption{{DeliveryFormat: "QRCODE", DeliveryMethod: "TICKET", DeliveryValue: "q"}}},
		}
		if o.Kind != partner.Done || !reflect.DeepEqual(booked.Tickets, want) || len(o.Breaches) != 1 || !strings.HasPrefix(o.Breaches[0], breach) {
			t.Errorf("%s: want the other options and the breach %q, got %+v and %q", bad, breach, booked.Tickets, o.Breaches)
		}
	}
}

func TestAHoldWhoseCodeCanBeReadIsNotLost(t *testing.T) {
	t.Parallel()
	for body, code := range map[string]string{
		`{"reservationConfirmationCode":"H-1","expiresAt":"soon"}`:                                               "H-1",
		`{"reservationConfirmationCode":"H-1","expiresAt":"9999-12-31T23:59:59Z"}`:                               "H-1",
		`{"reservationConfirmationCode":"H\u0000","expiresAt":"2026-07-01T09:20:00Z"}`:                           "", // it cannot be stored either
		`{"reservationConfirmationCode":"` + strings.Repeat("x", 1001) + `","expiresAt":"2026-07-01T09:20:00Z"}`: "",
	} {
		b := setup(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		hold, o := b.reserve(t.Context())
		if o.Kind != partner.Unreadable || hold.ReservationConfirmationCode != code {
			t.Errorf("%.60s: want the code %q, got %+v and %+v", body, code, hold, o)
		}
	}
}

func TestACallWithoutAConnectionWasNotSent(t *testing.T) {
	t.Parallel()
	b := setup(t, func(http.ResponseWriter, *http.Request) {})
	b.target.BaseURL.Host = "127.0.0.1:1"
	if _, o := b.confirm(t.Context()); o.Kind != partner.NotSent || domain.CodeOf(o.Err) != domain.PartnerFailed {
		t.Errorf("want it not sent, got %+v", o)
	}
	b.observes(t, partner.ResultTransport)
}

func TestACallThatGetsNoPermitInTimeIsNotSent(t *testing.T) {
	t.Parallel()
	hanging, release := make(chan struct{}, 10), make(chan struct{})
	b := setup(t, func(http.ResponseWriter, *http.Request) { hanging <- struct{}{}; <-release }, func(c *partner.Config) {
		c.AtOnce = 1
	})
	done := make(chan struct{})
	go func() { defer close(done); _ = b.Release(t.Context(), soonDeadline(), b.target, "H") }()
	<-hanging
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, o := b.confirm(ctx); o.Kind != partner.NotSent {
		t.Errorf("want it not sent, got %+v", o)
	}
	close(release)
	<-done
}

// late is the result of a reserve that arrived after the limit.
type late struct {
	partnerapi.ReserveAnswer
	partner.Outcome
}

func (b *bench) reserveLate(t *testing.T) chan late {
	came := make(chan late, 1)
	_, o := b.Reserve(t.Context(), soonDeadline(), b.target, partnerapi.Healthy, partnerapi.ReserveRequest{}, func(hold partnerapi.ReserveAnswer, o partner.Outcome) {
		came <- late{hold, o}
	})
	if o.Kind != partner.Unanswered || domain.CodeOf(o.Err) != domain.PartnerLate {
		t.Errorf("want no answer, got %+v", o)
	}
	return came
}

func TestALateHoldIsRecorded(t *testing.T) {
	t.Parallel()
	for how, after := range map[string]time.Duration{
		"while it is awaited": time.Minute - time.Second,
		// A replica that was paused beyond its deadline finds the answer in its socket: it arrived in
		// time, and no other replica can have read it.
		"while the replica catches up": time.Minute + 900*time.Millisecond,
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			answers := func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(partnerapi.Reserve.Timeout(partnerapi.Healthy) + after) // of the synctest bubble
				_, _ = io.WriteString(w, goodHold)
			}
			timed(t, answers, func(t *testing.T, b *bench) {
				came := b.reserveLate(t)
				b.observes(t, partner.ResultTimeout)
				if l := <-came; l.Kind != partner.Done || l.ReservationConfirmationCode != "H/1" {
					t.Errorf("want the hold, got %+v", l)
				}
			})
		})
	}
}

// The caller goes on, and changes what it asked with, before the call is sent.
func TestAReserveThatOutlivesItsCallerIsSentAsItWasAsked(t *testing.T) {
	t.Parallel()
	const calls = 50
	names := make(chan string, calls)
	b := setup(t, func(w http.ResponseWriter, r *http.Request) {
		var got partnerapi.ReserveRequest
		_ = json.NewDecoder(r.Body).Decode(&got)
		names <- got.Contact.FullName
		_, _ = io.WriteString(w, goodHold)
	}, func(c *partner.Config) {
		c.Scale = func(limit time.Duration) time.Duration {
			if limit == partnerapi.Reserve.Timeout(partnerapi.Healthy) {
				return 0
			}
			return partnertest.Unhurried(limit)
		}
	})
	for range calls {
		asked := partnerapi.ReserveRequest{Contact: &partnerapi.Contact{FullName: "Ana"}}
		b.Reserve(t.Context(), soonDeadline(), b.target, partnerapi.Healthy, asked, func(partnerapi.ReserveAnswer, partner.Outcome) {})
		asked.Contact.FullName = "Bela"
		if name := <-names; name != "Ana" {
			t.Fatalf("want the guest that it was asked with, got %s", name)
		}
	}
}

func TestListeningEndsWithTheService(t *testing.T) {
	t.Parallel()
	timed(t, neverAnswer, func(t *testing.T, b *bench) {
		came, since := b.reserveLate(t), time.Now()
		b.Close()
		if l := <-came; l.Kind != partner.Unanswered || time.Since(since) != 0 {
			t.Errorf("want no answer immediately, got %+v after %s", l, time.Since(since))
		}
	})
}

func TestReserveOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	b := setup(t, func(w http.ResponseWriter, _ *http.Request) { leave(); _, _ = io.WriteString(w, goodHold) })
	if hold, o := b.reserve(ctx); o.Kind != partner.Done || hold.ReservationConfirmationCode == "" {
		t.Errorf("want the hold anyway, got %+v", o)
	}
}

func TestEveryCallHasTheContractsLimit(t *testing.T) {
	t.Parallel()
	timed(t, neverAnswer, func(t *testing.T, b *bench) {
		ctx, asked := t.Context(), partnerapi.AvailabilityRequest{}
		reserve := func(h partnerapi.Health) error {
			_, o := b.Reserve(ctx, soonDeadline(), b.target, h, partnerapi.ReserveRequest{}, func(partnerapi.ReserveAnswer, partner.Outcome) {})
			return o.Err
		}
		confirm := func(h partnerapi.Health) error {
			_, o := b.Confirm(ctx, soonDeadline(), b.target, h, partnerapi.ConfirmRequest{}, false)
			return o.Err
		}
		for name, c := range map[string]struct {
			limit time.Duration
			call  func() error
		}{
			"catalog":                      {15 * time.Second, func() error { return b.Products(ctx, b.target, time.Time{}, acceptAny) }},
			"probe":                        {5 * time.Second, func() error { return b.Probe(ctx, b.target) }},
			"probe of new settings":        {5 * time.Second, func() error { return b.TryProducts(ctx, b.target, acceptAny).Err }},
			"availability":                 {20 * time.Second, func() error { return b.Availability(ctx, b.target, asked, acceptAny) }},
			"availability at checkout":     {20 * time.Second, func() error { return b.FreshAvailability(ctx, b.target, asked, acceptAny) }},
			"availability of new settings": {20 * time.Second, func() error { return b.TryAvailability(ctx, b.target, asked, acceptAny).Err }},
			"reserve":                      {5 * time.Second, func() error { return reserve(partnerapi.Healthy) }},
			"reserve while DEGRADED":       {10 * time.Second, func() error { return reserve(partnerapi.Degraded) }},
			"confirm":                      {5 * time.Second, func() error { return confirm(partnerapi.Healthy) }},
			"confirm while DEGRADED":       {10 * time.Second, func() error { return confirm(partnerapi.Degraded) }},
			"release":                      {10 * time.Second, func() error { return b.Release(ctx, soonDeadline(), b.target, "H").Err }},
			"cancel":                       {10 * time.Second, func() error { return b.Cancel(ctx, soonDeadline(), b.target, "B", "").Err }},
		} {
			began := time.Now()
			err := c.call()
			if took := time.Since(began); took != c.limit || err == nil || !strings.Contains(err.Error(), "within "+c.limit.String()) {
				t.Errorf("%s: want it late after %s, got %v after %s", name, c.limit, err, took)
			}
		}
	})
}

func TestAReleaseIsTakenByAny2xx(t *testing.T) {
	t.Parallel()
	for body, status := range map[string]int{"": 204, "released": 200, `{"success":false}`: 200} {
		b := setup(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); _, _ = io.WriteString(w, body) })
		if o := b.Release(t.Context(), soonDeadline(), b.target, "H"); o.Kind != partner.Done || o.Err != nil || len(o.Breaches) != 1 {
			t.Errorf("%d %s: want it taken, with a breach, got %+v", status, body, o)
		}
	}
}

func TestARefusalIsReportedByItsMeaning(t *testing.T) {
	t.Parallel()
	for status, want := range map[int][3]partner.Kind{ // for reserve, confirm and cancel
		302: {partner.Refused, partner.Refused, partner.Refused},
		400: {partner.SlotRefused, partner.Refused, partner.Refused},
		404: {partner.Refused, partner.Refused, partner.Unsupported},
		405: {partner.Refused, partner.Refused, partner.Unsupported},
		409: {partner.Refused, partner.Refused, partner.Refused},
		500: {partner.Failed, partner.Failed, partner.Failed},
		501: {partner.Failed, partner.Failed, partner.Unsupported},
	} {
		b := setup(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		_, reserved := b.reserve(t.Context())
		_, confirmed := b.confirm(t.Context())
		cancelled := b.Cancel(t.Context(), soonDeadline(), b.target, "B", "")
		if got := [3]partner.Kind{reserved.Kind, confirmed.Kind, cancelled.Kind}; got != want || cancelled.Status != status || !got[0].IsRefused() {
			t.Errorf("%d: want %q, got %q", status, want, got)
		}
	}
}
