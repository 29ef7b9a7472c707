package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/replica"
)

// newBusyBench is a service that has a value for every metric.
func newBusyBench(t *testing.T) (*bench, registered) {
	t.Helper()
	b, made := newStockedBench(t)
	reseller := b.signIn(t, domain.Reseller)
	b.list(t, resellersList, reseller)
	b.list(t, resellersList, reseller)
	b.do(t, "POST", "/api/v1/auth/login", `{"email":"unknown@example.com","password":"a guess"}`)
	b.do(t, "GET", "/api/v1/nothing", "")
	news := `{"productId":"p","optionId":"o","availabilityId":"a","localDateTimeStart":"2026-07-02T09:00:00Z","status":"AVAILABLE"}`
	b.do(t, "POST", "/api/v1/partner-integrations/"+made.ID+"/availability/notify", news, header{"x-webhook-secret", made.Secret})
	return b, made
}

func (b *bench) metrics(t *testing.T) string {
	t.Helper()
	a := b.do(t, "GET", "/metrics", "")
	if a.StatusCode != 200 || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain") {
		t.Fatalf("want metrics, got %d as %q", a.StatusCode, a.Header.Get("Content-Type"))
	}
	return string(a.body)
}

func TestTheMetricsCountWhatHasHappened(t *testing.T) {
	t.Parallel()
	b, made := newBusyBench(t)
	wanted := []string{
		`marketplace_http_requests_total{route="GET /api/v1/resellers/activities",status="2xx",surface="resellers"} 2`,
		`marketplace_http_requests_total{route="none",status="4xx",surface="none"} 1`,
		`marketplace_http_requests_total{route="POST /api/v1/partner-integrations/{integration}/sync/trigger",status="2xx",surface="webhooks"} 1`,
		`marketplace_http_request_duration_seconds_count{route="POST /api/v1/auth/login",surface="auth"} 4`,
		`marketplace_sign_in_failures_total{reason="credentials"} 1`,
		`marketplace_partner_calls_total{integration="` + made.ID + `",outcome="ok"} 1`,
		`marketplace_integration_info{integration="` + made.ID + `",mode="live"} 1`,
		`marketplace_integration_degraded{integration="` + made.ID + `"} 0`,
		`marketplace_integration_sync_timestamp_seconds{integration="` + made.ID + `",result="stored"} 1.7828964e+09`,
		`marketplace_syncs_total{result="stored"} 1`,
		`marketplace_page_cache_hits_total 1`,
		`marketplace_page_cache_misses_total 1`,
		`marketplace_database_up 1`,
		`marketplace_database_connections_max{pool="requests"} 8`,
		`marketplace_build_info{go=`,
		`go_goroutines `,
	}
	// A request is counted after its answer was sent.
	missing := []string{""}
	var text string
	for deadline := time.Now().Add(patience); len(missing) > 0 && time.Now().Before(deadline); {
		text = "\n" + b.metrics(t)
		missing = slices.DeleteFunc(slices.Clone(wanted), func(want string) bool { return strings.Contains(text, "\n"+want) })
	}
	for _, want := range missing {
		t.Errorf("want %s in\n%s", want, regexp.MustCompile(`(?m)^(#|go_|process_).*\n|.*_bucket.*\n`).ReplaceAllString(text, ""))
	}

}

func TestTheMetricsCountBookingsHoldsAndPayments(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	pay := func(id, outcome, reference string) {
		t.Helper()
		if a := s.do(t, "POST", "/api/v1/resellers/bookings/"+id+"/payment", `{"outcome":"`+outcome+`","reference":"`+reference+`"}`, s.reseller); a.StatusCode != 200 {
			t.Fatalf("Expected the payment to be stored, received %s", a.body)
		}
	}
	s.book(t) // it waits for its payment
	twice, fails, late := s.book(t).ID, s.book(t).ID, s.book(t).ID
	pay(twice, "succeeded", "p-1")
	pay(twice, "succeeded", "p-1") // a repeated message about the same payment
	pay(twice, "succeeded", "p-2")
	pay(fails, "failed", "p-3")
	s.do(t, "DELETE", "/api/v1/resellers/bookings/"+late, "", s.reseller)
	pay(late, "succeeded", "p-4")
	text := "\n" + s.metrics(t)
	for _, want := range []string{
		`marketplace_bookings_total{mode="live",status="held"} 4`,
		`marketplace_bookings_total{mode="live",status="confirmed"} 1`,
		`marketplace_bookings_total{mode="live",status="released"} 2`,
		`marketplace_bookings_total{mode="live",status="paid"} 2`,
		`marketplace_bookings_total{mode="live",status="refused"} 0`,
		`marketplace_bookings_total{mode="test",status="held"} 0`,
		`marketplace_holds{mode="live"} 1`,
		`marketplace_holds{mode="test"} 0`,
		`marketplace_payments_total{mode="live",result="paid"} 1`,
		`marketplace_payments_total{mode="live",result="duplicate"} 1`,
		`marketplace_payments_total{mode="live",result="failed"} 1`,
		`marketplace_payments_total{mode="live",result="late"} 1`,
		`marketplace_event_attempts_total{result="delivered"} 0`,
	} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("Expected %s, received\n%s", want, regexp.MustCompile(`(?m)^marketplace_(bookings|holds|payments|event).*$`).FindAllString(text, -1))
		}
	}
}

