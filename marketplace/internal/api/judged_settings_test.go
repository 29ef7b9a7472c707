package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// settled is an integration that is certified, approved, and listed without a certificate by a policy of
// its own.
type settled struct {
	*bench
	id, path      string
	own, operator header
}

func settle(t *testing.T) *settled {
	b := setup(t)
	must(t, b.store.Runs.Govern(t.Context(), conformance.Rules{Default: conformance.Require, Approval: true}))
	j := &settled{bench: b, own: b.signIn(t, domain.Partner), operator: b.signIn(t, domain.Operator)}
	j.id = b.register(t, j.own, "https://one.example/api").ID
	j.path = integrationsPath + j.id
	pgtest.Exec(t, b.store, `INSERT INTO conformance_certificates (integration_id, run_id, base_url, auth_type, handles_ticket_delivery, jws, issued_at, valid_until)
		SELECT id, gen_random_uuid(), base_url, auth_type, handles_ticket_delivery, 'x', now(), now() + interval '90 days' FROM integrations`)
	j.decide(t, `{"approve": true}`)
	return j
}

func (j *settled) decide(t *testing.T, body string) answer {
	return j.ask(t, "POST", "/api/v1/operator/integrations/"+j.id+"/go-live", body, j.operator)
}

func (j *settled) setPolicy(t *testing.T, policy string) {
	t.Helper()
	if a := j.do(t, "PUT", "/api/v1/operator/integrations/"+j.id+"/certification", `{"certification":"`+policy+`"}`, j.operator); a.StatusCode != 200 {
		t.Fatalf("Expected the policy to be set, received %s", a.body)
	}
}

func (j *settled) patch(t *testing.T, body string) answer {
	t.Helper()
	return j.do(t, "PATCH", j.path, body, j.own)
}

func (j *settled) isListed(t *testing.T) (listed bool) {
	t.Helper()
	must(t, j.store.Pool().QueryRow(t.Context(), `SELECT NOT withheld FROM integrations`).Scan(&listed))
	return listed
}

func (j *settled) events(t *testing.T) (types []conformance.EventType, last map[string]any) {
	t.Helper()
	var news struct{ Events []conformance.Event }
	j.do(t, "GET", j.path+"/events", "", j.own).data(t, &news)
	for _, one := range news.Events {
		types, last = append(types, one.Type), one.Data
	}
	return types, last
}

func TestAChangeOfWhatWasJudgedEndsTheCertificateAndTheApproval(t *testing.T) {
	t.Parallel()
	for setting, change := range map[string][2]string{
		"base_url":                {`{"base_url":"https://one.example/other","force":true}`, `{"base_url":"https://one.example/api","force":true}`},
		"auth_type":               {`{"auth_type":"api_key","force":true}`, `{"auth_type":"bearer","force":true}`},
		"handles_ticket_delivery": {`{"handles_ticket_delivery":true}`, `{"handles_ticket_delivery":false}`},
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			j := settle(t)
			j.patch(t, `{"name":"Another name","auth_key":"another-key","force":true}`)
			if !j.isListed(t) {
				t.Fatal("Expected a change of name and key to end nothing")
			}
			if a := j.patch(t, change[0]); a.StatusCode != 200 {
				t.Fatalf("Expected the change to be stored, received %s", a.body)
			}
			if j.isListed(t) {
				t.Error("Expected the activities not to be listed")
			}
			var got admission
			j.do(t, "GET", j.path, "", j.own).data(t, &got)
			if a := got.Admission; a.GoLive != "ended" || a.DecidedAt.IsZero() || a.Reason != setting+" changed" {
				t.Errorf("Expected the approval to end because of %s, received %+v", setting, a)
			}
			if c := got.Certification; c == nil || c.State != string(conformance.Expired) || c.Ended == nil || c.Ended.Reason != "settings_changed" || c.Ended.At.IsZero() {
				t.Errorf("Expected the certificate to end because of %s, received %+v", setting, c)
			}
			types, last := j.events(t)
			if want := []conformance.EventType{"go_live.approved", "certificate.ended", "go_live.ended"}; !slices.Equal(types, want) || fmt.Sprint(last["settings"]) != "["+setting+"]" {
				t.Errorf("Expected the partner to be told %v, received %v, the last with %v", want, types, last)
			}
			var overview client.Overview
			j.do(t, "GET", "/api/v1/operator/overview", "", j.operator).data(t, &overview)
			if due := overview.NeedAttention; len(due) != 1 || due[0].CertificateEnded != "settings_changed" || !slices.Equal(due[0].AdmissionEnded, []string{"go_live"}) {
				t.Errorf("Expected the operators to see it, received %+v", due)
			}
			j.patch(t, change[1])
			if j.isListed(t) {
				t.Error("Expected what has ended to stay so when the setting is changed back")
			}
			j.do(t, "POST", j.path+"/go-live", "", j.own)
			if j.do(t, "GET", j.path, "", j.own).data(t, &got); got.Admission.GoLive != string(conformance.Requested) {
				t.Errorf("Expected the partner to ask again, received %+v", got.Admission)
			}
		})
	}
}

