package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/certification"
	"partnerkit.dev/marketplace/internal/marketplace"
)

// judged has an integration have a run that has finished, and returns its id.
func (b *bench) judged(t testing.TB, integration string) uuid.UUID {
	t.Helper()
	run := certification.Run{ID: uuid.Must(uuid.NewV7()), Integration: uuid.MustParse(integration), Scope: certification.Full}
	must(t, b.store.Runs.Create(t.Context(), run, 0))
	lease := certification.Lease{Run: run.ID, Holder: uuid.New(), Time: time.Hour}
	_, err := b.store.Runs.Begin(t.Context(), lease)
	must(t, err)
	for i, lines := range []string{"{\"id\":\"one\"}\n{\"id\":\"two\"}\n", "{\"id\":\"three\"}\n"} {
		must(t, b.store.Runs.Extend(t.Context(), lease, []certification.Part{{Kind: certification.Progress, Number: i + 1, Body: []byte(lines)}}))
	}
	var reports []certification.Report
	for _, name := range certification.ReportNames() {
		var packed bytes.Buffer
		pack := gzip.NewWriter(&packed)
		_, err := pack.Write([]byte(`{"verdict":"nonconformant"}`))
		must(t, err)
		must(t, pack.Close())
		reports = append(reports, certification.Report{Name: name, Gzip: packed.Bytes()})
	}
	_, err = b.store.Runs.Finish(t.Context(), lease, certification.Outcome{State: certification.Finished, Reports: reports, Result: certification.Result{
		Verdict: "nonconformant", SuiteVersion: "1.2.3", ContractVersion: "c0ffee", Counts: map[string]int{"failed": 1},
		Findings:  []certification.Finding{{Rule: "reserve.status", Title: "two", Endpoint: "reserve", Level: "MUST", Clause: "RES-1", Outcome: "failed", Message: "received 500", Fix: "Answer 200."}},
		NotUndone: []certification.Leftover{{Kind: "hold", Code: "c-1", Start: "2026-07-01T09:00:00Z", Reason: "no answer"}},
	}})
	must(t, err)
	return run.ID
}

// certify has an integration have a certificate.
func (b *bench) certify(t testing.TB, integration string) {
	t.Helper()
	_, err := b.store.Pool().Exec(t.Context(), `
		INSERT INTO conformance_certificates (integration_id, run_id, base_url, jws, issued_at, valid_until)
		SELECT id, gen_random_uuid(), base_url, 'a.b.c', now(), now() + interval '1 hour' FROM integrations WHERE id = $1`, integration)
	must(t, err)
}

func TestACertificateIsReadAsItWasSignedAndTheKeysByAnybody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := b.signIn(t, marketplace.Partner)
	id := b.register(t, partner, "https://partner.example").ID
	wantProblem(t, b.do(t, "GET", integrationsPath+id+"/certificate", "", partner), 404, "certificate not found")
	b.certify(t, id)
	if a := b.do(t, "GET", integrationsPath+id+"/certificate", "", partner); string(a.body) != "a.b.c" || a.Header.Get("Content-Type") != "application/jose" {
		t.Errorf("want the statement alone, got %q as %s", a.body, a.Header.Get("Content-Type"))
	}
	if a := b.do(t, "GET", "/.well-known/jwks.json", ""); !strings.Contains(string(a.body), `"crv":"Ed25519"`) || strings.Contains(string(a.body), `"d":`) {
		t.Errorf("want the public key alone, got %s", a.body)
	}
}

func TestAPartnerStartsARunAndIsToldOfTheOneInTheWay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := b.signIn(t, marketplace.Partner)
	runs := integrationsPath + b.register(t, partner, "https://partner.example").ID + "/conformance-runs"
	var started, shown struct {
		ID      string              `json:"run_id"`
		State   certification.State `json:"state"`
		Scope   certification.Scope `json:"scope"`
		Verdict *string             `json:"verdict"`
	}
	a := b.do(t, "POST", runs, `{"scope":"read_only"}`, partner)
	a.data(t, &started)
	if a.StatusCode != http.StatusAccepted {
		t.Errorf("want 202, got %d", a.StatusCode)
	}
	a = b.do(t, "POST", runs, "", partner)
	wantProblem(t, a, 409, "under way", `"run_id":"`+started.ID+`"`)
	b.do(t, "GET", runs+"/"+started.ID, "", partner).data(t, &shown)
	if shown.State != certification.Queued || shown.Scope != certification.ReadOnly || shown.Verdict != nil {
		t.Errorf("want it queued as it was asked for, got %+v", shown)
	}
	wantProblem(t, b.do(t, "GET", runs+"/"+started.ID+"/report.json", "", partner), 404, "report not found")
	wantProblem(t, b.do(t, "GET", runs+"/"+uuid.NewString(), "", partner), 404, "conformance run not found")
	wantProblem(t, b.do(t, "POST", runs, `{"scope":"half"}`, partner), 400, "scope: expected one of full, read_only")
	wantProblem(t, b.do(t, "POST", runs, `{"rules":["--fail-fast"]}`, partner), 400, "rules[0]: expected the id of a rule")
}

