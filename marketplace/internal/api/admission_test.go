package api_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// admission is an integration's admission and certification in an answer.
type admission struct {
	Admission     client.Admission
	Certification *client.Certification
}

// finish ends a queued run of the integration with these outcomes, by rule.
func (b *bench) finish(t *testing.T, integration string, verdict string, outcomes map[string]string) (run uuid.UUID) {
	t.Helper()
	run, err := conformance.NewService(b.store.Runs, true).Start(t.Context(), uuid.MustParse(integration), conformance.ReadOnly, nil, true)
	must(t, err)
	lease := conformance.Lease{Run: run, Holder: uuid.New(), Time: time.Hour}
	_, err = b.store.Runs.Begin(t.Context(), lease)
	must(t, err)
	o := conformance.Outcome{State: conformance.Finished, Result: conformance.Result{Verdict: verdict}}
	for rule, outcome := range outcomes {
		endpoint, _, _ := strings.Cut(rule, ".")
		o.Judged = append(o.Judged, conformance.Judged{Rule: rule, Endpoint: endpoint, Outcome: outcome})
	}
	_, err = b.store.Runs.Finish(t.Context(), lease, o)
	must(t, err)
	return run
}

func TestAPartnerAsksToGoLiveAndAnOperatorDecides(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, b.store.Runs.Govern(t.Context(), conformance.Rules{Default: conformance.Advise, Approval: true}))
	own, operator := b.signIn(t, domain.Partner), b.signIn(t, domain.Operator)
	made := b.register(t, own, "https://one.example")
	path, decide := "/api/v1/partner-integrations/"+made.ID, "/api/v1/operator/integrations/"+made.ID+"/go-live"
	is := func(who header) (a client.Admission, withheld bool) {
		t.Helper()
		var got admission
		b.do(t, "GET", path, "", who).data(t, &got)
		must(t, b.store.Pool().QueryRow(t.Context(), `SELECT withheld FROM integrations`).Scan(&withheld))
		return got.Admission, withheld
	}
	if a, withheld := is(own); a.GoLive != string(conformance.NotRequested) || !a.ApprovalRequired || !withheld {
		t.Errorf("Expected it not listed before an approval, received %+v, withheld %t", a, withheld)
	}
	for range 2 { // asking again changes nothing
		b.do(t, "POST", path+"/go-live", "", own)
	}
	if a, withheld := is(operator); a.GoLive != string(conformance.Requested) || a.RequestedAt.IsZero() || !withheld {
		t.Errorf("Expected a request, received %+v, withheld %t", a, withheld)
	}
	var overview client.Overview
	b.do(t, "GET", "/api/v1/operator/overview", "", operator).data(t, &overview)
	if due := overview.NeedAttention; len(due) != 1 || due[0].GoLiveRequested.IsZero() {
		t.Errorf("Expected the request on the overview, received %+v", due)
	}
	wantProblem(t, b.ask(t, "POST", decide, `{}`, operator), 400, "approve")
	b.do(t, "POST", decide, `{"approve": false, "reason": "Load more slots."}`, operator)
	if a, withheld := is(own); a.GoLive != string(conformance.Declined) || a.Reason != "Load more slots." || !withheld {
		t.Errorf("Expected a refusal with its reason, received %+v, withheld %t", a, withheld)
	}
	b.do(t, "POST", path+"/go-live", "", own)
	b.do(t, "POST", decide, `{"approve": true}`, operator)
	if a, withheld := is(own); a.GoLive != string(conformance.Approved) || a.ApprovalRequired || withheld {
		t.Errorf("Expected it listed after the approval, received %+v, withheld %t", a, withheld)
	}
	wantProblem(t, b.ask(t, "POST", path+"/go-live", "", own), 409, "approved already")
	var news struct {
		Events []conformance.Event `json:"events"`
		Next   string              `json:"next_cursor"`
	}
	b.do(t, "GET", path+"/events?limit=1", "", own).data(t, &news)
	if len(news.Events) != 1 || news.Events[0].Type != conformance.GoLiveDeclined || news.Events[0].Data["reason"] != "Load more slots." {
		t.Errorf("Expected the refusal as the first news, received %+v", news)
	}
	b.do(t, "GET", path+"/events?after="+news.Next, "", own).data(t, &news)
	if len(news.Events) != 1 || news.Events[0].Type != conformance.WentLive {
		t.Errorf("Expected the approval next, received %+v", news)
	}
	next := news.Next
	b.do(t, "GET", path+"/events?after="+next, "", own).data(t, &news)
	if len(news.Events) != 0 || news.Next != next {
		t.Errorf("Expected no more news and the same cursor, received %+v", news)
	}
	wantProblem(t, b.ask(t, "GET", path+"/events?after=x", "", own), 400, "after")
}

func TestATestIntegrationDoesNotGoLive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	own := b.signIn(t, domain.Partner)
	var made struct {
		ID string `json:"integration_id"`
	}
	b.do(t, "POST", "/api/v1/partner-integrations", `{"name":"x","mode":"test","base_url":"https://one.example","auth_key":"k"}`, own).data(t, &made)
	wantProblem(t, b.ask(t, "POST", "/api/v1/partner-integrations/"+made.ID+"/go-live", "", own), 409, "test mode")
	wantProblem(t, b.ask(t, "POST", "/api/v1/operator/integrations/"+made.ID+"/go-live", `{"approve":true}`, b.signIn(t, domain.Operator)), 409, "test mode")
}

