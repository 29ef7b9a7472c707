package console_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/axetest"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/replica"
)

// begin starts the queued run of an integration as a replica does, and returns its lease.
func (s *shop) begin(run string) conformance.Lease {
	s.t.Helper()
	lease := conformance.Lease{Run: uuid.MustParse(run), Holder: uuid.New(), Time: time.Minute}
	_, err := s.store.Runs.Begin(s.t.Context(), lease)
	errtest.Check(s.t, err)
	return lease
}

// storeProgress stores lines of progress, as the run's replica does.
func (s *shop) storeProgress(lease conformance.Lease, lines ...string) {
	s.t.Helper()
	errtest.Check(s.t, s.store.Runs.Extend(s.t.Context(), lease, []conformance.Part{{Kind: conformance.Progress, Number: 1, Body: []byte(strings.Join(lines, "\n") + "\n")}}))
}

// packReport returns a compressed report.
func (s *shop) packReport(report string) []byte {
	s.t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(report))
	errtest.Check(s.t, err)
	errtest.Check(s.t, w.Close())
	return packed.Bytes()
}

// finish ends a run with these findings.
func (s *shop) finish(lease conformance.Lease, findings ...conformance.Finding) {
	s.t.Helper()
	page := s.packReport("<!DOCTYPE html><title>The report</title>")
	verdict := "conformant"
	if len(findings) > 0 {
		verdict = "nonconformant"
	}
	judged := []conformance.Judged{{Rule: "products.status", Endpoint: "products", Outcome: "passed"}}
	for _, f := range findings {
		judged = append(judged, conformance.Judged{Rule: f.Rule, Endpoint: f.Endpoint, Outcome: f.Outcome})
	}
	_, err := s.store.Runs.Finish(s.t.Context(), lease, conformance.Outcome{
		State:   conformance.Finished,
		Judged:  judged,
		Result:  conformance.Result{Verdict: verdict, SuiteVersion: "1.0.0", ContractVersion: "c0ffee", Counts: map[string]int{"passed": 190, "failed": len(findings)}, Findings: findings},
		Reports: []conformance.Report{{Name: "report.html", Gzip: page}, {Name: "report.json", Gzip: s.packReport(reported)}, {Name: "junit.xml", Gzip: page}},
	})
	errtest.Check(s.t, err)
}

// queuedRun returns the id of the queued run.
func (s *shop) queuedRun() (run string) {
	s.t.Helper()
	errtest.Check(s.t, s.store.Pool().QueryRow(s.t.Context(), `SELECT id FROM conformance_runs WHERE state = 'queued'`).Scan(&run))
	return run
}

var twiceBooked = conformance.Finding{
	Rule: "confirm.repeat.booking", Title: "a second confirm makes no second booking", Endpoint: "confirm", Level: "MUST", Clause: "CNF-4", Outcome: "failed",
	Message: "Expected the first booking, received another one.", Fix: "Answer with the booking that the code has become.",
}

// reported is the report.json of runs that find twiceBooked, with six calls as evidence.
var reported = fmt.Sprintf(`{"verdict": "nonconformant", "rules": [
	{"id": "products.status", "outcome": "passed", "why": "", "exchanges": []},
	{"id": "confirm.repeat.booking", "outcome": "failed", "why": "The marketplace repeats a confirm that was not answered.", "problems": ["booking 1 of 2", "booking 2 of 2"], "exchanges": [
		{"number": 7, "purpose": "confirm again", "duration_ns": 34400000, "request": {"method": "POST", "url": "https://partner.example/bookings/confirm"},
			"response": {"status": 200, "body": {"text": "cut", "excerpt": "{\n  \"externalBookingId\": \"B-2<script>\"\n}", "place": "/externalBookingId"}},
			"curl": "curl -X POST -H \"Authorization: Bearer $CONFORMANCE_AUTH_KEY\" 'https://partner.example/bookings/confirm'"},
		{"number": 8, "purpose": "cancel", "request": {"method": "POST", "url": "https://partner.example/bookings/B-2/cancel"}, "failure": {"message": "no answer within 5s"}, "response": {"status": 200, "body": {"text": "%s"}}, "curl": "curl %s"},
		{"number": 9}, {"number": 10}, {"number": 11}, {"number": 12}
	]}]}`, strings.Repeat("y", 3000), strings.Repeat("x", 9000))

