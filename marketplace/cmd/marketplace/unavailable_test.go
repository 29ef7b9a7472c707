package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/waittest"
	"partnerkit.dev/schemas/openapi"
)

// problem is an error answer.
type problem struct {
	status     int
	retryAfter string
	body       string
}

// callers are accounts of every role, signed in, and an integration with its secret.
type callers struct {
	*service
	tokens map[string]string
}

var keyRing = "MARKETPLACE_SECRET_KEY=" + strings.Repeat("s", 32)

func newCallers(t *testing.T, s *service) *callers {
	t.Helper()
	c := &callers{service: s, tokens: map[string]string{}}
	operator := c.signIn(t, "op@example.com")
	for _, role := range []string{"reseller", "affiliate", "partner"} {
		c.send(t, operator, "POST", "/api/v1/operator/accounts", `{"email":"`+role+`@example.com","password":"`+operatorPassword+`","role":"`+role+`","name":"x"}`)
		c.tokens[role] = c.signIn(t, role+"@example.com")
	}
	c.tokens["operator"] = operator
	return c
}

func (c *callers) signIn(t *testing.T, email string) string {
	t.Helper()
	p := c.send(t, "", "POST", "/api/v1/auth/login", `{"email":"`+email+`","password":"`+operatorPassword+`"}`)
	var got struct {
		Data struct {
			AccessToken string `json:"access_token"`
		}
	}
	must(t, json.Unmarshal([]byte(p.body), &got))
	return got.Data.AccessToken
}

func (c *callers) send(t *testing.T, token, method, path, body string, headers ...string) problem {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, c.base+path, strings.NewReader(body))
	must(t, err)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return c.do(t, http.DefaultClient, request)
}