func TestAnIntegrationsOwnPolicyTakesPrecedence(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := b.signIn(t, domain.Operator)
	made := b.register(t, b.signIn(t, domain.Partner), "https://one.example")
	for _, step := range []struct {
		service  conformance.Policy
		own      string
		want     conformance.Policy
		shown    bool
		withheld bool
	}{
		{conformance.Off, `null`, conformance.Off, false, false},
		{conformance.Off, `"advise"`, conformance.Advise, true, false},
		{conformance.Off, `"require"`, conformance.Require, true, true},
		{conformance.Require, `"advise"`, conformance.Advise, true, false},
		{conformance.Require, `"off"`, conformance.Off, false, false},
		{conformance.Require, `null`, conformance.Require, true, true},
	} {
		must(t, b.store.Runs.Govern(t.Context(), conformance.Rules{Default: step.service}))
		var got admission
		b.do(t, "PUT", "/api/v1/operator/integrations/"+made.ID+"/certification", `{"certification":`+step.own+`}`, operator).data(t, &got)
		var withheld bool
		must(t, b.store.Pool().QueryRow(t.Context(), `SELECT withheld FROM integrations`).Scan(&withheld))
		if got.Admission.Policy != string(step.want) || (got.Certification != nil) != step.shown || withheld != step.withheld || step.shown && got.Certification.Withheld != step.withheld {
			t.Errorf("%+v: received %+v, certification %+v, withheld %t", step, got.Admission, got.Certification, withheld)
		}
	}
	wantProblem(t, b.ask(t, "PUT", "/api/v1/operator/integrations/"+made.ID+"/certification", `{"certification":"always"}`, operator), 400, "certification")
}

func TestTheMatrixSaysWhoBreachesWhatAndSinceWhen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	own, operator := b.signIn(t, domain.Partner), b.signIn(t, domain.Operator)
	good, bad := b.register(t, own, "https://good.example").ID, b.register(t, own, "https://bad.example").ID
	pgtest.Exec(t, b.store, `UPDATE integrations SET name = '=cmd' WHERE base_url LIKE '%bad%'`)
	b.finish(t, good, "partial", map[string]string{"products.status": "passed"})
	b.finish(t, bad, "nonconformant", map[string]string{"products.status": "failed", "availability.status": "failed", "availability.limit": "warned"})
	pgtest.Exec(t, b.store, `UPDATE conformance_breaches SET since = since - interval '3 days'`)
	last := b.finish(t, bad, "nonconformant", map[string]string{"products.status": "failed", "availability.status": "passed", "availability.limit": "blocked"})
	ask := func(query string) (m client.Matrix) {
		t.Helper()
		b.do(t, "GET", "/api/v1/operator/conformance"+query, "", operator).data(t, &m)
		return m
	}
	m := ask("")
	if len(m.Partners) != 2 || m.Partners[0].IntegrationID != bad || m.Partners[0].FailingSince.IsZero() || !m.Partners[1].FailingSince.IsZero() {
		t.Fatalf("Expected the failing partner first, received %+v", m.Partners)
	}
	cells := m.Partners[0].Cells
	if products := cells[0].Breaches; len(products) != 1 || products[0].Rule != "products.status" || products[0].RunID != last.String() || m.Partners[0].JudgedAt.Sub(products[0].Since).Hours() < 71 {
		t.Errorf("Expected the rule that fails for three days, with its last run, received %+v", products)
	}
	if availability := cells[1].Breaches; len(availability) != 1 || availability[0].Rule != "availability.limit" {
		t.Errorf("Expected the rule that was kept gone, and the one that was not judged left, received %+v", availability)
	}
	if !cells[2].JudgedAt.IsZero() || cells[0].JudgedAt.IsZero() || m.Partners[0].Days[len(m.Days)-1] != "nonconformant" || m.Partners[1].Days[len(m.Days)-1] != "partial" {
		t.Errorf("Expected what was judged today, received %+v", m.Partners)
	}
	for query, want := range map[string]int{
		"?failing=true": 1, "?endpoint=products": 1, "?endpoint=reserve": 0, "?q=BAD.ex": 1, "?state=none": 2, "?state=certified": 0, "?certification=advise": 2, "?certification=off": 0, "?go_live=none": 2, "?go_live=approved": 0, "?mode=test": 0,
	} {
		if got := len(ask(query).Partners); got != want {
			t.Errorf("%s: Expected %d partners, received %d", query, want, got)
		}
	}
	wantProblem(t, b.ask(t, "GET", "/api/v1/operator/conformance?state=fine", "", operator), 400, "state")
	a := b.do(t, "GET", "/api/v1/operator/conformance.csv?failing=true", "", operator)
	lines, err := csv.NewReader(strings.NewReader(string(a.body))).ReadAll()
	must(t, err)
	if len(lines) != 2 || lines[1][0] != bad || lines[1][1] != "'=cmd" || !strings.Contains(fmt.Sprint(lines[1]), "products.status passed") {
		t.Errorf("Expected one line for the failing partner, received %q", lines)
	}
}
