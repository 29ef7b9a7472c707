// Package pgtest gives every test a migrated PostgreSQL database of its own, on a server that the
// test process starts for itself: a copy of a template, or one that an earlier test has given back
// and that was made as new. The connections of a store outlive it too. Use it so:
//
//	func TestMain(m *testing.M) { pgtest.Main(m) }
//
//	store := pgtest.Open(t)
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/tooltest"
	"partnerkit.dev/marketplace/internal/pgembed"
	"partnerkit.dev/marketplace/internal/postgres"
)

const template = "template_of_tests"

// server is the process's own; Main starts and stops it.
var server struct {
	sync.Mutex // one copy at a time: the template may have no other user
	*pgembed.Server
	admin  *pgxpool.Pool // for statements that are not about the tests' own data
	names  atomic.Int64  // of databases
	spare  []*database   // which the next tests get
	lent   sync.Map      // the address of a test's database to the *database
	pooler *pooler       // nil: stores reach the server directly
}

// Main runs a package's tests with a server of their own, calls atEnd, and ends the process.
func Main(m *testing.M, atEnd ...func()) {
	code := run(m)
	for _, end := range atEnd {
		end()
	}
	os.Exit(code)
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "marketplace-test-")
	if err != nil {
		return reportFailure(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o711); err != nil { // for the user that root hands PostgreSQL to
		return reportFailure(err)
	}
	ctx := context.Background()
	config := pgembed.ForTests(dir)
	config.MaxConnections = 300
	server.Server, err = pgembed.Start(ctx, config)
	if errors.Is(err, pgembed.ErrNoBinaries) {
		return tooltest.SkipPackage(tooltest.PostgreSQL, err)
	}
	if err != nil {
		return reportFailure(err)
	}
	defer server.Stop(ctx)
	if server.admin, err = pgxpool.New(ctx, server.URL("postgres")); err != nil {
		return reportFailure(err)
	}
	defer server.admin.Close()
	// Only this process's user and root can open the socket. Checking a password too takes more than half
	// of a connection's CPU time, and the tests open thousands.
	if err := os.WriteFile(filepath.Join(dir, "data", "pg_hba.conf"), []byte("local all all trust\n"), 0o600); err != nil {
		return reportFailure(err)
	}
	for _, statement := range []string{"SELECT pg_reload_conf()", "CREATE DATABASE " + template} {
		if _, err := server.admin.Exec(ctx, statement); err != nil {
			return reportFailure(err)
		}
	}
	if _, err := postgres.Migrate(ctx, server.URL(template)); err != nil {
		return reportFailure(err)
	}
	if err := learnPristine(ctx, server.URL(template)); err != nil {
		return reportFailure(err)
	}
	if os.Getenv(pooledVariable) != "" {
		if server.pooler, err = startPooler(dir, server.URL("postgres")); err != nil {
			return reportFailure(err)
		}
		defer server.pooler.stop()
	}
	return m.Run()
}

func reportFailure(err error) int {
	fmt.Fprintln(os.Stderr, "a database for the tests:", err)
	return 1
}

// URL returns the address of a migrated database without data. It is the test's own until that ends.
func URL(t testing.TB) string {
	t.Helper()
	if _, is := t.(*testing.B); is || server.pooler != nil { // nothing of an earlier one may count; a pooler keeps connections
		return createDatabase(t, copied)
	}
	server.Lock()
	var d *database
	if last := len(server.spare) - 1; last >= 0 {
		d, server.spare = server.spare[last], server.spare[:last]
	}
	server.Unlock()
	if d == nil {
		d = &database{name: newName()}
		errtest.Check(t, execute(t.Context(), "CREATE DATABASE "+d.name+copied))
	}
	address := server.URL(d.name)
	server.lent.Store(address, d)
	t.Cleanup(func() {
		server.lent.Delete(address)
		if renewed, err := d.renew(context.Background()); err != nil {
			t.Error(err)
		} else if renewed {
			server.Lock()
			defer server.Unlock()
			server.spare = append(server.spare, d)
			return
		}
		d.sessions.close()
		dropDatabase(t, d.name)
	})
	return address
}

// EmptyURL returns the address of a fresh database without a table.
func EmptyURL(t testing.TB) string {
	t.Helper()
	return createDatabase(t, "")
}

const copied = " TEMPLATE " + template + " STRATEGY = FILE_COPY"

func createDatabase(t testing.TB, how string) string {
	t.Helper()
	name := newName()
	errtest.Check(t, execute(t.Context(), "CREATE DATABASE "+name+how))
	t.Cleanup(func() { dropDatabase(t, name) })
	return server.URL(name)
}

func dropDatabase(t testing.TB, name string) {
	t.Helper()
	errtest.Check(t, execute(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"))
}

func newName() string { return fmt.Sprintf("test_%d", server.names.Add(1)) }

func execute(ctx context.Context, statement string) error {
	server.Lock()
	defer server.Unlock()
	_, err := server.admin.Exec(ctx, statement)
	return err
}

// Open returns a store of a fresh, migrated database. It is removed when the test ends.
func Open(t testing.TB) *postgres.Store {
	t.Helper()
	return OpenAt(t, URL(t))
}

// OpenAt returns a store of that database, closed with the test.
func OpenAt(t testing.TB, address string) *postgres.Store {
	t.Helper()
	return OpenRecorded(t, address, nil)
}

// OpenRecorded is OpenAt whose queries a recorder, unless it is nil, hears of.
func OpenRecorded(t testing.TB, address string, r *Recorder) *postgres.Store {
	t.Helper()
	options := postgres.Options{Connections: 8}
	if d, is := server.lent.Load(address); is {
		options.Dial = d.(*database).sessions.dial
	}
	if server.pooler != nil {
		options.Listen, address = address, server.pooler.url(address)
	}
	if r != nil {
		options.Tracers = append(options.Tracers, r)
	}
	store, err := postgres.OpenWith(t.Context(), address, options)
	errtest.Check(t, err)
	t.Cleanup(store.Close)
	return store
}

// Exec changes a store's database, as any process may.
func Exec(t interface {
	Helper()
	Fatal(...any)
	Context() context.Context
}, store *postgres.Store, statement string, args ...any) {
	t.Helper()
	if _, err := store.Pool().Exec(context.WithoutCancel(t.Context()), statement, args...); err != nil {
		t.Fatal(err)
	}
}