func TestARunShowsTheEvidenceOfItsReport(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	own, ana := "/partners/integrations/"+made.ID+"/runs/", s.enter("/partners", "partner@example.com", password)
	id := run(ana, made.ID)
	s.finish(s.begin(id), twiceBooked)
	for v, path := range map[*visitor]string{ana: own + id, s.operator(): "/console/integrations/" + made.ID + "/runs/" + id} {
		p := v.get(path)
		v.shows(p, 200, "Evidence: 5 calls", "The marketplace repeats a confirm", "booking 2 of 2", "Call 7, confirm again", "Answered with 200 in 34 ms", "/externalBookingId",
			"B-2&lt;script&gt;", "$CONFORMANCE_AUTH_KEY", "No answer within 5s.", strings.Repeat("y", 2048)+"…", "The command is too long", "The report has 1 more call.")
		for _, never := range []string{"<script>", strings.Repeat("y", 2049), "curl x", "Call 12"} {
			if strings.Contains(p.text, never) {
				t.Errorf("Expected a page without %.20q, received it", never)
			}
		}
	}
	pgtest.Exec(t, s.store, `UPDATE conformance_reports SET gzip = 'no gzip' WHERE name = 'report.json'`)
	ana.shows(ana.get(own+id), 200, "Open the report", "Answer with the booking")
	pgtest.Exec(t, s.store, `DELETE FROM conformance_reports`)
	if p := ana.get(own + id); p.status != 200 || strings.Contains(p.text, "Evidence") {
		t.Errorf("Expected the findings without evidence, received %d: %s", p.status, p.text)
	}
}

// run starts a full run on the page and returns its id.
func run(v *visitor, integration string) string {
	v.t.Helper()
	p := v.post("/partners/integrations/"+integration+"/runs", "scope", "full")
	_, id, found := strings.Cut(p.address, "/runs/")
	if p.status != 200 || !found {
		v.t.Fatalf("Expected the page of a run, received %d at %s: %s", p.status, p.address, p.text)
	}
	return id
}

func TestAServiceWithoutTheConformanceCommandSaysSoOnItsPages(t *testing.T) {
	t.Parallel()
	s := open(t, func(c *replica.Config) { c.Conformance = "" })
	made := s.register("Old Town Walks")
	for v, path := range map[*visitor]string{s.enter("/partners", "partner@example.com", password): "/partners/integrations/", s.operator(): "/console/integrations/"} {
		p := v.get(path + made.ID)
		v.shows(p, 200, "The conformance command is missing")
		if strings.Contains(p.text, "Full run</button>") {
			t.Errorf("Expected no button for a run at %s", path)
		}
	}
}

// revokeForm matches the address of the form that revokes a link.
var revokeForm = regexp.MustCompile(`action="([^"]*/shares/[^"]*/revoke)"`)

// sharedLink matches the link to a report in a page's note.
var sharedLink = regexp.MustCompile(`<code id="secret">http://[^<"/]+(/shared/reports/[^<"]+)</code>`)

