package client_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/client"
)

// must ends the test on an error.
var must = errtest.Check

// wire is a marketplace that gives scripted answers and records the requests.
type wire struct {
	mu      sync.Mutex
	answers func(*http.Request) (*http.Response, error)
	asked   []*http.Request
	bodies  []string
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	body := ""
	if r.Body != nil {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = string(text)
	}
	w.asked, w.bodies = append(w.asked, r), append(w.bodies, body)
	return w.answers(r)
}

func (w *wire) options() client.Options {
	return client.Options{HTTP: &http.Client{Transport: w}}
}

func says(status int, body string, headers ...string) (*http.Response, error) {
	response := &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i < len(headers); i += 2 {
		response.Header.Set(headers[i], headers[i+1])
	}
	return response, nil
}

func problem(status int, message string, headers ...string) (*http.Response, error) {
	return says(status, fmt.Sprintf(`{"success":0,"error":[%q],"message":%q,"code":%d}`, message, message, status), headers...)
}

// inTurn gives the answers in order, and then repeats the last one.
func inTurn(answers ...func() (*http.Response, error)) *wire {
	w := &wire{}
	w.answers = func(*http.Request) (*http.Response, error) { return answers[min(len(w.asked), len(answers))-1]() }
	return w
}

func (w *wire) shop(t *testing.T) *client.Reseller {
	t.Helper()
	shop, err := client.NewReseller("http://marketplace.test", client.APIToken("hush"), w.options())
	must(t, err)
	return shop
}

func (w *wire) operator(t *testing.T) *client.Operator {
	t.Helper()
	operator, err := client.NewOperator("http://marketplace.test", client.Password("op@example.com", "hush"), w.options())
	must(t, err)
	return operator
}

var errCut = errors.New("connection reset by peer")

func cut() (*http.Response, error) { return nil, errCut }

func bookingResponse() (*http.Response, error) {
	return says(201, `{"success":1,"data":{"_id":"b-1","status":"HELD"}}`)
}

func TestABookingWithoutAnAnswerIsAskedForAgainUnderTheSameKey(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func() (*http.Response, error){
		"a lost connection": cut,
		"a service without a database": func() (*http.Response, error) {
			return problem(503, "the database does not answer", "Retry-After", "2")
		},
		"something on the way is down": func() (*http.Response, error) { return says(502, "<html>Bad gateway</html>") },
		"the first one is under way":   func() (*http.Response, error) { return problem(409, "under way", "Retry-After", "1") },
		"too many requests":            func() (*http.Response, error) { return problem(429, "rate limit exceeded", "Retry-After", "7") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inTurn(first, first, bookingResponse)
				held, err := w.shop(t).Book(t.Context(), client.Order{ActivityID: "a", Contact: client.Contact{FullName: "Ana"}})
				if err != nil || held.Status != client.Held || len(w.asked) != 3 {
					t.Fatalf("want it held at the third time, got %+v, %v after %d", held, err, len(w.asked))
				}
				key := w.asked[0].Header.Get("Idempotency-Key")
				for i, r := range w.asked {
					if key == "" || r.Header.Get("Idempotency-Key") != key || w.bodies[i] != w.bodies[0] || r.Header.Get("X-Api-Token") != "hush" {
						t.Errorf("want the same request each time, got %v %s", r.Header, w.bodies[i])
					}
				}
			})
		})
	}
}

func TestAFinalRefusalIsNotRetried(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 403, 404, 409, 422, 502, 504} {
		synctest.Test(t, func(t *testing.T) {
			w := inTurn(func() (*http.Response, error) { return problem(status, "so it is", "X-Request-Id", "r-17") })
			_, err := w.shop(t).Book(t.Context(), client.Order{})
			refusal := (*client.Error)(nil)
			if !errors.As(err, &refusal) || !client.IsStatus(err, status) || refusal.Message != "so it is" || refusal.RequestID != "r-17" || len(w.asked) != 1 {
				t.Errorf("%d: want it reported immediately, got %v after %d", status, err, len(w.asked))
			}
		})
	}
}

