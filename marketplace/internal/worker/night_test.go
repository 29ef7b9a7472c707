package worker_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/buildtest"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/mockpartner"
)

// conformanceCommand is the environment variable with the path of the command for a doomed replica's
// runs.
const conformanceCommand = "WORKER_TEST_CONFORMANCE"

// ways are defects that a read-only run finds. Each is a different mistake.
var ways = []string{
	"product-listed-twice", "slots-cut-short", "availability-with-any-key", "product-ids-drift", "product-without-id", "product-without-name", "product-without-options", "option-without-id",
	"option-without-name", "option-listed-twice", "unit-listed-twice", "unit-without-id", "unit-without-name", "unit-without-price", "price-as-text",
	"locale-with-underscore", "time-zone-is-an-offset", "catalog-is-null", "catalog-cut-short", "products-with-any-key", "products-without-a-key", "availability-without-a-key", "empty-window-not-found",
	"slot-ids-drift", "slot-ids-shared", "slot-without-id", "slot-status-of-ones-own", "start-without-offset", "end-without-offset", "null-among-slots",
}

// nightPlan is a number of certified partners, some of which break before they are checked again.
type nightPlan struct {
	partners, broken int
	within           time.Duration // from the first recheck to the last; it is reported, not tested
	patience         time.Duration
	rules            []string // of the full run; nil: all
}

// nightOf returns the short form, or the long one for SOAK.
func nightOf() nightPlan {
	if os.Getenv("SOAK") != "" {
		return nightPlan{300, 30, 28 * time.Minute, 2 * time.Hour, nil}
	}
	return nightPlan{12, 3, time.Second, 10 * time.Minute, []string{"reserve.vacancies.one", "confirm.repeat.booking", "release.unknown"}}
}

// runnerAt returns a runner of the command with its own connections.
func runnerAt(ctx context.Context, address, command string, log io.Writer) (*conformance.Runner, error) {
	store, err := postgres.Open(ctx, address, 4)
	if err != nil {
		return nil, err
	}
	secret, err := auth.NewSecret([]byte(strings.Repeat("s", auth.ShortestSecret)))
	if err != nil {
		return nil, err
	}
	signer, err := conformance.NewSigner(secret)
	if err != nil {
		return nil, err
	}
	return conformance.NewRunner(conformance.Config{
		Store: store.Runs, Integrations: partner.NewRegistry(store.Partners, partner.NewGuard(true), secret, time.Now), Command: command, Signer: signer, Now: time.Now, AllowPrivate: true,
		Log: slog.New(slog.NewTextHandler(log, nil)),
	})
}

// mocks are partners at one address. Each can be replaced by one with a defect.
type mocks struct {
	url  string
	list []atomic.Pointer[mockpartner.Mock]
}

