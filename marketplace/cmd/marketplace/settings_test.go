package main

import (
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestEveryCommandShowsExamplesOfItself(t *testing.T) {
	t.Parallel()
	var look func(*cobra.Command)
	look = func(c *cobra.Command) {
		if c.Runnable() && !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("want an example of %s, got %q", c.CommandPath(), c.Example)
		}
		for _, below := range c.Commands() {
			look(below)
		}
	}
	look(newRoot())
}

func TestAllWrongSettingsAreReportedTogether(t *testing.T) {
	t.Parallel()
	run(t, "", []string{
		"MARKETPLACE_LOGIN_LIMIT=many-hush", "MARKETPLACE_ALLOW_PRIVATE_PARTNERS=perhaps", "MARKETPLACE_SECRET_KEY=hush", "MARKETPLACE_DATABASE_URL=mysql://me:hush@host/x",
		"MARKETPLACE_OPERATOR_EMAIL=someone", "MARKETPLACE_OPERATOR_PASSWORD=hush", "MARKETPLACE_DATA_DIR=",
	}, "serve", "--addr", "8080", "--rate-limit", "-1", "--page-cache", "0", "--affiliate-url", "{shop}", "--rates-url", "ftp://me:hush@bank/daily.xml", "--rates-max-age", "1h",
		"--log-format", "xml", "--log-level", "loud", "--metrics-from", "10.0.0.0/8,localhost", "--trusted-proxies", "10.0.0.1", "--metrics-addr", "9090",
		"--certification", "must").requireUsageError(t,
		"MARKETPLACE_LOGIN_LIMIT: expected a whole number", "MARKETPLACE_ALLOW_PRIVATE_PARTNERS: expected true or false",
		"--secret-key: expected at least 32 bytes, received 4", "--database-url: expected an address such as postgres://", "--data-dir: expected a folder",
		"--operator-email: expected an address", "--operator-password: expected at least 10 letters",
		"--addr: expected host:port", "--rate-limit: expected 0 or more, received -1", "--page-cache: expected from 1", "--affiliate-url:", "--rates-url: expected an address such as", "--rates-max-age: expected from 1d to 3650d, received 1h",
		`--log-format: expected json or text, received "xml"`, `--log-level: expected debug, info, warn or error, received "loud"`, `--metrics-from: expected networks such as 10.0.0.0/8 or 192.0.2.7/32, received "localhost"`, `--trusted-proxies: expected networks such as 10.0.0.0/8 or 192.0.2.7/32, received "10.0.0.1"`,
		"--metrics-addr: expected host:port", `--certification: expected off, advise or require, received "must"`)
}

func TestAnAffiliatesLinkIsACompleteAddress(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{"/activities/{activity}?by={affiliate}", "shop.example/{activity}/{affiliate}", "ftp://shop.example/{activity}/{affiliate}", "https:///{activity}/{affiliate}"} {
		executed(t, []string{"serve", "--addr", "8080", "--affiliate-url", wrong}).requireUsageError(t, "--addr: expected host:port", "--affiliate-url: expected an address such as https://")
	}
}

func TestGuestsAreErasedAfterDaysOrHours(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"400d": "400d", "9600h": "400d", "36h": "36h0m0s", "0d": "0d", "106751d": "106751d"} {
		var d days
		if err := d.Set(text); err != nil || d.String() != want {
			t.Errorf("%s: want %s, got %s and %v", text, want, d, err)
		}
	}
	for _, text := range []string{"", "d", "-1d", "1.5d", "400", "106752d", "99999999999d"} {
		if err := new(days).Set(text); err == nil || !strings.Contains(err.Error(), "expected days such as 400d") {
			t.Errorf("%q: want it refused, got %v", text, err)
		}
	}
	run(t, "", []string{"MARKETPLACE_ERASE_GUESTS_AFTER=0d"}, "serve").requireUsageError(t, "--erase-guests-after: expected at least 1d, received 0d")
	run(t, "", []string{"MARKETPLACE_ERASE_GUESTS_AFTER=400"}, "serve").requireUsageError(t, "MARKETPLACE_ERASE_GUESTS_AFTER: expected ")
}

