package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/replica"
)

// storeFinishedRun stores a finished run of an integration and returns its id.
func (b *bench) storeFinishedRun(t testing.TB, integration string) uuid.UUID {
	t.Helper()
	run := conformance.Run{ID: uuid.Must(uuid.NewV7()), Integration: uuid.MustParse(integration), Scope: conformance.Full}
	must(t, b.store.Runs.Create(t.Context(), run, 0))
	lease := conformance.Lease{Run: run.ID, Holder: uuid.New(), Time: time.Hour}
	_, err := b.store.Runs.Begin(t.Context(), lease)
	must(t, err)
	for i, lines := range []string{"{\"id\":\"one\"}\n{\"id\":\"two\"}\n", "{\"id\":\"three\"}\n"} {
		must(t, b.store.Runs.Extend(t.Context(), lease, []conformance.Part{{Kind: conformance.Progress, Number: i + 1, Body: []byte(lines)}}))
	}
	var reports []conformance.Report
	for _, name := range conformance.ReportNames() {
		var packed bytes.Buffer
		pack := gzip.NewWriter(&packed)
		_, err := pack.Write([]byte(`{"verdict":"nonconformant"}`))
		must(t, err)
		must(t, pack.Close())
		reports = append(reports, conformance.Report{Name: name, Gzip: packed.Bytes()})
	}
	_, err = b.store.Runs.Finish(t.Context(), lease, conformance.Outcome{State: conformance.Finished, Reports: reports, Result: conformance.Result{
		Verdict: "nonconformant", SuiteVersion: "1.2.3", ContractVersion: "c0ffee", Counts: map[string]int{"failed": 1},
		Findings:  []conformance.Finding{{Rule: "reserve.status", Title: "two", Endpoint: "reserve", Level: "MUST", Clause: "RES-1", Outcome: "failed", Message: "received 500", Fix: "Answer 200."}},
		NotUndone: []conformance.Leftover{{Kind: "hold", Code: "c-1", Start: "2026-07-01T09:00:00Z", Reason: "no answer"}},
	}})
	must(t, err)
	return run.ID
}

// certify stores a certificate of an integration.
func (b *bench) certify(t testing.TB, integration string) {
	t.Helper()
	_, err := b.store.Pool().Exec(t.Context(), `
		INSERT INTO conformance_certificates (integration_id, run_id, base_url, auth_type, handles_ticket_delivery, jws, issued_at, valid_until)
		SELECT id, gen_random_uuid(), base_url, auth_type, handles_ticket_delivery, 'a.' || translate(encode(convert_to(jsonb_build_object('name', name)::text, 'UTF8'), 'base64'), E'+/=\n', '-_') || '.c', now(), now() + interval '1 hour' FROM integrations WHERE id = $1`, integration)
	must(t, err)
}

func TestACertificateIsServedAsItWasSignedAndItsKeysArePublic(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := b.signIn(t, domain.Partner)
	id := b.register(t, partner, "https://partner.example").ID
	wantProblem(t, b.do(t, "GET", integrationsPath+id+"/certificate", "", partner), 404, "certificate not found")
	b.certify(t, id)
	if a := b.do(t, "GET", integrationsPath+id+"/certificate", "", partner); !strings.HasPrefix(string(a.body), "a.ey") || a.Header.Get("Content-Type") != "application/jose" {
		t.Errorf("want the statement alone, got %q as %s", a.body, a.Header.Get("Content-Type"))
	}
	if a := b.do(t, "GET", "/.well-known/jwks.json", ""); !strings.Contains(string(a.body), `"crv":"Ed25519"`) || strings.Contains(string(a.body), `"d":`) {
		t.Errorf("want the public key alone, got %s", a.body)
	}
}

