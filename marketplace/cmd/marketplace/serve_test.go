package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/internal/tooltest"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/waittest"
)

const operatorPassword = "correct horse battery"

var firstOperator = []string{"MARKETPLACE_OPERATOR_EMAIL=op@example.com", "MARKETPLACE_OPERATOR_PASSWORD=" + operatorPassword}

// rates signs in as the operator and returns the exchange rates.
func (s *service) rates(t *testing.T) client.Rates {
	t.Helper()
	operator, err := client.NewOperator(s.base, client.Password("op@example.com", operatorPassword), client.Options{})
	must(t, err)
	rates, err := operator.Rates(t.Context())
	must(t, err)
	return rates
}

// openBank publishes the rates of 2024-07-01.
func openBank(t *testing.T) *httptest.Server {
	t.Helper()
	table, err := os.ReadFile("../../internal/storefront/eurofxref-2024-06-28.xml")
	must(t, err)
	bank := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/daily.xml" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(strings.NewReplacer("2024-06-28", "2024-07-01", "1.0705", "1.1705").Replace(string(table))))
	}))
	t.Cleanup(bank.Close)
	return bank
}

// letsIn requires that a reseller's credentials are valid.
func (s *service) letsIn(t *testing.T, credentials client.Credentials) {
	t.Helper()
	shop, err := client.NewReseller(s.base, credentials, client.Options{})
	must(t, err)
	if _, err := shop.Activities(client.ActivityQuery{Currency: "USD"}).Page(t.Context(), 1, 1); err != nil {
		t.Error(err)
	}
}

func TestTheStartPullsRatesThatAreOlderThanADay(t *testing.T) {
	t.Parallel()
	bank := openBank(t)
	address := strings.Replace(bank.URL, "http://", "http://me:hush@", 1)
	s := startService(t, firstOperator, "--database-url", pgtest.URL(t), "--secret-key", strings.Repeat("s", 32), "--rates-url", address+"/daily.xml")
	var log strings.Builder
	for !strings.Contains(log.String(), `"msg":"imported 30 exchange rates","as_of":"2024-07-01"`) {
		line, open := <-s.log
		if !open {
			t.Fatalf("Expected the rates to be imported, received the end of the log:\n%s", log.String())
		}
		log.WriteString(line)
	}
	if rates := s.rates(t); rates.AsOf != "2024-07-01" || rates.Rates["USD"] != "1.1705" {
		t.Errorf("Expected the bank's rates in force, received %+v", rates)
	}
	must(t, s.Process.Signal(syscall.SIGTERM))
	if r := s.ends(t); r.code != 0 || strings.Contains(log.String()+r.out+r.errors, "hush") {
		t.Errorf("Expected it to end with 0 and to log no password, received %d: %s%s%s", r.code, log.String(), r.out, r.errors)
	}
}

func TestAnEmptyDatabaseIsMadeReadyAndTheFirstRatesAreInIt(t *testing.T) {
	t.Parallel()
	s := startService(t, firstOperator, "--database-url", pgtest.EmptyURL(t), "--secret-key", strings.Repeat("s", 32), "--metrics-addr", "127.0.0.1:0")
	if rates := s.rates(t); rates.AsOf != "2024-06-28" || rates.Rates["USD"] != "1.0705" {
		t.Errorf("want the rates that come with the service, got %+v", rates)
	}
	for size, want := range map[int]int{30 << 10: 200, 40 << 10: 431} {
		if status, _ := s.ask(t, "GET", "/healthz", "", http.Header{"X-Long": {strings.Repeat("x", size)}}); status != want {
			t.Errorf("want a header of %d bytes answered with %d, got %d", size, want, status)
		}
	}
	if status, _ := s.ask(t, "GET", "/metrics", "", nil); status != 404 {
		t.Errorf("want the metrics at their own address only, got %d", status)
	}
	s.base = strings.TrimSuffix(s.scrape, "/metrics")
	status, body := s.ask(t, "GET", "/metrics", "", nil)
	for _, want := range []string{`marketplace_database_up 1`, `marketplace_ready 1`, `connections_max{pool="requests"}`, `connections_max{pool="work"}`, `marketplace_page_cache_bytes`} {
		if status != 200 || !strings.Contains(body, want) {
			t.Errorf("want %s among the metrics, got %d, %d bytes", want, status, len(body))
		}
	}
	s.stop(t)
}

