package conformance_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/connection/connectiontest"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/waittest"
)

func TestARunStoresItsVerdictFindingsProgressAndReports(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.start(t)
	must(t, b.runner(t, startHold+writeAll+"exit 1").Run(t.Context(), id))
	run := b.run(t, id)
	if run.State != conformance.Finished || run.Verdict != "nonconformant" || run.SuiteVersion != "1.2.3" || run.ContractVersion != "c0ffee" || run.Counts["failed"] != 1 {
		t.Errorf("want the verdict of the report, got %+v", run)
	}
	if len(run.Findings) != 2 || run.Findings[0].Rule != "reserve.status" || run.Findings[0].Fix != "Answer 200." || run.Findings[1].Rule != "reserve.note" {
		t.Errorf("want what is broken, in the order of the report's causes, got %+v", run.Findings)
	}
	if got := b.parts(t, id, conformance.Progress); got != "{\"id\":\"products.limit\"}\n{\"id\":\"reserve.status\"}\n" {
		t.Errorf("want a line for each rule, got %q", got)
	}
	if got := b.parts(t, id, conformance.Ledger); got != "" {
		t.Errorf("want no ledger where all is undone, got %q", got)
	}
	packed, err := b.store.Runs.Report(t.Context(), id, "report.json")
	must(t, err)
	unpack, err := gzip.NewReader(bytes.NewReader(packed))
	must(t, err)
	if text, err := io.ReadAll(unpack); err != nil || strings.TrimSpace(string(text)) != aReport {
		t.Errorf("want the report as it was written, got %q and %v", text, err)
	}
}

func TestTheCommandGoesOnWhenItsLedgerIsStored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.start(t)
	stop, ended := b.begin(t, b.runner(t, startHold+"echo '{\"ledger\": true}'; read -r line; echo >\"$notes/sent\"\n"+forever), id)
	waittest.Until(t, "the command allowed to go on", func() bool { return b.note(t, "sent") != "" })
	if got := b.parts(t, id, conformance.Ledger); got != aLedger+"\n" {
		t.Errorf("want the ledger stored by then, got %q", got)
	}
	if got := b.parts(t, id, conformance.Progress); got != "" {
		t.Errorf("want nothing of it in the progress, got %q", got)
	}
	stop()
	<-ended
}

func TestTheCommandGetsTheKeyAndNothingElseOfTheService(t *testing.T) {
	t.Setenv("MARKETPLACE_SECRET_KEY", "the service's own")
	b := setup(t)
	for _, c := range []struct {
		private bool
		scope   conformance.Scope
		rules   []string
		want    string
		none    string
	}{
		{false, conformance.Full, nil, "--public-only", "--read-only"},
		{true, conformance.ReadOnly, nil, "--read-only", "--public-only"},
		{true, conformance.Full, []string{"reserve.status", "confirm.status"}, "--rule reserve.status,confirm.status", "--read-only"},
		{true, conformance.Full, nil, "--max-holds", "--rule"},
	} {
		b.config.AllowPrivate = c.private
		id, err := b.service.Start(t.Context(), b.of, c.scope, c.rules, true)
		must(t, err)
		must(t, b.runner(t, writeAll).Run(t.Context(), id))
		args, environment := b.note(t, "run.args"), b.note(t, "env")
		for _, want := range []string{c.want, "--base-url https://partner.example", "--auth-type bearer", "--handles-ticket-delivery", "--max-holds", "--max-bookings", "--max-duration"} {
			if !strings.Contains(args, want) {
				t.Errorf("want %s, got %s", want, args)
			}
		}
		if strings.Contains(args, c.none) || strings.Contains(args, key) {
			t.Errorf("want neither %s nor the key among the arguments, got %s", c.none, args)
		}
		if !strings.Contains(environment, "CONFORMANCE_AUTH_KEY="+key) || strings.Contains(environment, "MARKETPLACE_") {
			t.Errorf("want the key in the environment and nothing of the service, got %s", environment)
		}
	}
}