func TestAnErrorThatARetryCannotChangeIsReturnedImmediatelyWithItsCode(t *testing.T) {
	t.Parallel()
	w := inTurn(func() (*http.Response, error) {
		return says(500, `{"success":0,"error":["unexpected error"],"message":"unexpected error","code":500,"error_code":"internal_error","retry":false}`)
	})
	_, err := w.shop(t).Activity(t.Context(), "x", client.ActivityQuery{})
	refusal := (*client.Error)(nil)
	if !errors.As(err, &refusal) || refusal.Code != "internal_error" || len(w.asked) != 1 {
		t.Errorf("want one request and its error's code, got %d and %v", len(w.asked), err)
	}
}

func TestCallsThatAreNotIdempotentAreSentOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &wire{}
		w.answers = func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/login") {
				return says(200, `{"success":1,"data":{"access_token":"a","token_type":"Bearer","expires_in":900,"refresh_token":"r"}}`)
			}
			return cut()
		}
		_, err := w.operator(t).CreateAccount(t.Context(), client.NewAccount{Email: "bo@example.com", Password: "hush hush hush"})
		if !errors.Is(err, errCut) || len(w.asked) != 2 {
			t.Errorf("want it sent once after the sign-in, got %v after %d", err, len(w.asked))
		}
	})
}

func TestPatienceHasAnEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer  func() (*http.Response, error)
		waited  time.Duration // at most
		several bool
	}{
		"a service that stays away":   {cut, 30 * time.Second, true},
		"a wait that is too long":     {func() (*http.Response, error) { return problem(429, "rate limit exceeded", "Retry-After", "42") }, 0, false},
		"a partner that stays broken": {func() (*http.Response, error) { return problem(502, "the partner is down") }, 30 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, began := inTurn(c.answer), time.Now()
				_, err := w.shop(t).Booking(t.Context(), "b-1")
				if took := time.Since(began); err == nil || took > c.waited || (len(w.asked) > 1) != c.several {
					t.Errorf("want at most %s, got %s, %d requests and %v", c.waited, took, len(w.asked), err)
				}
				if refusal := (*client.Error)(nil); !c.several && (!errors.As(err, &refusal) || refusal.RetryAfter != 42*time.Second) {
					t.Errorf("Expected a time to retry at, received %v", err)
				}
			})
		})
	}
}

// authServer answers sign-ins, and accepts only the token that it issued last.
type authServer struct {
	wire
	given           int
	logins, refresh int
	ended           bool // the refresh token is no longer valid
}

func newAuthServer() *authServer {
	o := &authServer{}
	o.answers = func(r *http.Request) (*http.Response, error) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/login"):
			o.logins++
		case strings.HasSuffix(r.URL.Path, "/refresh"):
			if o.refresh++; o.ended {
				return problem(401, "unauthorized access")
			}
		case r.Header.Get("Authorization") == fmt.Sprint("Bearer access-", o.given):
			return says(200, `{"success":1,"data":{"base":"EUR","as_of":null,"rates":{"USD":"1.25"}}}`)
		default:
			return problem(401, "unauthorized access")
		}
		o.given++
		return says(200, fmt.Sprintf(`{"success":1,"data":{"access_token":"access-%d","token_type":"Bearer","expires_in":900,"refresh_token":"refresh-%d"}}`, o.given, o.given))
	}
	return o
}

func TestASignInIsMadeOnceAndRenewedInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newAuthServer()
		operator := o.operator(t)
		reads := func(logins, refresh int) {
			t.Helper()
			var all sync.WaitGroup
			for range 5 {
				all.Go(func() {
					if rates, err := operator.Rates(t.Context()); err != nil || rates.Rates["USD"] != "1.25" {
						t.Errorf("want the rates, got %+v, %v", rates, err)
					}
				})
			}
			if all.Wait(); o.logins != logins || o.refresh != refresh {
				t.Errorf("want %d sign-ins and %d renewals, got %d and %d", logins, refresh, o.logins, o.refresh)
			}
		}
		reads(1, 0)
		time.Sleep(13 * time.Minute) // of the synctest bubble
		reads(1, 0)
		time.Sleep(2 * time.Minute)
		reads(1, 1)
		o.given++ // the service has ended the session
		reads(1, 2)
		time.Sleep(15 * time.Minute)
		o.ended = true
		reads(2, 3)
		if err := operator.SignOut(t.Context()); err != nil && !client.IsStatus(err, 401) {
			t.Error(err)
		}
	})
}

func TestRefusedCredentialsAreReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := inTurn(func() (*http.Response, error) { return problem(401, "unauthorized access") })
		if _, err := w.shop(t).Booking(t.Context(), "b-1"); !client.IsStatus(err, 401) || len(w.asked) != 1 {
			t.Errorf("want 401 immediately, got %v after %d", err, len(w.asked))
		}
		if _, err := w.operator(t).Rates(t.Context()); !client.IsStatus(err, 401) || len(w.asked) != 2 {
			t.Errorf("want 401 of the sign-in, got %v after %d", err, len(w.asked))
		}
	})
}

func TestNothingPrintsASecret(t *testing.T) {
	t.Parallel()
	w := inTurn(func() (*http.Response, error) { return problem(404, "account not found") })
	shop, operator := w.shop(t), newAuthServer()
	who := operator.operator(t)
	if _, err := who.Rates(t.Context()); err != nil { // from here on there are tokens
		t.Fatal(err)
	}
	_, refused := shop.Booking(t.Context(), "b-1")
	_, bad := client.NewReseller("http://me:hush@marketplace.test", client.APIToken("hush"), client.Options{})
	_, header := client.NewWebhooks("http://marketplace.test", "i-1", "hush\n", w.options())
	for _, value := range []any{
		client.APIToken("hush"), client.Password("op@example.com", "hush"), *shop, shop, *who, who, refused, bad, header,
		client.Registered{WebhookSecret: "hush"}, client.Registration{AuthKey: "hush"}, client.NewAccount{Password: "hush"}, client.AccountChange{Password: new(client.Secret("hush"))},
		client.MadeToken{Token: "hush"},
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			if printed := fmt.Sprintf(verb, value); strings.Contains(printed, "hush") || strings.Contains(printed, "access-") {
				t.Errorf("%s: want no secret, got %s", verb, printed)
			}
		}
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("made", slog.Any("secret", client.Secret("hush")))
	if strings.Contains(log.String(), "hush") {
		t.Errorf("want no secret logged, got %s", log.String())
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	w := inTurn(func() (*http.Response, error) { return says(307, "", "Location", "http://elsewhere.test/") })
	if _, err := w.shop(t).Cancel(t.Context(), "b-1", ""); !client.IsStatus(err, 307) || len(w.asked) != 1 {
		t.Errorf("want it refused, got %v after %d", err, len(w.asked))
	}
}

func TestAnswersOfAnotherKindAreClearErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   io.Reader
		want   string
	}{
		"a page":              {403, strings.NewReader("<html>Forbidden</html>"), `this is not a marketplace's answer: "<html>Forbidden</html>"`},
		"a good page":         {200, strings.NewReader("<html>Welcome</html>"), "invalid answer"},
		"an amount in powers": {200, strings.NewReader(`{"success":1,"data":{"total":1e999999999}}`), "expected a decimal such as 27.5"},
		"a flood":             {200, io.MultiReader(strings.NewReader(`{"success":1,"data":"`), io.LimitReader(endless{}, 64<<20)), "the answer is larger than 67108864 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := inTurn(func() (*http.Response, error) {
				return &http.Response{StatusCode: c.status, Header: http.Header{}, Body: io.NopCloser(c.body)}, nil
			})
			if _, err := w.shop(t).Booking(t.Context(), "b-1"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want %q, got %v", c.want, err)
			}
		})
	}
}

type endless struct{}

func (endless) Read(into []byte) (int, error) { return len(into), nil }

func TestAnIDIsOnePathSegment(t *testing.T) {
	t.Parallel()
	w := inTurn(bookingResponse)
	shop := w.shop(t)
	for id, want := range map[string]string{"..": "%2E%2E", "a/b?c#d %": "a%2Fb%3Fc%23d%20%25", "é": "%C3%A9"} {
		if _, err := shop.Booking(t.Context(), id); err != nil {
			t.Error(err)
		}
		if got := w.asked[len(w.asked)-1].URL.EscapedPath(); got != "/api/v1/resellers/bookings/"+want {
			t.Errorf("want %s, got %s", want, got)
		}
	}
}