func (c *callers) do(t *testing.T, with *http.Client, request *http.Request) problem {
	t.Helper()
	response, err := with.Do(request)
	if err != nil {
		t.Errorf("%s %s: %v", request.Method, request.URL.Path, err)
		return problem{}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	return problem{response.StatusCode, response.Header.Get("Retry-After"), string(text)}
}

// everyRoute calls every operation of the document concurrently, and passes each answer to judge.
func (c *callers) everyRoute(t *testing.T, judge func(op *openapi.Operation, p problem)) {
	t.Helper()
	document, err := openapi.Read(openapi.Marketplace)
	must(t, err)
	var all sync.WaitGroup
	for _, op := range document.Operations() {
		role := "operator"
		for _, other := range []string{"reseller", "affiliate"} {
			if strings.HasPrefix(op.Path, "/api/v1/"+other) {
				role = other
			}
		}
		path := op.Path
		for strings.Contains(path, "{") {
			before, rest, _ := strings.Cut(path, "{")
			_, rest, _ = strings.Cut(rest, "}")
			path = before + uuid.NewString() + rest
		}
		query := url.Values{}
		for _, p := range op.Parameters {
			if p.In == "query" && p.Required {
				query.Set(p.Name, p.Example.(string))
			}
		}
		body := ""
		if op.Body != nil {
			examples, _ := op.Body.Schema["examples"].([]any)
			text, err := json.Marshal(examples[0])
			must(t, err)
			body = string(text)
		}
		all.Go(func() {
			judge(op, c.send(t, c.tokens[role], op.Method, path+"?"+query.Encode(), body, "X-Webhook-Secret", strings.Repeat("0", 64), "Idempotency-Key", op.ID))
		})
	}
	all.Wait()
}

// require503 fails if an answer is not a valid 503.
func (p problem) require503(t *testing.T, name, words string) {
	t.Helper()
	if p.status != 503 || p.retryAfter == "" || !strings.Contains(p.body, words) {
		t.Errorf("%s: want 503 with Retry-After and %q, got %d, %q, %.300s", name, words, p.status, p.retryAfter, p.body)
	}
}

// needsNoDatabase lists the operations whose answers are in memory.
var needsNoDatabase = map[string]bool{
	"home": true, "alive": true, "ready": true /* its answer is a second old */, "metrics": true, "openapi": true, "openapiPartner": true, "docs": true, "docsPartner": true, "certificateKeys": true, "sharedReport": true, /* the link is invalid */
	"activities": true, "affiliateActivities": true,
}

// A database that accepts connections but never answers blocks neither callers nor the shutdown of
// the service. How long they wait is measured by `make crash`, because it depends on the machine.
func TestASilentDatabaseIsA503EverywhereAndTheServiceEndsInOrder(t *testing.T) {
	t.Parallel()
	database := proxyTo(t, pgtest.URL(t))
	s := startService(t, append(firstOperator, keyRing), "--database-url", database.url, "--rate-limit", "0")
	c := newCallers(t, s)
	jar, err := cookiejar.New(nil)
	must(t, err)
	browser := &http.Client{Jar: jar}
	form := func(path string, values url.Values) problem {
		request, err := http.NewRequestWithContext(t.Context(), "POST", s.base+path, strings.NewReader(values.Encode()))
		must(t, err)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return c.do(t, browser, request)
	}
	page := func(path string) problem {
		request, err := http.NewRequestWithContext(t.Context(), "GET", s.base+path, nil)
		must(t, err)
		return c.do(t, browser, request)
	}
	form("/console/signin", url.Values{"email": {"op@example.com"}, "password": {operatorPassword}})
	if p := page("/console/accounts"); p.status != 200 {
		t.Fatalf("want a page, got %d", p.status)
	}
	if p := c.send(t, "", "GET", "/readyz", ""); p.status != 200 {
		t.Errorf("want it ready, got %d %s", p.status, p.body)
	}

	database.fall(true)
	c.everyRoute(t, func(op *openapi.Operation, p problem) {
		switch {
		case op.ID == "alive" && p.status != 200:
			t.Errorf("want it alive, got %d %s", p.status, p.body)
		case !needsNoDatabase[op.ID]:
			p.require503(t, op.Method+" "+op.Path, `"error_code":"service_unavailable"`)
		}
	})
	var all sync.WaitGroup
	for _, path := range []string{"/console/", "/console/accounts", "/console/bookings", "/console/terms"} {
		all.Go(func() { page(path).require503(t, path, "database does not answer") })
	}
	all.Go(func() {
		form("/console/terms/fees", url.Values{"service_fee": {"1"}}).require503(t, "a form", "database does not answer")
	})
	all.Go(func() {
		form("/console/signin", url.Values{"email": {"op@example.com"}, "password": {operatorPassword}}).require503(t, "the sign-in", "database does not answer")
	})
	all.Wait()
	c.send(t, "", "GET", "/readyz", "").require503(t, "/readyz", "database does not answer")

	s.shutDown(t)
}

func TestADatabaseThatComesBackIsUsedAgain(t *testing.T) {
	t.Parallel()
	database := proxyTo(t, pgtest.URL(t))
	s := startService(t, append(firstOperator, keyRing), "--database-url", database.url)
	c := newCallers(t, s)
	database.fall(true)
	c.send(t, c.tokens["operator"], "GET", "/api/v1/operator/accounts", "").require503(t, "accounts", "database does not answer")
	database.fall(false)
	waittest.Until(t, "the database used again", func() bool {
		return c.send(t, "", "GET", "/readyz", "").status == 200 && c.send(t, c.tokens["operator"], "GET", "/api/v1/operator/accounts", "").status == 200
	})
	s.stop(t)
}

func TestAReadOnlyDatabaseIsA503ForWhatWrites(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	s := startService(t, append(firstOperator, keyRing), "--database-url", address)
	c := newCallers(t, s)
	alter(t, address, "SET default_transaction_read_only = on")
	waittest.Until(t, "the database used again", func() bool {
		return c.send(t, "", "GET", "/readyz", "").status == 503
	})
	c.send(t, "", "GET", "/readyz", "").require503(t, "/readyz", "the database is read-only")
	for method, path := range map[string]string{"POST": "/api/v1/auth/login", "PUT": "/api/v1/operator/pricing"} {
		body := `{"email":"op@example.com","password":"` + operatorPassword + `"}`
		if method == "PUT" {
			body = `{"service_fee":"1","service_fee_currency":"EUR"}`
		}
		ask := func() problem { return c.send(t, c.tokens["operator"], method, path, body) }
		waittest.Until(t, "a refusal that says why", func() bool { return strings.Contains(ask().body, "read-only") }) // the first find their connections closed
		ask().require503(t, path, "the database is read-only")
	}
	if p := c.send(t, c.tokens["operator"], "GET", "/api/v1/operator/accounts", ""); p.status != 200 {
		t.Errorf("want reads served, got %d %s", p.status, p.body)
	}
	if p := c.send(t, "", "GET", "/metrics", ""); !strings.Contains(p.body, "\nmarketplace_ready 0") || !strings.Contains(p.body, "\nmarketplace_database_up 1") {
		t.Error("want the metrics to tell that the database answers and takes no writes")
	}
	if p := c.send(t, "", "HEAD", "/readyz", ""); p.status != 503 || p.retryAfter == "" {
		t.Errorf("want HEAD answered as GET, got %d", p.status)
	}
	s.stop(t)
}

// A full disk is detected by a failed write.
func TestAFullDiskIsLearnedFromAFailedWrite(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	s := startService(t, append(firstOperator, keyRing), "--database-url", address)
	c := newCallers(t, s)
	conn, err := pgx.Connect(t.Context(), address)
	must(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `
		CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
		CREATE TRIGGER no_room BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION no_room()`)
	must(t, err)
	c.send(t, c.tokens["operator"], "POST", "/api/v1/operator/accounts", `{"email":"x@example.com","password":"`+operatorPassword+`","role":"reseller","name":"x"}`).
		require503(t, "an account", "the database's disk is full")
	waittest.Until(t, "a service that is not ready", func() bool { return c.send(t, "", "GET", "/readyz", "").status == 503 })
	c.send(t, "", "GET", "/readyz", "").require503(t, "/readyz", "the database's disk is full")
	// In fact the disk has room. The service detects that by itself after a while.
	waittest.Until(t, "a service that is ready", func() bool { return c.send(t, "", "GET", "/readyz", "").status == 200 })
	s.stop(t)
}

// Replicas accept each other's signatures, times and ended sessions, however far their clocks
// differ.
func TestReplicasWhoseClocksDifferAgree(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	here := &callers{service: startService(t, append(firstOperator, keyRing), "--database-url", address)}
	behind := &callers{service: startService(t, []string{keyRing, clockAhead + "=-20m"}, "--database-url", address)}
	read := func(c *callers, token string) int {
		return c.send(t, token, "GET", "/api/v1/operator/accounts", "").status
	}
	if status := read(here, behind.signIn(t, "op@example.com")); status != 200 {
		t.Errorf("want a token of the replica that is behind taken, got %d", status)
	}
	signedIn := here.send(t, "", "POST", "/api/v1/auth/login", `{"email":"op@example.com","password":"`+operatorPassword+`"}`)
	var tokens struct {
		Data struct {
			Access  string `json:"access_token"`
			Refresh string `json:"refresh_token"`
		}
	}
	must(t, json.Unmarshal([]byte(signedIn.body), &tokens))
	if status := read(here, tokens.Data.Access); status != 200 {
		t.Fatalf("want it signed in, got %d", status)
	}
	behind.send(t, "", "POST", "/api/v1/auth/logout", `{"refresh_token":"`+tokens.Data.Refresh+`"}`)
	waittest.Until(t, "the session ended", func() bool { return read(here, tokens.Data.Access) == 401 })
	here.stop(t)
	behind.stop(t)
}

// alter changes a database for new connections and ends the others.
func alter(t *testing.T, address, change string) {
	t.Helper()
	config, err := pgx.ParseConfig(address)
	must(t, err)
	name := config.Database
	config.Database = "postgres"
	conn, err := pgx.ConnectConfig(t.Context(), config)
	must(t, err)
	defer conn.Close(t.Context())
	for _, statement := range []string{"ALTER DATABASE " + name + " " + change, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'"} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}