func TestARunIsReadWithItsFindingsAndReports(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := b.signIn(t, marketplace.Partner)
	runs := integrationsPath + b.register(t, partner, "https://partner.example").ID + "/conformance-runs"
	id := b.judged(t, strings.Split(runs, "/")[4]).String()
	var shown struct {
		Verdict   string                   `json:"verdict"`
		Findings  []certification.Finding  `json:"findings"`
		NotUndone []certification.Leftover `json:"not_undone"`
	}
	b.do(t, "GET", runs+"/"+id, "", partner).data(t, &shown)
	if shown.Verdict != "nonconformant" || len(shown.Findings) != 1 || shown.Findings[0].Fix != "Answer 200." || len(shown.NotUndone) != 1 {
		t.Errorf("want what is wrong and how to fix it, got %+v", shown)
	}
	var listed []struct {
		ID       string           `json:"run_id"`
		Findings *json.RawMessage `json:"findings"`
	}
	b.do(t, "GET", runs, "", partner).data(t, &listed)
	if len(listed) != 1 || listed[0].ID != id || listed[0].Findings != nil {
		t.Errorf("want it listed without its findings, got %+v", listed)
	}
	for name, kind := range map[string]string{"report.json": "application/json", "report.html": "text/html; charset=utf-8", "junit.xml": "application/xml"} {
		for _, encoding := range []string{"gzip", "identity"} {
			a := b.do(t, "GET", runs+"/"+id+"/"+name, "", partner, header{"Accept-Encoding", encoding})
			text := string(a.body)
			if a.Header.Get("Content-Encoding") == "gzip" {
				if unpack, err := gzip.NewReader(bytes.NewReader(a.body)); err == nil {
					var plain bytes.Buffer
					_, _ = plain.ReadFrom(unpack)
					text = plain.String()
				}
			}
			if a.StatusCode != 200 || a.Header.Get("Content-Type") != kind || text != `{"verdict":"nonconformant"}` {
				t.Errorf("%s as %s: want the report as %s, got %d %q as %s", name, encoding, kind, a.StatusCode, text, a.Header.Get("Content-Type"))
			}
			if policy := a.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "sandbox ") || strings.Contains(policy, "same-origin") {
				t.Errorf("%s: want it apart from the service's own pages, got %q", name, policy)
			}
		}
	}
}

func TestTheProgressOfARunIsAnEventForEachRule(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *api.Config) { c.Runs.Stream = 0 }) // it ends with the run
	partner := b.signIn(t, marketplace.Partner)
	runs := integrationsPath + b.register(t, partner, "https://partner.example").ID + "/conformance-runs"
	id := b.judged(t, strings.Split(runs, "/")[4]).String()
	const end = "event: end\ndata: {\"state\":\"finished\",\"verdict\":\"nonconformant\"}\n\n"
	const third = "id: 3\nevent: rule\ndata: {\"id\":\"three\"}\n\n"
	for after, want := range map[string]string{
		"":  "id: 1\nevent: rule\ndata: {\"id\":\"one\"}\n\nid: 2\nevent: rule\ndata: {\"id\":\"two\"}\n\n" + third + end,
		"2": third + end,
		"9": end,
		"x": "id: 1\n",
	} {
		a := b.do(t, "GET", runs+"/"+id+"/progress", "", partner, header{"Last-Event-ID", after})
		if got := string(a.body); a.Header.Get("Content-Type") != "text/event-stream" || !strings.HasPrefix(got, want) || after != "x" && got != want {
			t.Errorf("after %q: want %q, got %q", after, want, got)
		}
	}
}

func TestTheProgressOfARunEndsWhenTheServiceStops(t *testing.T) {
	t.Parallel()
	stopping := make(chan struct{})
	b := setup(t, func(c *api.Config) { c.Runs.Stream, c.Runs.Stopping = time.Hour, stopping })
	partner := b.signIn(t, marketplace.Partner)
	runs := integrationsPath + b.register(t, partner, "https://partner.example").ID + "/conformance-runs"
	var started struct {
		ID string `json:"run_id"`
	}
	b.do(t, "POST", runs, "", partner).data(t, &started)
	close(stopping)
	if a := b.do(t, "GET", runs+"/"+started.ID+"/progress", "", partner); a.StatusCode != 200 || strings.Contains(string(a.body), "event:") {
		t.Errorf("want a stream without an end of the run, got %d %q", a.StatusCode, a.body)
	}
}