func TestAnIntegrationThatIsDeletedHasNoSeries(t *testing.T) {
	t.Parallel()
	b, made := newBusyBench(t)
	b.do(t, "DELETE", "/api/v1/partner-integrations/"+made.ID, "", b.signIn(t, domain.Partner))
	if text := b.metrics(t); strings.Contains(text, made.ID) {
		t.Error("want no series of a deleted integration")
	}
}

func TestTheMetricsAnswerWhileTheDatabaseDoesNot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.Close()
	if text := b.metrics(t); !strings.Contains(text, "\nmarketplace_database_up 0") {
		t.Error("Expected it to be reported that the database does not answer")
	}
}

func TestMetricsAreOnlyForTheConfiguredNetworks(t *testing.T) {
	t.Parallel()
	wantProblem(t, shared(t).do(t, "GET", "/metrics", "", header{"X-Forwarded-For", "203.0.113.7"}), 403, "--metrics-from")
	elsewhere := setup(t, func(c *replica.Config) { c.Scrapers = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} })
	wantProblem(t, elsewhere.do(t, "GET", "/metrics", ""), 403, "--metrics-from")
}

func TestEveryMetricStandsInTheManualAndTheOtherWayRound(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile(sourcetest.Path("docs/operations.md"))
	must(t, err)
	var written []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(marketplace_[a-z_]+)` \\|").FindAllSubmatch(manual, -1) {
		written = append(written, string(row[1]))
	}
	b, _ := newBusyBench(t)
	pgtest.Exec(t, b.store, `DELETE FROM exchange_rates`) // otherwise no rate is missing
	pgtest.Exec(t, b.store, `INSERT INTO exchange_rates VALUES ('CHF', 0.95)`)
	pgtest.Exec(t, b.store, `UPDATE pricing_terms SET rates_as_of = '2026-06-30'`)
	pgtest.Exec(t, b.store, `
		INSERT INTO conformance_certificates (integration_id, run_id, base_url, auth_type, handles_ticket_delivery, jws, issued_at, valid_until)
		SELECT id, gen_random_uuid(), base_url, auth_type, handles_ticket_delivery, 'x', now() - interval '2 hours', now() - interval '1 hour' FROM integrations`)
	pgtest.Exec(t, b.store, `
		INSERT INTO integration_admissions (integration_id, go_live, requested_at) SELECT id, 'requested', now() FROM integrations
		ON CONFLICT (integration_id) DO UPDATE SET go_live = 'requested', requested_at = now(), decided_at = NULL`)
	pgtest.Exec(t, b.store, `
		INSERT INTO judged_breaches SELECT id, 'confirm.repeat', 'x', 'CNF-4', 'MUST', 'confirm', 'x', 'x', 1, now(), now(), '[]' FROM integrations`)
	pgtest.Exec(t, b.store, `INSERT INTO nights VALUES (now())`)
	reported := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^# TYPE (marketplace_[a-z_]+) `).FindAllStringSubmatch(b.metrics(t), -1) {
		reported[line[1]] = true
	}
	slices.Sort(written)
	if got := slices.Sorted(maps.Keys(reported)); !slices.Equal(got, written) {
		t.Errorf("want in docs/operations.md\n%s\ngot\n%s", strings.Join(got, "\n"), strings.Join(written, "\n"))
	}
}

// journal is a log that keeps its lines.
type journal struct {
	mu sync.Mutex
	bytes.Buffer
	grown chan struct{} // closed by the next line
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	close(j.grown)
	j.grown = make(chan struct{})
	return j.Buffer.Write(line)
}

// nextLine returns a channel that the next line closes.
func (j *journal) nextLine() <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.grown
}

func (j *journal) text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.String()
}

// line waits for the line about the request with that id and returns it.
func (j *journal) line(t *testing.T, id string) map[string]any {
	t.Helper()
	for late := time.After(patience); ; {
		more := j.nextLine()
		for line := range strings.Lines(j.text()) {
			if fields := map[string]any{}; strings.Contains(line, id) && json.Unmarshal([]byte(line), &fields) == nil && fields["msg"] == "request" {
				return fields
			}
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("want a line about %s in\n%s", id, j.text())
		}
	}
}