func TestAListIsReadPageByPage(t *testing.T) {
	t.Parallel()
	w := &wire{}
	w.answers = func(r *http.Request) (*http.Response, error) {
		page := r.URL.Query().Get("page")
		switch r.URL.Query().Get("cursor") {
		case "third":
			return problem(403, "another role's")
		case "second": // without any price
			return says(200, `{"success":1,"data":[],"pagination":{"pageSize":100,"next_cursor":"third"}}`)
		}
		entries := strings.TrimSuffix(strings.Repeat(`{"_id":"b-`+page+`"},`, 100), ",")
		return says(200, `{"success":1,"data":[`+entries+`],"pagination":{"pageSize":100,"page":`+page+`,"totalCount":250,"next_cursor":"second"}}`)
	}
	var got int
	var failed error
	for booking, err := range w.shop(t).Bookings(client.BookingQuery{Status: client.Held}).All(t.Context()) {
		if failed = err; err == nil && booking.ID != "" {
			got++
		}
	}
	if got != 100 || !client.IsStatus(failed, 403) || w.asked[0].URL.RawQuery != "limit=100&page=1&status=HELD" {
		t.Errorf("want the first page and the third one's error, got %d, %v of %s", got, failed, w.asked[0].URL)
	}
	for range w.shop(t).Bookings(client.BookingQuery{}).All(t.Context()) {
		break
	}
	if len(w.asked) != 4 {
		t.Errorf("want an empty list sent unchanged, got %d requests", len(w.asked))
	}
}

func TestAnUnchangedPageIsNotSentAgain(t *testing.T) {
	t.Parallel()
	w := &wire{}
	w.answers = func(r *http.Request) (*http.Response, error) {
		tag := `"` + r.URL.Query().Get("currency") + `"`
		if r.Header.Get("If-None-Match") == tag {
			return says(304, "", "ETag", tag)
		}
		return says(200, `{"success":1,"data":{"_id":"a-1","currency":`+tag+`}}`, "ETag", tag)
	}
	options := w.options()
	options.Cache = 110 // room for two
	shop, err := client.NewReseller("http://marketplace.test", client.APIToken("hush"), options)
	must(t, err)
	kept := func(currency string) bool {
		activity, err := shop.Activity(t.Context(), "a-1", client.ActivityQuery{Currency: currency})
		if err != nil || activity.Currency != currency {
			t.Errorf("want it in %s, got %+v, %v", currency, activity, err)
		}
		return w.asked[len(w.asked)-1].Header.Get("If-None-Match") != ""
	}
	for i, want := range []struct {
		currency string
		kept     bool
	}{{"EUR", false}, {"EUR", true}, {"USD", false}, {"EUR", true}, {"JPY", false}, {"USD", false}, {"JPY", true}} {
		if got := kept(want.currency); got != want.kept {
			t.Errorf("%d, %s: want kept to be %v", i, want.currency, want.kept)
		}
	}
}

func TestAnInvalidMarketplaceAddressIsRefused(t *testing.T) {
	t.Parallel()
	good := client.APIToken("token")
	for _, address := range []string{"", "127.0.0.1:8080", "ftp://m", "http://", "http://m?x=1", "http://m:port", "http://u:p@m"} {
		if _, err := client.NewReseller(address, good, client.Options{}); err == nil || !strings.Contains(err.Error(), "marketplace: expected a URL") {
			t.Errorf("want %q refused, got %v", address, err)
		}
	}
	for _, none := range []client.Credentials{{}, client.APIToken(""), client.Password("ana@example.com", "")} {
		if _, err := client.NewReseller("http://m", none, client.Options{}); err == nil {
			t.Error("want credentials asked for")
		}
	}
}

func TestDecimalsStayExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"0.1": "1/10", "-12.50": "-25/2", "9007199254740993.01": "900719925474099301/100", "0": "0/1"} {
		if got := client.Decimal(text).Rat().String(); got != want {
			t.Errorf("%s: want %s, got %s", text, want, got)
		}
	}
	for _, text := range []client.Decimal{"", "1e9", "one", "1.", "0x10", "1/3"} {
		if text.Rat() != nil {
			t.Errorf("want %q to be none", text)
		}
	}
}
