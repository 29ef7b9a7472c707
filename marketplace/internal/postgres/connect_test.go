package postgres_test

import (
	"net/url"
	"strings"
	"testing"

	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestTheServersLogIsKeptFromRowsAsFarAsTheUserMay(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	first := pgtest.OpenAt(t, address)
	name := first.Pool().Config().ConnConfig.Database
	for _, setting := range []string{"log_error_verbosity = 'default'", "log_parameter_max_length = -1", "log_parameter_max_length_on_error = -1"} {
		pgtest.Exec(t, first, `ALTER DATABASE `+name+` SET `+setting) // as chatty as a server can be
	}
	super, err := postgres.Open(t.Context(), address, 2) // a pooler may not pass settings on
	check(t, err)
	defer super.Close()
	for setting, want := range map[string]string{"log_error_verbosity": "terse", "log_parameter_max_length": "0", "log_parameter_max_length_on_error": "0"} {
		var got string
		check(t, super.Pool().QueryRow(t.Context(), "SHOW "+setting).Scan(&got))
		if got != want {
			t.Errorf("%s: want %s, got %s", setting, want, got)
		}
	}
	if mayLeak, err := super.LogMayContainRows(t.Context()); err != nil || mayLeak {
		t.Errorf("Expected a log without rows, received %t, %v", mayLeak, err)
	}
	role := "plain_" + strings.TrimPrefix(address[strings.LastIndex(address, "/")+1:], "test_")
	role, _, _ = strings.Cut(role, "?")
	pgtest.Exec(t, super, `CREATE ROLE `+role+` LOGIN PASSWORD 'x'`)
	pgtest.Exec(t, super, `ALTER ROLE `+role+` SET log_error_verbosity = 'default'`) // the default of most servers
	t.Cleanup(func() { pgtest.Exec(t, first, `DROP ROLE `+role) })
	plain, err := url.Parse(address)
	check(t, err)
	plain.User = url.UserPassword(role, "x")
	limited, err := postgres.Open(t.Context(), plain.String(), 1)
	check(t, err)
	defer limited.Close()
	if mayLeak, err := limited.LogMayContainRows(t.Context()); err != nil || !mayLeak {
		t.Errorf("Expected a report that the log may contain rows, received %t, %v", mayLeak, err)
	}
	pgtest.Exec(t, super, `ALTER ROLE `+role+` SET log_error_verbosity = 'terse'`)
	again, err := postgres.Open(t.Context(), plain.String(), 1)
	check(t, err)
	defer again.Close()
	if mayLeak, err := again.LogMayContainRows(t.Context()); err != nil || mayLeak {
		t.Errorf("want what a superuser has set to hold, got %t, %v", mayLeak, err)
	}
}