func TestAReportIsSharedFromTheRunsPage(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	ana := s.enter("/partners", "partner@example.com", password)
	id := run(ana, made.ID)
	own := "/partners/integrations/" + made.ID + "/runs/" + id
	ana.shows(ana.post(own+"/share", "days", "7"), 200, "has no report to share")
	s.finish(s.begin(id), twiceBooked)
	for v, path := range map[*visitor]string{ana: own, s.operator(): "/console/integrations/" + made.ID + "/runs/" + id} {
		v.shows(v.get(path), 200, "Share report")
		p := v.post(path+"/share", "days", "7")
		v.shows(p, 200, "Everyone with this link", "It expires on ")
		if !strings.Contains(p.header.Get("Content-Security-Policy"), "; script-src 'self'") {
			t.Errorf("Expected a page that may run its script, received %s", p.header.Get("Content-Security-Policy"))
		}
		link := sharedLink.FindStringSubmatch(p.text)
		if link == nil {
			t.Fatalf("Expected a link to the report, received %s", p.text)
		}
		anyone := s.visitor()
		anyone.shows(anyone.get(link[1]), 200, "The report")
		listed := v.get(path)
		v.shows(listed, 200, "Links that work", "Until ", "Revoke")
		if strings.Contains(listed.text, "/shared/") {
			t.Errorf("Expected the link shown only once, received %s", listed.text)
		}
		revoke := revokeForm.FindStringSubmatch(listed.text)
		if revoke == nil {
			t.Fatalf("Expected a form that revokes the link, received %s", listed.text)
		}
		if p := v.post(revoke[1]); strings.Contains(p.text, "Links that work") || !strings.Contains(p.text, "Link revoked.") {
			t.Errorf("Expected the link revoked, received %s", p.text)
		}
		anyone.shows(anyone.get(link[1]), 404, "This link opens no report")
		v.shows(v.post(path+"/share", "days", "31"), 200, "Expires_in_days: expected")
	}
}

func TestARunIsComparedWithTheOneBefore(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	ana := s.enter("/partners", "partner@example.com", password)
	s.finish(s.begin(run(ana, made.ID)), twiceBooked)
	second := run(ana, made.ID)
	ana.shows(ana.post("/partners/integrations/"+made.ID+"/runs", "scope", "full"), 200, "is in progress")
	s.finish(s.begin(second))
	ana.shows(ana.get("/partners/integrations/"+made.ID+"/runs/"+second), 200, "No rule that was judged is broken", "1 rule holds now that did not", "A second confirm makes no second booking")
	third := run(ana, made.ID)
	s.finish(s.begin(third), twiceBooked)
	ana.shows(ana.get("/partners/integrations/"+made.ID+"/runs/"+third), 200, "some rules are broken now that were not", `<span class="pill warn">new</span>`)
}

func TestOnlyWhatFailedIsRunAgain(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	own, ana := "/partners/integrations/"+made.ID, s.enter("/partners", "partner@example.com", password)
	first := run(ana, made.ID)
	s.finish(s.begin(first), twiceBooked)
	ana.shows(ana.get(own+"/runs/"+first), 200, "Run only what failed", `name="rule" value="`+twiceBooked.Rule+`"`)
	ana.shows(ana.post(own+"/runs", "scope", "full", "rule", twiceBooked.Rule), 200, "This run judges 1 rule.")
	second := s.queuedRun()
	s.finish(s.begin(second))
	pgtest.Exec(t, s.store, `UPDATE conformance_runs SET verdict = 'partial', reason = 'the run was narrowed by --rule' WHERE id = $1`, second)
	ana.shows(ana.get(own+"/runs/"+second), 200, "full, 1 rule only", "1 rule holds now that did not", "The run judged only 1 rule. Only a full run of all rules issues a certificate.")
	third := run(ana, made.ID)
	s.finish(s.begin(third), twiceBooked)
	// The run of one rule says nothing about the others: this one is compared with the first.
	ana.shows(ana.get(own+"/runs/"+third), 200, "no rule is newly broken", own+"/runs/"+first)
}