func newMocks(t *testing.T, n int) *mocks {
	t.Helper()
	m := &mocks{list: make([]atomic.Pointer[mockpartner.Mock], n)}
	for i := range m.list {
		m.become(t, i)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var i int
		if _, err := fmt.Sscanf(r.URL.Path, "/p%d/", &i); err != nil || i >= n {
			http.NotFound(w, r)
			return
		}
		http.StripPrefix(fmt.Sprintf("/p%d", i), m.list[i].Load()).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

// become replaces a partner by a new one with these defects.
func (m *mocks) become(t *testing.T, i int, defects ...string) {
	t.Helper()
	mock, err := mockpartner.New(mockpartner.Options{AuthKey: "k", Seed: uint64(i + 1), Defects: defects})
	check(t, err)
	t.Cleanup(mock.Close)
	m.list[i].Store(mock)
}

// countOpen returns how many holds and bookings are open at the partners.
func (m *mocks) countOpen() (open int) {
	for i := range m.list {
		inside := m.list[i].Load().Default().Platform().State()
		for _, h := range inside.Holds {
			if h.State == "HELD" {
				open++
			}
		}
		for _, b := range inside.Bookings {
			if b.State == "CONFIRMED" {
				open++
			}
		}
	}
	return open
}

// TestANightFindsThePartnersThatBroke checks certified partners again on two replicas, one of which is
// killed during the runs. The partners that broke lose their certificates, and no others. Nothing is
// left behind: no run, no hold and no booking, and every check has its report.
func TestANightFindsThePartnersThatBroke(t *testing.T) {
	t.Parallel()
	if os.Getenv("JOURNEYS") == "" && os.Getenv("SOAK") == "" {
		t.Skip("takes minutes: run make journeys")
	}
	form := nightOf()
	b := setup(t)
	b.jobTime, b.rescueTime = 2*time.Second, 3*time.Second
	folder := t.TempDir()
	command := filepath.Join(folder, "conformance")
	check(t, buildtest.Install(folder, "partnerkit.dev/conformance/cmd/conformance"))
	runner, err := runnerAt(t.Context(), b.address, command, t.Output())
	check(t, err)
	b.runs = runner
	check(t, b.store.Runs.Govern(t.Context(), conformance.Rules{Default: conformance.Require}))
	partners := newMocks(t, form.partners)
	ids := make([]uuid.UUID, form.partners)
	for i := range ids {
		made, _, err := b.integrations.Register(t.Context(), b.account, partner.Registration{Name: fmt.Sprintf("Partner %d", i), BaseURL: fmt.Sprintf("%s/p%d", partners.url, i), AuthKey: "k"})
		check(t, err)
		ids[i] = made.ID
	}
	// As after a full run for each of them, long ago.
	pgtest.Exec(t, b.store, `INSERT INTO conformance_certificates (integration_id, run_id, base_url, auth_type, handles_ticket_delivery, jws, issued_at, valid_until)
		SELECT id, gen_random_uuid(), base_url, auth_type, handles_ticket_delivery, 'x', now(), now() + interval '60 days' FROM integrations`)
	var broken []uuid.UUID
	for i := range form.broken {
		at := i * form.partners / form.broken
		partners.become(t, at, ways[i%len(ways)])
		broken = append(broken, ids[at])
	}

	// A partner starts a full run. Its replica is killed when it holds seats.
	doomed := exec.CommandContext(t.Context(), os.Args[0])
	doomed.Env = append(os.Environ(), doomedReplica+"="+b.address, conformanceCommand+"="+command)
	doomed.Stderr = t.Output()
	check(t, doomed.Start())
	full, err := conformance.NewService(b.store.Runs, true).Start(t.Context(), ids[1], conformance.Full, form.rules, true)
	check(t, err)
	started := time.Now()
	check(t, b.store.Runs.AskForRechecks(t.Context(), started, form.within, form.within))
	b.await(t, form, "the full run's ledger stored", func() bool {
		return b.count(t, `SELECT count(*) FROM conformance_run_parts WHERE run_id = '`+full.String()+`' AND kind = 'ledger'`) > 0
	})
	check(t, doomed.Process.Kill())
	_ = doomed.Wait()
	b.replica(t)

	done := `SELECT count(DISTINCT integration_id) FROM conformance_runs WHERE state = 'finished'`
	b.await(t, form, "every partner checked", func() bool {
		check(t, runner.Recover(t.Context())) // as the replica does every 30 s
		return b.count(t, done) == form.partners && b.count(t, `SELECT count(*) FROM conformance_runs WHERE state IN ('queued', 'running')`) == 0
	})
	t.Logf("%d partners were checked in %s", form.partners, time.Since(started).Round(time.Second))

	m, err := b.store.Runs.Matrix(t.Context(), conformance.MatrixFilter{State: conformance.Expired})
	check(t, err)
	var found []uuid.UUID
	for _, row := range m.Partners {
		if found = append(found, uuid.MustParse(row.IntegrationID)); row.FailingSince.IsZero() || !row.Withheld {
			t.Errorf("%s: Expected a failed rule, and no activity listed, received %+v", row.Name, row)
		}
	}
	slices.SortFunc(found, compareIDs)
	slices.SortFunc(broken, compareIDs)
	if !slices.Equal(found, broken) {
		t.Errorf("Expected the certificates of %v ended, received %v", broken, found)
	}
	if news := b.count(t, `SELECT count(*) FROM integration_events WHERE type = 'certificate.ended'`); news != form.broken {
		t.Errorf("Expected news for %d partners, received %d", form.broken, news)
	}
	// The full run is repeated, unless its replica was killed during a reserve: it is unknown then
	// whether there is a hold to release. It fails, and says so.
	if failed := b.count(t, `SELECT count(*) FROM conformance_runs WHERE state = 'failed' AND NOT (id = '`+full.String()+`' AND reason LIKE 'the service stopped during the run%')`); failed != 0 {
		t.Errorf("Expected no run failed, received %d", failed)
	}
	if without := b.count(t, `SELECT count(*) FROM conformance_runs r WHERE (SELECT count(*) FROM conformance_reports WHERE run_id = r.id) <> 3 AND state = 'finished'`); without != 0 {
		t.Errorf("Expected every run with its reports, received %d without", without)
	}
	if open := partners.countOpen(); open != 0 {
		t.Errorf("Expected no hold and no booking left at a partner, received %d", open)
	}
}

func compareIDs(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) }

func (b *bench) await(t *testing.T, form nightPlan, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(form.patience)
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("Expected %s within %s", what, form.patience)
		case <-time.After(200 * time.Millisecond):
		}
	}
}