func TestAPartnerStartsARunAndLearnsOfTheOneInProgress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := b.signIn(t, domain.Partner)
	runs := integrationsPath + b.register(t, partner, "https://partner.example").ID + "/conformance-runs"
	var started, shown struct {
		ID      string            `json:"run_id"`
		State   conformance.State `json:"state"`
		Scope   conformance.Scope `json:"scope"`
		Verdict *string           `json:"verdict"`
	}
	a := b.do(t, "POST", runs, `{"scope":"read_only"}`, partner)
	a.data(t, &started)
	if a.StatusCode != http.StatusAccepted {
		t.Errorf("want 202, got %d", a.StatusCode)
	}
	a = b.do(t, "POST", runs, "", partner)
	wantProblem(t, a, 409, "in progress", `"run_id":"`+started.ID+`"`)
	b.do(t, "GET", runs+"/"+started.ID, "", partner).data(t, &shown)
	if shown.State != conformance.Queued || shown.Scope != conformance.ReadOnly || shown.Verdict != nil {
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
	partner := b.signIn(t, domain.Partner)
	runs := integrationsPath + b.register(t, partner, "https://partner.example").ID + "/conformance-runs"
	id := b.storeFinishedRun(t, strings.Split(runs, "/")[4]).String()
	var shown struct {
		Verdict   string                 `json:"verdict"`
		Findings  []conformance.Finding  `json:"findings"`
		NotUndone []conformance.Leftover `json:"not_undone"`
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
			if policy := a.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "sandbox ") || strings.Contains(policy, "same-origin") || strings.Contains(policy, "unsafe") {
				t.Errorf("%s: want it apart from the service's own pages, got %q", name, policy)
			}
		}
	}
}

func TestTheProgressOfARunIsAnEventForEachRule(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *replica.Config) { c.Stream = 0 }) // the stream ends with the run
	partner := b.signIn(t, domain.Partner)
	runs := integrationsPath + b.register(t, partner, "https://partner.example").ID + "/conformance-runs"
	id := b.storeFinishedRun(t, strings.Split(runs, "/")[4]).String()
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
	b := setup(t, func(c *replica.Config) { c.Stream, c.Stopping = time.Hour, stopping })
	partner := b.signIn(t, domain.Partner)
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

// openStream opens the progress of a run and reads its first bytes.
func (b *bench) openStream(t *testing.T, path string, who header) (status int, rest io.Reader) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.address+path, nil)
	must(t, err)
	request.Header.Set(who.name, who.value)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	if response.StatusCode == http.StatusOK {
		_, err = io.ReadFull(response.Body, make([]byte, 1))
		must(t, err)
	}
	return response.StatusCode, response.Body
}

func TestAnAccountHoldsAFewProgressStreamsAndLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *replica.Config) { c.Stream = time.Hour })
	partner, other := b.signIn(t, domain.Partner), b.signIn(t, domain.Operator)
	runs := integrationsPath + b.register(t, partner, "https://partner.example").ID + "/conformance-runs"
	var started struct {
		ID string `json:"run_id"`
	}
	b.do(t, "POST", runs, "", partner).data(t, &started)
	for range 10 {
		if status, _ := b.openStream(t, runs+"/"+started.ID+"/progress", partner); status != 200 {
			t.Fatalf("Expected a stream, received %d", status)
		}
	}
	if status, _ := b.openStream(t, runs+"/"+started.ID+"/progress", partner); status != 429 {
		t.Errorf("Expected the eleventh stream to be refused, received %d", status)
	}
	if status, _ := b.openStream(t, runs+"/"+started.ID+"/progress", other); status != 200 {
		t.Errorf("Expected a stream for another account, received %d", status)
	}
}

func TestAProgressStreamEndsWithItsSessionAndItsAccount(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(b *bench, t *testing.T, session auth.Tokens){
		"it is signed out": func(b *bench, t *testing.T, session auth.Tokens) {
			b.do(t, "POST", "/api/v1/auth/logout", `{"refresh_token":"`+session.RefreshToken+`"}`)
		},
		"its refresh token is used twice": func(b *bench, t *testing.T, session auth.Tokens) {
			for range 2 {
				b.do(t, "POST", "/api/v1/auth/refresh", `{"refresh_token":"`+session.RefreshToken+`"}`)
			}
			b.ahead.Add(int64(time.Second)) // until every replica knows
		},
		"its access token expires": func(b *bench, _ *testing.T, _ auth.Tokens) { b.ahead.Add(int64(auth.AccessLife)) },
		"the account is disabled": func(b *bench, t *testing.T, _ auth.Tokens) {
			b.do(t, "PATCH", "/api/v1/operator/accounts/"+b.accounts[domain.Partner].ID.String(), `{"disabled":true}`, b.signIn(t, domain.Operator))
		},
		"its password is changed": func(b *bench, t *testing.T, _ auth.Tokens) {
			b.do(t, "PATCH", "/api/v1/operator/accounts/"+b.accounts[domain.Partner].ID.String(), `{"password":"another battery staple"}`, b.signIn(t, domain.Operator))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(c *replica.Config) { c.Stream = time.Hour })
			session := b.session(t, "partner@example.com")
			partner := header{"Authorization", "Bearer " + session.AccessToken}
			runs := integrationsPath + b.register(t, partner, "https://partner.example").ID + "/conformance-runs"
			var started struct {
				ID string `json:"run_id"`
			}
			b.do(t, "POST", runs, "", partner).data(t, &started)
			_, rest := b.openStream(t, runs+"/"+started.ID+"/progress", partner)
			end(b, t, session)
			if _, err := io.Copy(io.Discard, rest); err != nil { // it would take an hour
				t.Errorf("Expected the stream to end, received %v", err)
			}
		})
	}
}

