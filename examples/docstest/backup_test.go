//go:build unix

package docstest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/marketplace/pgembed"
)

// The backup of docs/operations.md is taken of one database and restored into another
// one, which make docs-test does.
func TestTheBackupOfADatabaseCanBeRestored(t *testing.T) {
	if os.Getenv("DOCS") == "" {
		t.Skip("make docs-test does this")
	}
	for _, program := range []string{"pg_dump", "pg_restore", "psql"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	dump, restore := backup(t)
	folder, err := os.MkdirTemp("", "docs-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o711); err != nil { // for the user that root hands PostgreSQL to
		t.Fatal(err)
	}
	server, err := pgembed.Start(t.Context(), pgembed.Config{Dir: filepath.Join(folder, "database"), Disposable: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	bin := programs(t)
	run := func(database, command string) string {
		t.Helper()
		shell := exec.CommandContext(t.Context(), "bash", "-c", command)
		shell.Dir = folder
		shell.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "MARKETPLACE_DATABASE_URL="+server.URL(database))
		said, err := shell.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, said)
		}
		return string(said)
	}
	const rows = `psql -At "$MARKETPLACE_DATABASE_URL" -c "SELECT table_name, xpath('//n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I', table_name), false, true, ''))
		FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name"`
	run("postgres", `psql "$MARKETPLACE_DATABASE_URL" -c 'CREATE DATABASE kept' -c 'CREATE DATABASE restored'`)
	run("kept", `marketplace migrate && echo 'a long password' | marketplace account create --email shop@example.com --role reseller --name Shop`)
	run("kept", dump)
	run("restored", restore)
	before, after := run("kept", rows), run("restored", rows)
	if before != after || !strings.Contains(after, "\naccounts|{1}\n") && !strings.HasPrefix(after, "accounts|{1}\n") {
		t.Errorf("want as many rows in each table, an account among them:\n%s\ngot\n%s", before, after)
	}
	run("restored", "marketplace migrate")
}

// backup is the document's block that dumps and restores.
func backup(t *testing.T) (dump, restore string) {
	t.Helper()
	for _, d := range documents(t) {
		for _, block := range d.Blocks {
			lines := slices.Collect(strings.Lines(block.Text))
			if block.Language == "sh" && len(lines) == 2 && strings.HasPrefix(lines[0], "pg_dump") && strings.HasPrefix(lines[1], "pg_restore") {
				return lines[0], lines[1]
			}
		}
	}
	t.Fatal("want a block with a line of pg_dump and one of pg_restore")
	return "", ""
}