func TestAProblemAtStartupIsOneLine(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	newer := pgtest.URL(t)
	conn, err := pgx.Connect(t.Context(), newer)
	must(t, err)
	defer conn.Close(t.Context()) // before the database is dropped
	if _, err := conn.Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"); err != nil {
		t.Fatal(err)
	}
	nowhere, err := url.Parse(newer)
	must(t, err)
	nowhere.Path = "/nowhere"
	folder := t.TempDir()
	file, short, open := filepath.Join(folder, "file"), filepath.Join(folder, "short"), filepath.Join(folder, "open")
	must(t, errors.Join(os.Mkdir(open, 0o700), os.WriteFile(filepath.Join(open, "secret-key"), []byte(strings.Repeat("s", 64)), 0o600), os.Chmod(filepath.Join(open, "secret-key"), 0o640)))
	must(t, errors.Join(os.WriteFile(file, nil, 0o600), os.Mkdir(short, 0o700), os.WriteFile(filepath.Join(short, "secret-key"), []byte("hush"), 0o600)))
	serve := func(args ...string) []string {
		return append([]string{"serve", "--addr", "127.0.0.1:0", "--secret-key", strings.Repeat("s", 32)}, args...)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a port that is taken":                {[]string{"serve", "--addr", taken.Addr().String(), "--data-dir", t.TempDir()}, "--addr " + taken.Addr().String() + ": another program uses this port"},
		"an address of another machine":       {[]string{"serve", "--addr", "192.0.2.1:80", "--data-dir", t.TempDir()}, "--addr 192.0.2.1:80: bind: cannot assign requested address; use an address of this machine"},
		"a port beyond all":                   {[]string{"serve", "--addr", "127.0.0.1:99999", "--data-dir", t.TempDir()}, "--addr 127.0.0.1:99999: address 99999: invalid port"},
		"a data folder that is a file":        {serve("--data-dir", file), "--data-dir: " + file + ": not a directory; name a folder"},
		"a secret below a file":               {[]string{"serve", "--addr", "127.0.0.1:0", "--data-dir", file}, "--data-dir: " + file + ": not a directory; name a folder"},
		"a secret that someone has put":       {[]string{"serve", "--addr", "127.0.0.1:0", "--data-dir", short}, "secret-key: expected at least 32 bytes, received 4"},
		"a secret that a group may read":      {[]string{"serve", "--addr", "127.0.0.1:0", "--data-dir", open}, "secret-key: the service's secret has mode 0640, so other users can access it; run chmod 600 "},
		"a database that does not answer":     {serve("--database-url", "postgres://me:hush@127.0.0.1:1/x?connect_timeout=5"), "--database-url: reach the database: 127.0.0.1:1 (127.0.0.1): dial error"},
		"a server that says nothing":          {serve("--database-url", "postgres://me:hush@"+taken.Addr().String()+"/x?connect_timeout=1"), "--database-url: reach the database: " + taken.Addr().String()},
		"a database that is not there":        {serve("--database-url", nowhere.String()), `database "nowhere" does not exist`},
		"a database of a newer service":       {serve("--database-url", newer), "run the newer service"},
		"a data folder that cannot be made":   {[]string{"migrate", "--data-dir", "/dev/null/x"}, "--data-dir: /dev/null: not a directory"},
		"a file that is not a table of rates": {[]string{"rates", "import", "settings_test.go", "--database-url", newer}, "settings_test.go: expected the European Central Bank's daily reference rates"},
		"an address of rates that is dead":    {[]string{"rates", "import", "http://me:hush@127.0.0.1:1/"}, "fetch the rates: dial tcp 127.0.0.1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			executed(t, c.args).fails(t, c.want)
		})
	}
}

func TestASessionNeedsTheAddressOfTheDatabaseItself(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	executed(t, []string{"serve", "--database-listen-url", address}).requireUsageError(t, "--database-listen-url: expected --database-url too")
	serve := []string{"serve", "--addr", "127.0.0.1:0", "--secret-key", strings.Repeat("s", 32), "--database-url", pgtest.Pooled(t, address)}
	executed(t, append(serve, "--database-listen-url", "postgres://me:hush@127.0.0.1:1/x")).fails(t, "--database-listen-url: reach the database: 127.0.0.1:1")
	executed(t, append(serve, "--database-listen-url", pgtest.URL(t))).fails(t, "--database-listen-url: notifications do not arrive")
}