func TestAMissingConformanceCommandIsReportedAtTheStart(t *testing.T) {
	t.Parallel()
	s := startService(t, nil, "--database-url", pgtest.URL(t), "--secret-key", strings.Repeat("s", 32), "--conformance-command", "/no/such/conformance")
	if !strings.Contains(s.began, `"level":"WARN","msg":"--conformance-command /no/such/conformance cannot be run`) {
		t.Errorf("Expected a warning, received %s", s.began)
	}
	s.stop(t)
}

// A user of a foreign database may seldom change how the server logs.
func TestADatabaseThatMayLogRowsIsReportedAtTheStart(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(pgtest.EmptyURL(t))
	must(t, err)
	conn, err := pgx.Connect(t.Context(), address.String())
	must(t, err)
	defer conn.Close(t.Context())
	name := conn.Config().Database
	for _, statement := range []string{
		`CREATE ROLE plain_` + name + ` LOGIN PASSWORD 'x'`, `ALTER DATABASE ` + name + ` OWNER TO plain_` + name, `ALTER SCHEMA public OWNER TO plain_` + name,
	} {
		_, err := conn.Exec(t.Context(), statement)
		must(t, err)
	}
	address.User = url.UserPassword("plain_"+name, "x")
	for verbosity, warned := range map[string]bool{"default": true, "terse": false} {
		_, err := conn.Exec(t.Context(), `ALTER ROLE plain_`+name+` SET log_error_verbosity = '`+verbosity+`'`)
		must(t, err)
		s := startService(t, nil, "--database-url", address.String(), "--secret-key", strings.Repeat("s", 32))
		must(t, s.Process.Signal(syscall.SIGTERM))
		r := s.ends(t)
		if said := strings.Contains(s.began+r.out, "the database may log rows with customers' data"); r.code != 0 || said != warned {
			t.Errorf("%s: Expected a warning: %t, received %s%s", verbosity, warned, s.began, r.out)
		}
	}
}

func TestAServiceWithoutItsDatabaseSaysSoAndStillEndsInOrder(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	s := startService(t, nil, "--database-url", address, "--secret-key", strings.Repeat("s", 32))
	lost, err := pgx.ParseConfig(address)
	must(t, err)
	name := lost.Database
	lost.Database = "postgres"
	conn, err := pgx.ConnectConfig(t.Context(), lost)
	must(t, err)
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "ALTER DATABASE "+name+" ALLOW_CONNECTIONS false"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name); err != nil {
		t.Fatal(err)
	}
	if status, body := s.ask(t, "GET", "/readyz", "", nil); status != 503 || !strings.Contains(body, "the database cannot be reached") {
		t.Errorf("want 503, got %d %s", status, body)
	}
	if status, body := s.ask(t, "POST", "/api/v1/auth/login", `{"email":"ana@example.com","password":"x"}`, nil); status != 503 || !strings.Contains(body, "service_unavailable") {
		t.Errorf("want 503, got %d %s", status, body)
	}
	if status, _ := s.ask(t, "GET", "/healthz", "", nil); status != 200 {
		t.Errorf("want it still alive, got %d", status)
	}
	s.stop(t)
}

