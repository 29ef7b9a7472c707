package api_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/replica"
	"partnerkit.dev/marketplace/internal/replica/replicatest"
	"partnerkit.dev/schemas"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const password = replicatest.Password

// patience limits every wait, for a busy machine.
const patience = 5 * time.Minute

// bench is a replica for one test, with an account of each role.
type bench struct {
	*replica.Replica
	store    *postgres.Store
	queries  *pgtest.Recorder
	address  string
	accounts map[domain.Role]domain.Account
	ahead    atomic.Int64
	disk     postgres.Disk
}

func (b *bench) now() time.Time {
	return time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(b.ahead.Load()))
}

// roles lists all roles.
var roles = []domain.Role{domain.Reseller, domain.Affiliate, domain.Partner, domain.Operator}

func setup(t testing.TB, change ...func(*replica.Config)) *bench {
	t.Helper()
	database, queries := pgtest.URL(t), &pgtest.Recorder{}
	return serveBench(t, &bench{queries: queries, store: pgtest.OpenRecorded(t, database, queries)}, database, change...)
}

// serveBench serves a replica with a bench's store of that database.
func serveBench(t testing.TB, b *bench, database string, change ...func(*replica.Config)) *bench {
	t.Helper()
	b.accounts = replicatest.Accounts(t, b.store, b.now())
	config := replicatest.Config(t, b.store, pgtest.OpenAt(t, database), b.now)
	config.Storefront = config.Work.Storefront // so that b.queries contains the requests' queries only
	ready, err := postgres.NewReadiness(database, &b.disk)
	must(t, err)
	t.Cleanup(ready.Close)
	config.Ready = ready.Check
	config.Metrics.Judge(func() conformance.Counts {
		return conformance.Counts{Dropped: map[conformance.Dropped]int64{conformance.DroppedBehind: 0}}
	})
	for _, c := range change {
		c(&config)
	}
	b.Replica, b.address = replicatest.Serve(t, config)
	return b
}

var sharing struct {
	sync.Mutex
	*bench
}

// shared returns the replica of all tests that change nothing. It has no rate limit.
func shared(t testing.TB) *bench {
	t.Helper()
	sharing.Lock()
	defer sharing.Unlock()
	if sharing.bench == nil {
		sharing.bench = setup(lasting{t}, func(c *replica.Config) { c.RateLimit = 0 })
	}
	return sharing.bench
}

// lasting is a test whose parts last as long as the process, whose database is removed with its server.
type lasting struct{ testing.TB }

func (lasting) Cleanup(func())           {}
func (lasting) Context() context.Context { return context.Background() }
func (lasting) Output() io.Writer        { return io.Discard }

// answer is the response to a request.
type answer struct {
	*http.Response
	body []byte
}

func (a answer) data(t testing.TB, into any) {
	t.Helper()
	frame := struct {
		Success int             `json:"success"`
		Data    json.RawMessage `json:"data"`
	}{}
	if err := json.Unmarshal(a.body, &frame); err != nil || frame.Success != 1 {
		t.Fatalf("want a good answer, got %d %s", a.StatusCode, a.body)
	}
	if err := json.Unmarshal(frame.Data, into); err != nil {
		t.Fatalf("%v: %s", err, frame.Data)
	}
}

// header sets a header of a request.
type header struct{ name, value string }

func (b *bench) do(t testing.TB, method, path, body string, headers ...header) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, b.address+path, strings.NewReader(body))
	must(t, err)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		request.Header.Set(h.name, h.value)
	}
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	got := answer{response, text}
	judge(t, request, body, got)
	return got
}

func (b *bench) signIn(t testing.TB, role domain.Role) header {
	t.Helper()
	return b.signInAs(t, string(role)+"@example.com")
}

func (b *bench) signInAs(t testing.TB, email string) header {
	t.Helper()
	return header{"Authorization", "Bearer " + b.session(t, email).AccessToken}
}

// session begins a session of an account.
func (b *bench) session(t testing.TB, email string) (tokens auth.Tokens) {
	t.Helper()
	b.do(t, http.MethodPost, "/api/v1/auth/login", `{"email":"`+email+`","password":"`+password+`"}`).data(t, &tokens)
	return tokens
}

// wantProblem fails unless the answer is an error with that status, in the contract's
// format, and contains these words.
func wantProblem(t testing.TB, a answer, status int, words ...string) {
	t.Helper()
	if a.StatusCode != status || a.Header.Get("Content-Type") != "application/json" {
		t.Errorf("want %d as JSON, got %d as %q: %s", status, a.StatusCode, a.Header.Get("Content-Type"), a.body)
	}
	for _, problem := range schemas.Validate(schemas.ResellerError, a.body) {
		t.Errorf("want the contract's error, got %s: %s", problem, a.body)
	}
	for _, word := range words {
		if !strings.Contains(string(a.body), word) {
			t.Errorf("want %q in %s", word, a.body)
		}
	}
}

// must ends the test on an error.
var must = errtest.Check