// link is a shared link to a report.
type link struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`
}

// share shares a run's report, and returns the link's path and when it expires.
func (b *bench) share(t testing.TB, run, body string, who header) (path string, expires time.Time) {
	t.Helper()
	a := b.do(t, "POST", run+"/share", body, who)
	var made link
	a.data(t, &made)
	_, path, found := strings.Cut(made.URL, "/shared/")
	if a.StatusCode != 201 || !found {
		t.Fatalf("Expected 201 and a link, received %d: %s", a.StatusCode, a.body)
	}
	return "/shared/" + path, made.ExpiresAt
}

func TestASharedReportIsReadWithoutSigningIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := b.signIn(t, domain.Partner)
	id := b.register(t, partner, "https://partner.example").ID
	run := integrationsPath + id + "/conformance-runs/" + b.storeFinishedRun(t, id).String()
	path, expires := b.share(t, run, "", partner)
	if want := b.now().Add(7 * 24 * time.Hour); expires.Sub(want).Abs() > time.Minute {
		t.Errorf("Expected a link until %s, received %s", want, expires)
	}
	if _, expires := b.share(t, run, `{"expires_in_days":30}`, b.signIn(t, domain.Operator)); expires.Sub(b.now()) < 29*24*time.Hour {
		t.Errorf("Expected a link of 30 days, received one until %s", expires)
	}
	for _, a := range []answer{b.do(t, "GET", path, ""), b.doRaw(t, "GET", path+"?utm_source=mail")} { // the transport decompresses
		if a.StatusCode != 200 || string(a.body) != `{"verdict":"nonconformant"}` || a.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("Expected the report, received %d %q", a.StatusCode, a.body)
		}
		own := b.do(t, "GET", run+"/report.html", "", partner)
		for _, name := range []string{"Content-Security-Policy", "Cache-Control", "X-Content-Type-Options"} {
			if got, want := a.Header.Get(name), own.Header.Get(name); got == "" || got != want {
				t.Errorf("%s: Expected %q as for the partner's own report, received %q", name, want, got)
			}
		}
		if a.Header.Get("Referrer-Policy") != "no-referrer" || a.Header.Get("X-Robots-Tag") != "noindex" {
			t.Errorf("Expected an address that browsers and search engines keep to themselves, received %v", a.Header)
		}
	}
	for body, want := range map[string]string{
		`{"expires_in_days":0}`:   "expires_in_days: expected",
		`{"expires_in_days":31}`:  "expires_in_days: expected",
		`{"expires_in_days":"7"}`: "expires_in_days: expected a number, received string",
	} {
		wantProblem(t, b.do(t, "POST", run+"/share", body, partner), 400, want)
	}
	wantProblem(t, b.do(t, "POST", run+"/share", "", b.anotherAccount(t, domain.Partner)), 404, "integration not found")
}

func TestALinkEndsWithItsTimeItsRunAndItsIntegration(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := b.signIn(t, domain.Partner)
	// wantPage checks the page for a link that opens nothing.
	wantPage := func(path string, status int, title string) {
		t.Helper()
		a := b.do(t, "GET", path, "")
		if text := string(a.body); a.StatusCode != status || !strings.Contains(text, "<h1>"+title) || !strings.Contains(text, "Ask the person") || strings.Contains(text, "<a ") {
			t.Errorf("Expected %d and a page that says %q, received %d %s", status, title, a.StatusCode, text)
		}
		if a.Header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.HasPrefix(a.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("Expected a page without scripts, received %v", a.Header)
		}
	}
	const unknown, expired = "This link opens no report", "This link has expired"
	var links []string
	for _, partnerURL := range []string{"https://one.example", "https://two.example", "https://three.example"} {
		id := b.register(t, partner, partnerURL).ID
		run := b.storeFinishedRun(t, id).String()
		path, _ := b.share(t, integrationsPath+id+"/conformance-runs/"+run, `{"expires_in_days":1}`, partner)
		switch links = append(links, path); len(links) {
		case 1:
			b.do(t, "DELETE", integrationsPath+id, "", partner)
		case 2:
			_, err := b.store.Pool().Exec(t.Context(), `DELETE FROM conformance_runs WHERE id = $1`, run)
			must(t, err)
		}
	}
	wantPage(links[0], 404, unknown)
	wantPage(links[1], 404, unknown)
	wantPage(links[2]+"A", 404, unknown)
	wantPage("/shared/reports/x", 404, unknown)
	if a := b.do(t, "GET", links[2], ""); a.StatusCode != 200 {
		t.Errorf("Expected the third report, received %d", a.StatusCode)
	}
	b.ahead.Add(int64(24 * time.Hour))
	wantPage(links[2], 410, expired)
	wantPage(links[0], 410, expired) // like every other link
}

func TestALinkIsListedUntilItExpiresOrIsRevoked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner, operator, another := b.signIn(t, domain.Partner), b.signIn(t, domain.Operator), b.anotherAccount(t, domain.Partner)
	id := b.register(t, partner, "https://partner.example").ID
	run := integrationsPath + id + "/conformance-runs/" + b.storeFinishedRun(t, id).String()
	other := integrationsPath + id + "/conformance-runs/" + b.storeFinishedRun(t, id).String()
	path, _ := b.share(t, run, `{"expires_in_days":1}`, partner)
	b.ahead.Add(int64(time.Minute))
	kept, expires := b.share(t, run, "", operator)
	list := func(who header) []client.Share {
		t.Helper()
		return read[[]client.Share](t, b, "integration/conformance-shares-answer", run+"/shares", who)
	}
	seen := list(partner)
	if len(seen) != 2 || seen[0].CreatedBy != "" || !seen[0].ExpiresAt.Equal(expires) || seen[1].CreatedBy == "" || seen[1].CreatedAt.After(seen[0].CreatedAt) {
		t.Fatalf("Expected both links, newest first, without the operator's address, received %+v", seen)
	}
	if got := list(operator); len(got) != 2 || got[0].CreatedBy == "" {
		t.Errorf("Expected both links with both addresses, received %+v", got)
	}
	if text := string(b.do(t, "GET", run+"/shares", "", operator).body); strings.Contains(text, path) || strings.Contains(text, "/shared/") {
		t.Errorf("Expected no token in the list, received %s", text)
	}
	for place, who := range map[string]header{run + "/shares/" + seen[1].ID: another, other + "/shares/" + seen[1].ID: partner, run + "/shares/" + uuid.NewString(): partner, run + "/shares/x": partner} {
		wantProblem(t, b.do(t, "DELETE", place, "", who), 404, "not found")
	}
	wantProblem(t, b.do(t, "GET", run+"/shares", "", another), 404, "integration not found")
	if a := b.do(t, "DELETE", run+"/shares/"+seen[1].ID, "", partner); a.StatusCode != 200 {
		t.Errorf("Expected the link revoked, received %s", a.body)
	}
	unknown := b.do(t, "GET", path+"A", "")
	if a := b.do(t, "GET", path, ""); a.StatusCode != 404 || string(a.body) != string(unknown.body) {
		t.Errorf("Expected a revoked link to be like an unknown one, received %d %s", a.StatusCode, a.body)
	}
	if a := b.do(t, "GET", kept, ""); a.StatusCode != 200 || len(list(partner)) != 1 {
		t.Errorf("Expected the other link to work, received %d", a.StatusCode)
	}
	b.ahead.Add(int64(8 * 24 * time.Hour))
	if got := list(b.signIn(t, domain.Partner)); len(got) != 0 {
		t.Errorf("Expected no link that has expired, received %+v", got)
	}
	dropped, err := b.store.Runs.DropExpiredShares(t.Context(), b.now(), 10)
	if must(t, err); dropped != 1 {
		t.Errorf("Expected the row of the expired link deleted, received %d", dropped)
	}
}

func TestARunWithoutAReportIsNotShared(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := b.signIn(t, domain.Partner)
	runs := integrationsPath + b.register(t, partner, "https://partner.example").ID + "/conformance-runs"
	var started struct {
		ID string `json:"run_id"`
	}
	b.do(t, "POST", runs, "", partner).data(t, &started)
	wantProblem(t, b.do(t, "POST", runs+"/"+started.ID+"/share", "", partner), 409, "its state is queued")
	wantProblem(t, b.do(t, "POST", runs+"/"+uuid.NewString()+"/share", "", partner), 404, "conformance run not found")
}