func TestAPartnerReadsWhichRunEndedItsCertificate(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	own, ana, ops := "/partners/integrations/"+made.ID, s.enter("/partners", "partner@example.com", password), s.operator()
	pgtest.Exec(t, s.store, `
		INSERT INTO conformance_certificates (integration_id, run_id, base_url, auth_type, handles_ticket_delivery, jws, issued_at, valid_until)
		SELECT id, gen_random_uuid(), base_url, auth_type, handles_ticket_delivery, 'x', now(), now() + interval '90 days' FROM integrations`)
	const title = "The certificate has ended"
	if p := ana.get(own); strings.Contains(p.text, title) {
		t.Errorf("Expected a valid certificate, received %s", p.text)
	}
	pgtest.Exec(t, s.store, `SELECT integration_event(integration_id, 'certificate.issued', jsonb_build_object('run_id', run_id, 'valid_until', valid_until)) FROM conformance_certificates`)
	for v, root := range map[*visitor]string{ana: "/partners", ops: "/console"} {
		file := root + "/integrations/" + made.ID + "/certificate"
		p := v.get(root + "/integrations/" + made.ID)
		v.shows(p, 200, "Based on", "until <time")
		places := 1
		if v == ana {
			places = 2 // partners have news
		}
		if strings.Count(p.text, `href="`+file+`"`) != places {
			t.Errorf("Expected the certificate's file in the panel and in the news, received %s", p.text)
		}
		v.shows(v.get(root+"/integrations"), 200, "certified", `href="`+file+`"`)
		v.shows(v.get(file), 200, "x")
	}
	ops.shows(ops.get("/console/partners"), 200, `href="/console/integrations/`+made.ID+`/certificate"`)
	run := run(ana, made.ID)
	s.finish(s.begin(run), twiceBooked)
	for v, root := range map[*visitor]string{ana: "/partners", ops: "/console"} {
		v.shows(v.get(root+"/integrations/"+made.ID), 200, title, "A conformance run found a breach", root+"/integrations/"+made.ID+"/runs/"+run)
		v.shows(v.get(root+"/integrations"), 200, "expired", "a run found a breach")
	}
	pgtest.Exec(t, s.store, `UPDATE conformance_certificates SET ended_at = NULL, ended_by = NULL, base_url = 'https://other.example'`)
	ana.shows(ana.get(own), 200, title, "has changed since the certificate was issued")
	pgtest.Exec(t, s.store, `UPDATE conformance_certificates SET valid_until = now() - interval '1 hour'`)
	ana.shows(ana.get(own), 200, title, "The certificate expired")
}

func TestAPartnerAsksToGoLiveAndReadsTheAnswer(t *testing.T) {
	t.Parallel()
	s := open(t)
	errtest.Check(s.t, s.store.Runs.Govern(t.Context(), conformance.Rules{Default: conformance.Advise, Approval: true}))
	made := s.registerStocked()
	own, ana, ops := "/partners/integrations/"+made.ID, s.enter("/partners", "partner@example.com", password), s.operator()
	page := "/console/integrations/" + made.ID
	ana.shows(ana.get(own), 200, "The marketplace has approved it", "Ask to go live when everything else is done", "Finish the other steps first")
	ops.shows(ops.get(page), 200, "The partner has not asked", "not listed until you approve it")
	ana.shows(ana.post(own+"/go-live"), 200, "The marketplace was asked", "You asked. An operator decides.")
	ops.shows(ops.get("/console/"), 200, "Asks to go live")
	ops.shows(ops.get("/console/partners?go_live=requested"), 200, "Old Town Walks", "1 ask to go live", "not listed")
	ops.shows(ops.get(page), 200, "The partner asks to go live")
	ops.shows(ops.post(page+"/go-live", s.seen("decision", "decline", "reason", "load more <slots>")...), 200, "Declined")
	ana.shows(ana.get(own), 200, "An operator declined: Load more &lt;slots&gt;. You can ask again.", "The marketplace declined to list the platform. Load more &lt;slots&gt;.")
	ana.post(own + "/go-live")
	ops.shows(ops.get(page), 200, `name="base_url" value="`+s.base+`"`)
	ops.shows(ops.post(page+"/go-live", "decision", "approve", "base_url", "https://another.example", "auth_type", "bearer"), 200, "not the ones that you looked at")
	ops.shows(ops.post(page+"/go-live", s.seen("decision", "approve")...), 200, "Approved.", "Approved on")
	p := ana.get(own)
	pgtest.Exec(t, s.store, `UPDATE integrations SET auth_type = 'api_key'`)
	ana.shows(ana.get(own), 200, "The approval to go live ended: auth_type changed.", "Ask to go live again.", own+"/go-live")
	ops.shows(ops.get(page), 200, "The approval ended on", "auth_type changed. The partner has not asked again.")
	ops.shows(ops.get("/console"), 200, "The approval to go live", "its settings have changed")
	if !strings.Contains(p.text, "The marketplace approved the platform.") || strings.Contains(p.text, own+"/go-live") {
		t.Errorf("Expected the approval and no way to ask again, received %s", p.text)
	}
}

