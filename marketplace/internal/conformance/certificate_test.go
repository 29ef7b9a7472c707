package conformance_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/waittest"
	"partnerkit.dev/schemas/partnerapi"
)

// runSuite runs the suite with a given verdict.
func (b *bench) runSuite(t *testing.T, scope conformance.Scope, verdict string) conformance.Run {
	t.Helper()
	id, err := b.service.Start(t.Context(), b.of, scope, nil, true)
	must(t, err)
	must(t, b.runner(t, strings.ReplaceAll(writeAll, "nonconformant", verdict)).Run(t.Context(), id))
	return b.run(t, id)
}

// findCertificate reports whether the integration has a valid certificate, and which.
func (b *bench) findCertificate(t *testing.T) (certificate string, is bool) {
	t.Helper()
	certificate, err := b.store.Runs.Certificate(t.Context(), b.of)
	if domain.CodeOf(err) != domain.NotFound {
		must(t, err)
	}
	return certificate, err == nil
}

func TestAConformantRunIssuesACertificateThatItsKeysVerify(t *testing.T) {
	t.Parallel()
	b := setup(t)
	run := b.runSuite(t, conformance.Full, "conformant")
	text, is := b.findCertificate(t)
	if !is {
		t.Fatal("want a certificate")
	}
	var keys jose.JSONWebKeySet
	must(t, json.Unmarshal(b.signer.Keys(), &keys))
	signed, err := jose.ParseSignedCompact(text, []jose.SignatureAlgorithm{jose.EdDSA})
	must(t, err)
	header := signed.Signatures[0].Protected
	payload, err := signed.Verify(keys.Key(header.KeyID)[0])
	must(t, err)
	var claims struct {
		Subject string `json:"sub"`
		ID      string `json:"jti"`
		Issued  int64  `json:"iat"`
		Expires int64  `json:"exp"`
		domain.JudgedSettings
		Verdict string `json:"verdict"`
		Suite   string `json:"suite_version"`
		Report  string `json:"report_sha256"`
	}
	must(t, json.Unmarshal(payload, &claims))
	if claims.Subject != b.of.String() || claims.ID != run.ID.String() || claims.JudgedSettings != (domain.JudgedSettings{BaseURL: "https://partner.example", AuthType: partnerapi.Bearer, HandlesTicketDelivery: true}) || claims.Verdict != "conformant" || claims.Suite != "1.2.3" || len(claims.Report) != 64 {
		t.Errorf("want what was tested and found, got %+v", claims)
	}
	if valid := time.Duration(claims.Expires-claims.Issued) * time.Second; valid != 90*24*time.Hour || header.ExtraHeaders[jose.HeaderType] != "conformance-certificate+jwt" {
		t.Errorf("want a certificate for 90 days, got %v for %s", header.ExtraHeaders, valid)
	}
}

func TestOnlyAFullConformantRunCertifiesAndABreachEndsIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i, step := range []struct {
		scope   conformance.Scope
		verdict string
		want    bool
		state   conformance.Standing
	}{
		{conformance.Full, "incomplete", false, conformance.NeverCertified},
		{conformance.ReadOnly, "nonconformant", false, conformance.NeverCertified},
		{conformance.Full, "nonconformant", false, conformance.NotConformant},
		{conformance.ReadOnly, "partial", false, conformance.NotConformant},
		{conformance.Full, "incomplete", false, conformance.NotConformant},
		{conformance.Full, "conformant", true, conformance.Certified},
		{conformance.ReadOnly, "partial", true, conformance.Certified},
		{conformance.Full, "incomplete", true, conformance.Certified}, // an unavailable partner breaches no rule
		{conformance.ReadOnly, "nonconformant", false, conformance.Expired},
		{conformance.ReadOnly, "partial", false, conformance.Expired},
		{conformance.Full, "conformant", true, conformance.Certified},
		{conformance.Full, "nonconformant", false, conformance.Expired},
	} {
		b.runSuite(t, step.scope, step.verdict)
		of, err := b.store.Runs.Certifications(t.Context(), []uuid.UUID{b.of})
		must(t, err)
		if stands := of[b.of]; stands.State != string(step.state) || (stands.RunID == "") != (step.state == conformance.NeverCertified) {
			t.Errorf("step %d, %s %s: want it %s, got %+v", i, step.scope, step.verdict, step.state, stands)
		}
		if _, is := b.findCertificate(t); is != step.want {
			t.Errorf("step %d, %s %s: want certified %t", i, step.scope, step.verdict, step.want)
		}
	}
}

func TestTheCertifiedAreRecheckedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.of, b.integration(t, "https://second.example")
	b.integration(t, "https://never.example")
	for _, b.of = range []uuid.UUID{first, second} {
		b.runSuite(t, conformance.Full, "conformant")
	}
	from := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	for range 2 { // every replica may request them
		must(t, b.store.Runs.AskForRechecks(t.Context(), from, 10*time.Second, time.Minute))
	}
	if jobs := b.count(t, `SELECT count(DISTINCT scheduled_at) FROM river_job WHERE kind = 'conformance_recheck' AND scheduled_at BETWEEN $1 AND $2`, from, from.Add(10*time.Second)); jobs != 2 {
		t.Errorf("want a job for each of the two, apart, got %d", jobs)
	}
	runner := b.runner(t, strings.ReplaceAll(writeAll, "nonconformant", "partial"))
	for _, inProgress := range []bool{false, true} {
		wait, err := runner.Recheck(t.Context(), first)
		must(t, err)
		if wait > 0 != inProgress {
			t.Errorf("with a run in progress (%t): want the recheck to wait for its end, got a wait of %s", inProgress, wait)
		}
	}
	if runs := b.count(t, `SELECT count(*) FROM conformance_runs WHERE scope = 'read_only' AND state = 'queued' AND integration_id = $1`, first); runs != 1 {
		t.Errorf("want a run that only reads, got %d", runs)
	}
}

func TestACertificateIsForItsTimeAndSettings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, change := range map[string]partner.Change{
		"another path":            {BaseURL: new("https://partner.example/other"), AuthKey: new(key)},
		"another host":            {BaseURL: new("https://elsewhere.example"), AuthKey: new(key)},
		"another way to send":     {AuthType: new(partnerapi.APIKey)},
		"no tickets from then on": {HandlesTicketDelivery: new(false)},
	} {
		b.runSuite(t, conformance.Full, "conformant")
		if _, is := b.findCertificate(t); !is {
			t.Errorf("before %s: want one", name)
		}
		change.Force = true
		_, err := b.config.Integrations.Change(t.Context(), b.account, b.of, change, nil)
		must(t, err)
		if _, is := b.findCertificate(t); is {
			t.Errorf("%s: want none for settings that were not tested", name)
		}
	}
	change := b.runner(t, strings.ReplaceAll(writeAll, "nonconformant", "conformant")+`echo x >"$notes/judged"; until [ -e "$notes/changed" ]; do sleep 0.02; done; exit 0`)
	id := b.start(t)
	_, ended := b.begin(t, change, id)
	waittest.Until(t, "the run judged", func() bool { return b.note(t, "judged") != "" })
	_, err := b.config.Integrations.Change(t.Context(), b.account, b.of, partner.Change{HandlesTicketDelivery: new(true)}, nil)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(b.notes, "changed"), nil, 0o600))
	must(t, <-ended)
	if run := b.run(t, id); run.Verdict != "conformant" || !strings.Contains(run.Reason, "settings changed during the run") {
		t.Errorf("want a verdict without a certificate, and the reason, got %+v", run.Result)
	}
	if _, is := b.findCertificate(t); is {
		t.Error("want none for settings that changed during the run")
	}
	b.runSuite(t, conformance.Full, "conformant")
	if _, is := b.findCertificate(t); !is {
		t.Error("want one for the new settings")
	}
	b.exec(t, `UPDATE conformance_certificates SET valid_until = now()`)
	if _, is := b.findCertificate(t); is {
		t.Error("want none that has expired")
	}
	b.exec(t, `UPDATE conformance_runs SET created_at = now() - interval '1 year'`)
	b.runSuite(t, conformance.ReadOnly, "partial")
	_, err = b.store.Runs.DropOldRuns(t.Context(), 1, 100)
	must(t, err)
	if left := b.count(t, `SELECT count(*) FROM conformance_runs r JOIN conformance_certificates c ON c.run_id = r.id`); left != 1 {
		t.Errorf("want the run kept that the certificate rests on, got %d", left)
	}
}