func TestARunWhoseCommandBreaksHasFailedAndSaysWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, want string }{
		"it ends with another code":    {"echo first >&2; echo 'conformance: the disk is full' >&2; exit 2", "ended with 2: conformance: the disk is full"},
		"it is killed":                 {"kill -9 $$", "ended with -1"},
		"it writes no report":          {"exit 0", "wrote no report"},
		"it writes something else":     {"echo '[]' >report.json", "read report.json"},
		"it writes an unknown verdict": {`echo '{"verdict":"fine"}' >report.json`, `unknown verdict "fine"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			id := b.start(t)
			must(t, b.runner(t, c.script).Run(t.Context(), id))
			if run := b.run(t, id); run.State != conformance.Failed || run.Verdict != "" || !strings.Contains(run.Reason, c.want) {
				t.Errorf("want it failed because %q, got %+v", c.want, run)
			}
			b.start(t) // so that the next run may begin
		})
	}
}

func TestARunOfAReplicaThatStopsUndoesWhatItHoldsAndBeginsAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.start(t)
	stop, ended := b.beginRun(t, b.runner(t, "trap 'echo undone >\"$notes/undone\"; cat >report.json <<END\n"+aReport+"\nEND\nexit 1' INT\n"+startHold+forever), id)
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("want the job handed back, got %v", err)
	}
	if b.note(t, "undone") == "" {
		t.Error("Expected the command to be asked to undo its holds")
	}
	if run := b.run(t, id); run.State != conformance.Queued || b.parts(t, id, conformance.Ledger) != "" {
		t.Errorf("want it queued as at the beginning, got %+v", run)
	}
	must(t, b.runner(t, writeAll).Run(t.Context(), id))
	if run := b.run(t, id); run.State != conformance.Finished {
		t.Errorf("want it done by the next replica, got %+v", run)
	}
}

// leave starts a run and abandons it as a crashed replica does: its job still counts as running. It
// returns the run and a function that ends the process.
func (b *bench) leave(t *testing.T) (run func() conformance.Run, end func()) {
	t.Helper()
	id := b.start(t)
	stop, ended := b.beginRun(t, b.runner(t, startHold+forever), id)
	b.exec(t, `UPDATE river_job SET state = 'running', attempted_at = now(), attempt = 1, attempted_by = '{crashed}' WHERE kind = 'conformance_run' AND state = 'available'`)
	b.exec(t, `UPDATE conformance_runs SET holder = gen_random_uuid(), leased_until = now() - interval '1 second' WHERE id = $1`, id)
	return func() conformance.Run { return b.run(t, id) }, func() { stop(); <-ended }
}

func TestARunThatWasLeftBehindIsCleanedUpByItsLedgerOnAnotherReplica(t *testing.T) {
	t.Parallel()
	b := setup(t)
	run, end := b.leave(t)
	cleaner := b.runner(t, `cp "$2" "$notes/ledger"; printf '{\n"not_undone": [{"kind":"hold","code":"c-1","start":"2026-07-01T09:00:00Z"}]\n}\n'; exit 1`)
	must(t, cleaner.Recover(t.Context()))
	if jobs := b.count(t, `SELECT count(*) FROM river_job WHERE kind = 'conformance_cleanup' AND args->>'run_id' = $1`, run().ID.String()); jobs != 1 {
		t.Errorf("want a job for it, got %d", jobs)
	}
	must(t, cleaner.CleanUp(t.Context(), run().ID))
	end() // whatever the first replica does when it continues
	left := run()
	if left.State != conformance.Failed || !strings.Contains(left.Reason, "the service stopped during the run") || len(left.NotUndone) != 1 || left.NotUndone[0].Code != "c-1" {
		t.Errorf("want it failed, with what was left, got %+v", left)
	}
	if got := b.note(t, "ledger"); got != aLedger+"\n" {
		t.Errorf("want the complete lines of the ledger, got %q", got)
	}
	if got := b.note(t, "cleanup.args"); !strings.Contains(got, "--json --public-only") || strings.Contains(got, "--force") {
		t.Errorf("want a cleanup that proves the ledger, got %s", got)
	}
	must(t, cleaner.CleanUp(t.Context(), left.ID)) // a job may run twice
}

func TestARunThatWasLeftBehindIsRunAgainOnceWhenItsHoldsAreUndone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	run, end := b.leave(t)
	defer end()
	cleaner := b.runner(t, `echo '{"not_undone": []}'`)
	must(t, cleaner.CleanUp(t.Context(), run().ID))
	if again := run(); again.State != conformance.Queued || b.parts(t, again.ID, conformance.Ledger) != "" {
		t.Errorf("Expected it queued again without its ledger, received %+v", again)
	}
	if jobs := b.count(t, `SELECT count(*) FROM river_job WHERE kind = 'conformance_run' AND state = 'available'`); jobs != 1 {
		t.Errorf("Expected a job for it beside that of the crashed replica, received %d", jobs)
	}
	_, err := b.store.Runs.Begin(t.Context(), conformance.Lease{Run: run().ID, Holder: uuid.New(), Time: -time.Second})
	must(t, err)
	must(t, cleaner.CleanUp(t.Context(), run().ID))
	if left := run(); left.State != conformance.Failed || !strings.Contains(left.Reason, "the service stopped during the run") {
		t.Errorf("Expected it failed after the second crash, received %+v", left)
	}
}

func TestACleanupThatCannotReachThePartnerIsTriedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	run, end := b.leave(t)
	defer end()
	cleaner := b.runner(t, "exit 3")
	must(t, cleaner.CleanUp(t.Context(), run().ID))
	if run := run(); run.State != conformance.Running || run.Cleanups != 1 {
		t.Errorf("want it tried once and still to be done, got %+v", run)
	}
	must(t, cleaner.Recover(t.Context()))
	if jobs := b.count(t, `SELECT count(*) FROM river_job WHERE kind = 'conformance_cleanup'`); jobs != 0 {
		t.Errorf("want no other try while the lease lasts, got %d", jobs)
	}
	b.exec(t, `UPDATE conformance_runs SET leased_until = now() - interval '1 second'`)
	must(t, cleaner.Recover(t.Context()))
	b.exec(t, `UPDATE river_job SET state = 'running', attempted_at = now(), attempt = 1, attempted_by = '{crashed}' WHERE kind = 'conformance_cleanup'`)
	must(t, cleaner.CleanUp(t.Context(), run().ID))
	b.exec(t, `UPDATE conformance_runs SET leased_until = now() - interval '1 second'`)
	must(t, cleaner.Recover(t.Context()))
	if jobs := b.count(t, `SELECT count(*) FROM river_job WHERE kind = 'conformance_cleanup' AND state = 'available'`); jobs != 1 {
		t.Errorf("Expected another cleanup beside that of the crashed replica, received %d", jobs)
	}
	b.exec(t, `UPDATE conformance_runs SET cleanups = 100`)
	must(t, cleaner.CleanUp(t.Context(), run().ID))
	if run := run(); run.State != conformance.Failed || !strings.Contains(run.Reason, "the partner may still have its holds or bookings") {
		t.Errorf("want it given up in the end, got %+v", run)
	}
}

func TestARunThatAnotherReplicaHasTakenIsEndedAndStoresNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.start(t)
	_, ended := b.beginRun(t, b.runner(t, "trap 'exit 0' INT\n"+startHold+"while :; do echo '{}'; sleep 0.02; done\n"), id)
	b.exec(t, `UPDATE conformance_runs SET holder = gen_random_uuid() WHERE id = $1`, id)
	select {
	case err := <-ended:
		must(t, err)
	case <-time.After(patience):
		t.Fatal("want it ended")
	}
	if run := b.run(t, id); run.State != conformance.Running {
		t.Errorf("want it left to the other replica, got %+v", run)
	}
}

func TestARunSendsTheClientCertificateAndLeavesNoCopy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	certificate, _ := connectiontest.NewCertificate(t, "marketplace.example", time.Hour)
	cert, private := connectiontest.Encode(t, certificate)
	made, _, err := b.config.Integrations.Register(t.Context(), b.account, partner.Registration{Name: "x", BaseURL: "https://other.example", AuthKey: key, ClientCertificate: cert, ClientKey: private})
	must(t, err)
	b.of = made.ID
	id := b.start(t)
	must(t, b.runner(t, "cp client.pem \"$notes/identity\"; stat -c %a client.pem >\"$notes/mode\"; pwd >\"$notes/folder\"\n"+writeAll+"exit 1").Run(t.Context(), id))
	if run := b.run(t, id); run.State != conformance.Finished {
		t.Errorf("Expected a finished run, received %+v", run)
	}
	if args := b.note(t, "run.args"); !strings.Contains(args, "--client-cert client.pem --client-key client.pem") || strings.Contains(args, "PRIVATE") {
		t.Errorf("Expected the file named, received %s", args)
	}
	if identity := b.note(t, "identity"); identity != cert+private || strings.TrimSpace(b.note(t, "mode")) != "600" {
		t.Errorf("Expected the certificate and its key for their owner only, received mode %s", b.note(t, "mode"))
	}
	if _, err := os.Stat(strings.TrimSpace(b.note(t, "folder"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Expected no copy left, received %v", err)
	}
}