func newJournal(level slog.Level) (*journal, func(*replica.Config)) {
	j := &journal{grown: make(chan struct{})}
	return j, func(c *replica.Config) { c.Log = slog.New(slog.NewJSONHandler(j, &slog.HandlerOptions{Level: level})) }
}

func TestARequestIsALineOfTheLog(t *testing.T) {
	t.Parallel()
	kept, log := newJournal(slog.LevelDebug)
	b := setup(t, log)
	operator := b.signIn(t, domain.Operator)
	path := "/api/v1/operator/accounts/" + uuid.NewString()
	b.do(t, "GET", path, "", operator, header{"X-Request-Id", "r-1"})
	line := kept.line(t, "r-1")
	for name, want := range map[string]any{
		"level": "INFO", "route": "GET /api/v1/operator/accounts/{account}", "path": path, "status": 404.0, "role": "operator",
		"account_id": b.accounts[domain.Operator].ID.String(), "duration_ms": 0.0,
	} {
		if line[name] != want {
			t.Errorf("%s: want %v, got %v", name, want, line[name])
		}
	}
	if from, err := netip.ParseAddrPort(line["remote"].(string)); err != nil || !from.Addr().IsLoopback() || line["bytes"] == 0.0 {
		t.Errorf("want who asked, and how much was answered, got %v", line)
	}
	b.do(t, "GET", "/healthz", "", header{"X-Request-Id", "r-2"})
	if got := kept.line(t, "r-2")["level"]; got != "DEBUG" {
		t.Errorf("want a look at the service's health to be no news, got %v", got)
	}
	b.store.Close()
	b.do(t, "GET", path, "", operator, header{"X-Request-Id", "r-3"})
	if got := kept.line(t, "r-3")["level"]; got != "WARN" {
		t.Errorf("want a request that failed to be a warning, got %v", got)
	}
}

func TestACallerWhoDoesNotWaitIsNoFailureOfTheServices(t *testing.T) {
	t.Parallel()
	kept, log := newJournal(slog.LevelDebug)
	b := setup(t, log)
	operator := b.signIn(t, domain.Operator)
	gone, leave := context.WithCancel(t.Context())
	leave()
	request := httptest.NewRequestWithContext(gone, "GET", "/api/v1/operator/rates", nil)
	request.Header.Set(operator.name, operator.value)
	request.Header.Set("X-Request-Id", "r-1")
	b.Handler.ServeHTTP(httptest.NewRecorder(), request)
	if line := kept.line(t, "r-1"); line["status"] != 499.0 || line["level"] != "INFO" || strings.Contains(kept.text(), "request failed") {
		t.Errorf("want the caller gone, and no failure logged, got %v", line)
	}
}

// A page of another site whose name leads to this machine reads them with the user's own browser.
func TestMetricsAnswerOnLoopbackToItsOwnNamesAndPagesOnly(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *replica.Config) {
		c.Scrapers = append(c.Scrapers, netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	})
	for name, c := range map[string]struct {
		at, from, host, site string
		want                 int
	}{
		"the address":                         {"127.0.0.1", "127.0.0.1", "127.0.0.1:9090", "", 200},
		"localhost":                           {"::1", "::1", "localhost:9090", "", 200},
		"a name that was rebound":             {"127.0.0.1", "127.0.0.1", "rebound.example:9090", "", 403},
		"another site's script":               {"127.0.0.1", "127.0.0.1", "127.0.0.1:9090", "cross-site", 403},
		"a scraper, by a name":                {"10.0.0.2", "10.0.0.3", "marketplace.internal:9090", "", 200},
		"a scraper of the machine, by a name": {"10.0.0.2", "10.0.0.2", "marketplace.internal:9090", "", 200},
	} {
		connection := context.WithValue(t.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.ParseIP(c.at), Port: 9090}))
		request := httptest.NewRequestWithContext(connection, "GET", "http://"+c.host+"/metrics", nil)
		request.RemoteAddr = net.JoinHostPort(c.from, "40000")
		if c.site != "" {
			request.Header.Set("Sec-Fetch-Site", c.site)
		}
		for at, handler := range map[string]http.Handler{"--addr": b.Handler, "--metrics-addr": b.Metrics} {
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, request)
			if answer.Code != c.want || c.want == 403 && !strings.Contains(answer.Body.String(), "it ") {
				t.Errorf("%s at %s: Expected %d, received %d %.300s", name, at, c.want, answer.Code, answer.Body.String())
			}
		}
	}
}