// The complete life of a service with a private PostgreSQL: commands that run in addition to it,
// the files that it leaves, and its behaviour when its database dies.
func TestAServiceOfItsOwnAndTheCommandsBesideIt(t *testing.T) {
	t.Parallel()
	if installed, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres"); len(installed) == 0 {
		tooltest.Skip(t, tooltest.PostgreSQL, err) // the service downloads none without being asked to
	}
	dir, err := os.MkdirTemp("", "marketplace-test-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil { // for PostgreSQL's user, if root runs the test
		t.Fatal(err)
	}
	bank := openBank(t)
	beside := func(stdin string, args ...string) ran {
		if stdin == "" {
			return executed(t, append(args, "--data-dir", dir))
		}
		return run(t, stdin, []string{"MARKETPLACE_DATA_DIR=" + dir}, args...)
	}

	s := startService(t, firstOperator, "--data-dir", dir)
	beside("", "serve", "--addr", "127.0.0.1:0").fails(t, "another service is using the folder")
	if out := beside(operatorPassword+"\n", "account", "create", "--email", "Shop@example.com", "--role", "reseller", "--name", "Shop").succeeds(t); !strings.Contains(out, "created reseller shop@example.com") {
		t.Errorf("Expected it to be reported, received %s", out)
	}
	beside(operatorPassword, "account", "create", "--email", "shop@example.com", "--role", "reseller").fails(t, "--email: an account with the address shop@example.com exists already")
	beside("short", "account", "create", "--email", "someone", "--role", "king").requireUsageError(t, "--email: expected an address", "standard input: password: expected at least 10 letters", "--role: expected one of")
	token := strings.TrimSpace(beside("", "account", "token", "--email", "shop@example.com", "--name", "web shop").succeeds(t))
	beside("", "account", "token", "--email", "op@example.com", "--name", "x").fails(t, `no reseller has the address "op@example.com"`)
	s.letsIn(t, client.APIToken(client.Secret(token)))
	beside("", "rates", "import", bank.URL+"/daily.xml").succeeds(t)
	beside("", "rates", "import", bank.URL+"/nothing").fails(t, "answered with 404")
	file := filepath.Join(t.TempDir(), "rates.xml")
	must(t, os.WriteFile(file, []byte(`<Envelope><Cube><Cube time="2024-07-02"><Cube currency="USD" rate="2.5"/></Cube></Cube></Envelope>`), 0o600))
	beside("", "rates", "import", file).fails(t, "--force", "rates.USD (line 1): 2.5 is more than twice the rate in force, 1.1705")
	if rates := s.rates(t); rates.AsOf != "2024-07-01" || rates.Rates["USD"] != "1.1705" {
		t.Errorf("want the imported rates in force, got %+v", rates)
	}
	out := beside("", "rates", "import", "--force", file).succeeds(t)
	if want := "not in the file: JPY keeps its rate of 2024-07-01 until 2024-07-08\n"; !strings.HasPrefix(out, "imported 1 rate of 2024-07-02\n") || !strings.Contains(out, want) {
		t.Errorf("Expected %q, received %s", want, out)
	}
	if rates := s.rates(t); rates.AsOf != "2024-07-02" || rates.Rates["USD"] != "2.5" {
		t.Errorf("want the forced rates in force, got %+v", rates)
	}
	s.stop(t)
	for name, mode := range map[string]os.FileMode{"secret-key": 0o600, "postgresql/password": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: want it kept for its owner alone, got %v and %v", name, info, err)
		}
	}
	pidFile := filepath.Join(dir, "postgresql", "data", "postmaster.pid")
	if _, err := os.Stat(pidFile); !os.IsNotExist(err) {
		t.Errorf("want no PostgreSQL left behind, got %v", err)
	}

	s = startService(t, nil, "--data-dir", dir)
	s.letsIn(t, client.Password("shop@example.com", operatorPassword))
	text, err := os.ReadFile(pidFile)
	must(t, err)
	kill := func(text []byte) {
		first, _, _ := strings.Cut(string(text), "\n")
		pid, err := strconv.Atoi(first)
		must(t, err)
		must(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	kill(text)
	waittest.Until(t, "PostgreSQL started again", func() bool {
		again, err := os.ReadFile(pidFile)
		status, _ := s.ask(t, "GET", "/readyz", "", nil)
		return err == nil && string(again) != string(text) && status == 200
	})
	s.letsIn(t, client.Password("shop@example.com", operatorPassword))
	text, err = os.ReadFile(pidFile)
	must(t, err)
	kill(text) // the next restart is a minute later
	waittest.Until(t, "no PostgreSQL", func() bool {
		status, body := s.ask(t, "GET", "/readyz", "", nil)
		return status == 503 && strings.Contains(body, "the private PostgreSQL is restarting")
	})
	if status, _ := s.ask(t, "GET", "/healthz", "", nil); status != 200 {
		t.Errorf("want it alive, got %d", status)
	}
	s.shutDown(t)
}