func TestAWrongCommandLineIsOneLineWithTheSolution(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"an unknown command":              {[]string{"sevre"}, `there is no command "sevre"; marketplace --help lists all`},
		"an unknown command of a group":   {[]string{"account", "lst"}, `there is no command "lst"; marketplace account --help lists all`},
		"an unknown flag":                 {[]string{"serve", "--database", "hush"}, "unknown flag: --database; marketplace serve --help lists the flags"},
		"an unexpected argument":          {[]string{"migrate", "now"}, `expected only flags, received the argument "now"; marketplace migrate --help lists them`},
		"a flag that is no number":        {[]string{"serve", "--rate-limit", "many"}, "marketplace serve --help lists the flags"},
		"an invalid address":              {[]string{"migrate", "--database-url", "localhost/x"}, "--database-url: expected an address such as postgres://"},
		"an address with unreadable TLS":  {[]string{"migrate", "--database-url", "postgres://me:hush@host/x?sslmode=perhaps"}, "sslmode is invalid"},
		"a certificate that is not there": {[]string{"migrate", "--database-url", "postgres://me:hush@host/x?sslmode=verify-full&sslrootcert=/none.pem"}, "open /none.pem: no such file"},
		"one connection only":             {[]string{"migrate", "--database-url", "postgres://me:hush@host/x?pool_max_conns=1"}, "--database-url: pool_max_conns: expected 2 or more, received 1"},
		"no prepared statements":          {[]string{"migrate", "--database-url", "postgres://me:hush@host/x?default_query_exec_mode=exec"}, "default_query_exec_mode: expected cache_statement, the default, or cache_describe, received exec"},
		"statements described each time":  {[]string{"migrate", "--database-url", "postgres://me:hush@host/x?default_query_exec_mode=describe_exec"}, "received describe exec"},
		"no room for statements":          {[]string{"migrate", "--database-url", "postgres://me:hush@host/x?statement_cache_capacity=0"}, "statement_cache_capacity: expected 1 or more, received 0"},
		"a health check without a pause":  {[]string{"migrate", "--database-url", "postgres://me:hush@host/x?pool_health_check_period=0s"}, "pool_health_check_period: expected a time above 0, received 0s"},
		"a role that there is not":        {[]string{"account", "list", "--role", "king"}, "--role: expected reseller, affiliate, partner or operator"},
		"a token without a name":          {[]string{"account", "token", "--email", "ana@example.com"}, "--name: is required"},
		"no table of rates":               {[]string{"rates", "import"}, "expected one FILE, one URL, or -"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			executed(t, c.args).requireUsageError(t, c.want)
		})
	}
}

func TestAccountsAreListed(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	for _, role := range []string{"operator", "reseller"} {
		run(t, "amber kettle skates\n", nil, "account", "create", "--database-url", address, "--email", role+"@example.com", "--role", role, "--name", "A\tname\nof two lines").succeeds(t)
	}
	lines := strings.Split(strings.TrimSpace(executed(t, []string{"account", "list", "--database-url", address}).succeeds(t)), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[1], "operator") || !strings.Contains(lines[2], "reseller@example.com") || !strings.HasSuffix(lines[2], "active  A name of two lines") {
		t.Errorf("want both, the oldest first, a line each, got %q", lines)
	}
	if out := executed(t, []string{"account", "list", "--role", "reseller", "--database-url", address}).succeeds(t); strings.Contains(out, "operator@") || !strings.Contains(out, "reseller@") {
		t.Errorf("want the reseller alone, got %s", out)
	}
}

func TestAnotherSecretThanThePartnersKeysWereSealedWithIsRefused(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	store := pgtest.OpenAt(t, address)
	first, err := auth.NewSecret([]byte(strings.Repeat("1", auth.ShortestSecret)))
	must(t, err)
	now := func() time.Time { return time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC) }
	account := domain.Account{ID: uuid.New(), Email: "ana@example.com", Role: domain.Partner, PasswordHash: "x", CreatedAt: now()}
	must(t, store.Accounts.CreateAccount(t.Context(), account))
	registration := partner.Registration{Name: "Walks", BaseURL: "https://partner.example", AuthKey: "k"}
	if _, _, err := partner.NewRegistry(store.Partners, partner.NewGuard(false), first, now).Register(t.Context(), account.ID, registration); err != nil {
		t.Fatal(err)
	}
	run(t, "", []string{"MARKETPLACE_SECRET_KEY=" + strings.Repeat("hush", 10)}, "serve", "--addr", "127.0.0.1:0", "--database-url", address).
		fails(t, "--secret-key: a stored key cannot be opened: the service's secret is not the one that encrypted it")
	startService(t, []string{"MARKETPLACE_SECRET_KEY=" + strings.Repeat("1", auth.ShortestSecret)}, "--database-url", address).stop(t)
}