func TestAnOperatorSeesWhoBreachesWhat(t *testing.T) {
	t.Parallel()
	s := open(t)
	ops := s.operator()
	ops.shows(ops.get("/console/partners"), 200, "No partners yet", "Invite one")
	made := s.registerStocked()
	ana := s.enter("/partners", "partner@example.com", password)
	s.finish(s.begin(run(ana, made.ID)), twiceBooked)
	ops.shows(ops.get("/console/partners"), 200, "1 partner: 1 fails", "Old Town Walks, fails since", "1 rule since", twiceBooked.Rule, "Breaches on 1 day, none on 0")
	pgtest.Exec(t, s.store, `UPDATE integrations SET name = '"><script>alert(1)</script>'`)
	if p := ops.get("/console/partners"); !strings.Contains(p.text, "&lt;script&gt;") || strings.Contains(p.text, "<script>") {
		t.Errorf("Expected the name as text, received %s", p.text)
	}
	pgtest.Exec(t, s.store, `UPDATE integrations SET name = 'Old Town Walks'`)
	ops.shows(ops.get("/console/partners?endpoint=products"), 200, "No partner matches these filters")
	ops.shows(ops.get("/console/partners?endpoint=confirm&failing=true"), 200, "Old Town Walks", "/console/partners.csv?endpoint=confirm&amp;failing=true")
	for path, want := range map[string]string{"/console/partners.csv": "Old Town Walks,live,failed", "/console/partners.json?state=failed": `"rule":"` + twiceBooked.Rule} {
		p := ops.get(path)
		ops.shows(p, 200, want)
		if !strings.HasPrefix(p.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: Expected a file, received %v", path, p.header)
		}
	}
	page := "/console/integrations/" + made.ID
	ops.shows(ops.post(page+"/certification", s.seen("certification", "require")...), 200, "Policy saved", "In force: require.")
	ops.shows(ops.get("/console/partners?certification=require"), 200, "Old Town Walks", "not listed")
	ops.shows(ops.post(page+"/certification", s.seen("certification", "")...), 200, "In force: advise.")
	if p := ana.get("/partners/partners"); p.status != 404 {
		t.Errorf("Expected no such page in the portal, received %d", p.status)
	}
}

func TestAWebhookIsTriedFromThePage(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	own := "/partners/integrations/" + made.ID
	ana := s.enter("/partners", "partner@example.com", password)
	ana.shows(ana.post(own+"/webhook", "webhook", "sync/trigger", "secret", "a wrong one"), 200, "was answered with 401")
	ana.shows(ana.post(own+"/webhook", "webhook", "availability/notify", "secret", made.Secret, "body", "{"), 200, "was answered with 400")
	p := ana.post(own+"/webhook", "webhook", "sync/trigger", "secret", made.Secret)
	ana.shows(p, 200, "was answered with 200")
	ana.shows(ana.get(own), 200, "<code>sync/trigger</code>", "<code>availability/notify</code>")
	if strings.Contains(p.text, made.Secret) {
		t.Error("Expected a page without the secret, received it")
	}
}

