//go:build unix

package main

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/internal/tooltest"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// backupLines matches the lines of docs/operations.md that dump and restore a database.
var backupLines = regexp.MustCompile(`(?m)^(pg_dump .*)\n(pg_restore .*)$`)

func TestTheDocumentedBackupOfADatabaseCanBeRestored(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"pg_dump", "pg_restore", "psql"} {
		if _, err := exec.LookPath(program); err != nil {
			tooltest.Skip(t, tooltest.PostgreSQL, err)
		}
	}
	manual, err := os.ReadFile(sourcetest.Path("docs/operations.md"))
	must(t, err)
	lines := backupLines.FindStringSubmatch(string(manual))
	if lines == nil {
		t.Fatal("docs/operations.md: want a line of pg_dump and one of pg_restore")
	}
	original, restored := pgtest.URL(t), pgtest.EmptyURL(t)
	folder := t.TempDir()
	shell := func(database, line string) string {
		t.Helper()
		process := exec.CommandContext(t.Context(), "sh", "-c", line)
		process.Dir = folder
		process.Env = append(os.Environ(), "MARKETPLACE_DATABASE_URL="+database)
		out, err := process.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		return string(out)
	}
	const rows = `psql -At "$MARKETPLACE_DATABASE_URL" -c "SELECT table_name, xpath('//n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I', table_name), false, true, ''))
		FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name"`
	of := func(database string) []string { return []string{"MARKETPLACE_DATABASE_URL=" + database} }
	run(t, "amber kettle skates", of(original), "account", "create", "--email", "shop@example.com", "--role", "reseller", "--name", "Shop").succeeds(t)
	shell(original, lines[1])
	shell(restored, lines[2])
	before, after := shell(original, rows), shell(restored, rows)
	if before != after || !regexp.MustCompile(`(?m)^accounts\|\{1\}$`).MatchString(after) {
		t.Errorf("want as many rows in each table, an account among them:\n%s\ngot\n%s", before, after)
	}
	run(t, "", of(restored), "migrate").succeeds(t)
}
