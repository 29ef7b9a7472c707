package conformance_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/buildtest"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/partner/partnertest"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/waittest"
)

// built is the folder of the built command.
var built string

// command builds the conformance command once for all tests, and returns its path.
var command = sync.OnceValue(func() string {
	if err := buildtest.Install(built, "partnerkit.dev/conformance/cmd/conformance"); err != nil {
		panic(err)
	}
	return filepath.Join(built, "conformance")
})

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "conformance-test-"); err != nil {
		panic(err)
	}
	pgtest.Main(m, func() { _ = os.RemoveAll(built) })
}

// patience limits how long a test waits. It is far longer than a busy machine needs.
const patience = 10 * time.Minute

// bench is a store with an integration, and a runner whose command is a shell script.
type bench struct {
	address string
	store   *postgres.Store
	service *conformance.Service
	config  conformance.Config
	signer  *conformance.Signer
	account uuid.UUID
	of      uuid.UUID // the integration
	notes   string    // a folder into which scripts write; $notes in the scripts
	dir     string    // of the command
}

const key = "the partner's key"

// A report, a ledger and progress such as the command writes.
const (
	aReport = `{"verdict":"nonconformant","suite_version":"1.2.3","contract_version":"c0ffee","summary":{"passed":1,"failed":1,"warned":1},
		"rules":[{"id":"products.limit","title":"one","outcome":"passed"},
		{"id":"reserve.note","title":"note","endpoint":"reserve","outcome":"warned"},
		{"id":"reserve.status","title":"two","endpoint":"reserve","level":"MUST","clause":"RES-1","outcome":"failed","message":"a \u0000 in it","fix":"Answer 200."}],
		"causes":[{"rules":["reserve.status"]},{"rules":["reserve.note"]}],"not_undone":[]}`
	aLedger   = `{"ledger":2}` + "\n" + `{"entry":1}`
	writeAll  = `printf '%s\n' '{"id":"products.limit"}' '{"id":"reserve.status"}'; echo '<p>' >report.html; echo '<x/>' >junit.xml; cat >report.json <<'END'` + "\n" + aReport + "\nEND\n"
	startHold = `printf '%s\n' '{"ledger":2}' '{"entry":1}' >ledger.jsonl; printf '{"torn' >>ledger.jsonl` + "\n"
	forever   = "while :; do sleep 0.2; done\n" // a signal is handled after the sleep
)

func setup(t *testing.T) *bench {
	t.Helper()
	b := &bench{address: pgtest.URL(t), notes: t.TempDir(), dir: t.TempDir(), account: uuid.New()}
	b.store = pgtest.OpenAt(t, b.address)
	secret, err := auth.NewSecret([]byte(strings.Repeat("s", auth.ShortestSecret)))
	must(t, err)
	must(t, b.store.Runs.Govern(t.Context(), conformance.Rules{Default: conformance.Advise}))
	registry := partner.NewRegistry(b.store.Partners, partner.NewGuard(true), secret, time.Now)
	must(t, b.store.Accounts.CreateAccount(t.Context(), domain.Account{ID: b.account, Email: "ana@example.com", Role: domain.Partner, PasswordHash: "x", CreatedAt: time.Now()}))
	b.service = conformance.NewService(b.store.Runs, true)
	b.signer, err = conformance.NewSigner(secret)
	must(t, err)
	b.config = conformance.Config{Store: b.store.Runs, Integrations: registry, Signer: b.signer, Now: time.Now, Scale: partnertest.Unhurried, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	b.of = b.integration(t, "https://partner.example")
	return b
}

func (b *bench) integration(t *testing.T, address string) uuid.UUID {
	t.Helper()
	made, _, err := b.config.Integrations.Register(t.Context(), b.account, partner.Registration{Name: "x", BaseURL: address, AuthKey: key, HandlesTicketDelivery: true})
	must(t, err)
	return made.ID
}

// runner returns a runner whose command is a script. $notes is the folder for its notes.
func (b *bench) runner(t *testing.T, script string) *conformance.Runner {
	t.Helper()
	config := b.config
	config.Command = filepath.Join(b.dir, uuid.NewString())
	buildtest.Script(t, config.Command, "set -u\nnotes='"+b.notes+"'\necho \"$@\" >\"$notes/$1.args\"; env >\"$notes/env\"\n"+script)
	made, err := conformance.NewRunner(config)
	must(t, err)
	return made
}

func (b *bench) start(t *testing.T) uuid.UUID {
	t.Helper()
	id, err := b.service.Start(t.Context(), b.of, conformance.Full, nil, true)
	must(t, err)
	return id
}

// run returns a stored run.
func (b *bench) run(t *testing.T, id uuid.UUID) conformance.Run {
	t.Helper()
	run, err := b.store.Runs.Run(t.Context(), b.of, id)
	must(t, err)
	return run
}

func (b *bench) parts(t *testing.T, id uuid.UUID, kind conformance.Kind) string {
	t.Helper()
	parts, err := b.store.Runs.Parts(t.Context(), id, kind, 0)
	must(t, err)
	var text strings.Builder
	for _, part := range parts {
		text.Write(part.Body)
	}
	return text.String()
}

func (b *bench) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	_, err := b.store.Pool().Exec(t.Context(), statement, args...)
	must(t, err)
}

func (b *bench) count(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	must(t, b.store.Pool().QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}

// note returns the note that a script wrote under a name, or "".
func (b *bench) note(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.notes, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// begin starts a run. It returns a function that stops its replica, and a channel for its end.
func (b *bench) begin(t *testing.T, r *conformance.Runner, id uuid.UUID) (stop context.CancelFunc, ended chan error) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	ended = make(chan error, 1)
	go func() { ended <- r.Run(ctx, id) }()
	return stop, ended
}

// beginRun starts a run and waits until its ledger is stored.
func (b *bench) beginRun(t *testing.T, r *conformance.Runner, id uuid.UUID) (stop context.CancelFunc, ended chan error) {
	t.Helper()
	stop, ended = b.begin(t, r, id)
	waittest.Until(t, "the ledger stored", func() bool { return b.parts(t, id, conformance.Ledger) != "" })
	return stop, ended
}

// must ends the test on an error.
var must = errtest.Check