func TestThePortalInABrowser(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	axe := axetest.Source(t)
	s := open(t)
	p := s.operator().post("/console/invitations", "email", "boats@example.com", "name", "Boats")
	o := s.look(b, linkOf.FindStringSubmatch(p.text)[1])
	o.Shows("p", "You are invited")
	o.requireAccessible(axe)
	o.Write("#f-password", "amber kettle skates")
	o.Click("form button.main")
	o.Shows(".empty", "No platform yet")
	o.Click(".out button")
	o.Shows("h1", "partners")
	o.requireAccessible(axe)
	o.Write("#f-email", "boats@example.com")
	o.Write("#f-password", "amber kettle skates")
	o.Click("form button.main")
	o.Shows(".empty", "No platform yet")
	o.requireAccessible(axe)
	o.Write("#f-name", "Old Town Walks")
	o.Write("#f-base_url", s.base)
	o.Write("#f-auth_key", "partner-key")
	o.Click("form.form button.main")
	o.Shows(".note .secret", "")
	o.Shows("#steps-title", "Before you go live")
	o.requireAccessible(axe)
	o.Shows(".stage [aria-current]", "Test")
	o.Click(`form[action$="/test#steps-title"] button`)
	o.Shows("#steps-title ~ .note", "Your platform works with these settings")
	o.See(`document.querySelector("#steps-title ~ .note").getBoundingClientRect().top < innerHeight`)
	o.Click(`button[value="full"]`)
	o.Shows("#progress-title", "The run is queued")
	lease := s.begin(s.queuedRun())
	s.storeProgress(lease, `{"id":"products.status","title":"The catalog is answered with 200","outcome":"passed"}`, `{"id":"confirm.repeat.booking","title":"A second confirm makes no second booking","outcome":"failed"}`)
	o.Shows("#judged", "2")
	o.Shows("#latest li", "A second confirm")
	o.requireAccessible(axe)
	s.finish(lease, twiceBooked)
	o.Shows("#result-title", "1 rule failed")
	o.requireAccessible(axe)
	o.Click(".evidence summary")
	o.Click(".command button")
	o.Shows(".command button", "Copied")
	o.requireAccessible(axe)
	o.Click(".share button")
	o.Shows(".note .secret", "/shared/reports/")
	o.Click(".note [data-copy]")
	o.Shows(".note [data-copy]", "Copied")
	o.requireAccessible(axe)
	o.Click(".crumbs a:last-child")
	o.Shows("#runs-title", "Conformance")
	o.requireAccessible(axe)
	o.RequireNoProblems()
}

// linkOf matches the link in a page's note.
var linkOf = regexp.MustCompile(`http://[^<"]+(/partners/invitation/[0-9a-f]+)`)

func TestAnInvitationMakesOneAccount(t *testing.T) {
	t.Parallel()
	s := open(t)
	operator := s.operator()
	invite := func(email string) string {
		t.Helper()
		p := operator.post("/console/invitations", "email", email, "name", "Boats")
		link := linkOf.FindStringSubmatch(p.text)
		if p.status != 200 || link == nil {
			t.Fatalf("Expected a link, received %d: %s", p.status, p.text)
		}
		return link[1]
	}
	link := invite("Boats@example.com")
	if p := operator.get("/console/accounts"); strings.Contains(p.text, link) || !strings.Contains(p.text, "boats@example.com") {
		t.Errorf("Expected the open invitation without its link, received %s", p.text)
	}
	boats := s.visitor()
	boats.shows(boats.get(link), 200, "boats@example.com")
	boats.shows(boats.post(link, "password", "password123"), 422, "password")
	if p := boats.post(link, "password", "amber kettle skates"); p.address != "/partners/integrations" {
		t.Errorf("Expected to be signed in, received %d at %s", p.status, p.address)
	}
	late := s.visitor()
	late.shows(late.get(link), 404, "was used or revoked, or has expired")
	late.shows(late.post(link, "password", "another good one"), 404, "was used or revoked, or has expired")
	s.enter("/partners", "boats@example.com", "amber kettle skates")
	operator.shows(operator.post("/console/invitations", "email", "boats@example.com"), 422, "n account with this email exists")

	first := invite("ships@example.com")
	second := invite("ships@example.com")
	late.shows(late.get(first), 404, "has expired")
	late.shows(late.get(second), 200, "ships@example.com")
	open := call[[]struct {
		ID string `json:"invitation_id"`
	}](s, domain.Operator, "GET", "/operator/invitations", "")
	if len(open) != 1 {
		t.Fatalf("Expected one open invitation, received %d", len(open))
	}
	operator.shows(operator.post("/console/invitations/"+open[0].ID+"/revoke"), 200, "no longer works")
	late.shows(late.get(second), 404, "has expired")
	third := invite("ships@example.com")
	s.ahead.Add(int64(7*24*time.Hour + time.Second))
	late.shows(late.get(third), 404, "has expired")
	late.shows(late.post(third, "password", "another good one"), 404, "has expired")
	if n, err := s.store.Accounts.DropExpiredInvitations(t.Context(), s.now(), 100); err != nil || n != 1 {
		t.Errorf("Expected the expired invitation deleted, received %d, %v", n, err)
	}
}