// A policy that demands less was given to the platform that an operator knew. One that demands a
// certificate protects from any platform: a change must not be a way out.
func TestAChangeOfWhatWasJudgedEndsAPolicyThatDemandsLess(t *testing.T) {
	t.Parallel()
	j := settle(t)
	is := func() client.Admission {
		t.Helper()
		var got admission
		j.do(t, "GET", j.path, "", j.own).data(t, &got)
		return got.Admission
	}
	j.setPolicy(t, "off")
	j.patch(t, `{"handles_ticket_delivery":true}`)
	if a := is(); a.Own != "" || a.Policy != string(conformance.Require) || a.EndedOwn != string(conformance.Off) {
		t.Errorf("Expected the integration's own policy to end, received %+v", a)
	}
	if types, _ := j.events(t); types[len(types)-1] != "certification.ended" {
		t.Errorf("Expected the partner to be told, received %v", types)
	}
	var overview client.Overview
	if j.do(t, "GET", "/api/v1/operator/overview", "", j.operator).data(t, &overview); !slices.Equal(overview.NeedAttention[0].AdmissionEnded, []string{"go_live", "certification"}) {
		t.Errorf("Expected the operators to see it, received %+v", overview.NeedAttention)
	}
	j.setPolicy(t, "require")
	must(t, j.store.Runs.Govern(t.Context(), conformance.Rules{Default: conformance.Off}))
	j.patch(t, `{"handles_ticket_delivery":false}`)
	if a := is(); a.Own != string(conformance.Require) || a.EndedOwn != "" || j.isListed(t) {
		t.Errorf("Expected the stricter policy to stay, received %+v", a)
	}
}

// A partner may change its platform while an operator looks at the one before.
func TestAnApprovalIsForTheSettingsThatTheOperatorSaw(t *testing.T) {
	t.Parallel()
	j := settle(t)
	j.patch(t, `{"base_url":"https://one.example/other","force":true}`)
	const seen = `"settings": {"base_url": "https://one.example/api", "auth_type": "bearer", "handles_ticket_delivery": false}`
	wantProblem(t, j.decide(t, `{"approve": true, `+seen+`}`), 409, "the integration's settings are not the ones that you looked at")
	wantProblem(t, j.ask(t, "PUT", "/api/v1/operator/integrations/"+j.id+"/certification", `{"certification": "off", `+seen+`}`, j.operator), 409, "not the ones that you looked at")
	if a := j.decide(t, `{"approve": true, `+strings.Replace(seen, "/api", "/other", 1)+`}`); a.StatusCode != 200 {
		t.Errorf("Expected the approval, received %s", a.body)
	}
	i, err := j.Integrations.Find(t.Context(), uuid.Nil, uuid.MustParse(j.id))
	must(t, err)
	j.patch(t, `{"auth_type":"api_key","force":true}`)
	if _, err := j.store.Runs.DecideGoLive(t.Context(), i, true, ""); domain.CodeOf(err) != domain.Conflict {
		t.Errorf("Expected a change between the request and its storing to be noticed, received %v", err)
	}
}
