package main_test

import (
	"net"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/inbox"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/mockpartner"
)

const webhookSecret = "a-webhook-secret-for-these-tests"

// freePort returns an address of this machine that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// startNotifier starts a mock that sends its webhooks to that address.
func startNotifier(t *testing.T, address string, options mockpartner.Options) (url string) {
	t.Helper()
	options.Webhooks = mockpartner.Webhooks{URL: address, Secret: webhookSecret}
	_, url = startMock(t, options)
	return url
}

// webhookFlags returns the flags of a run that judges webhooks, and of the rules that they need.
func webhookFlags(listen string, more ...string) []string {
	return append([]string{"--webhook-listen", listen, "--webhook-secret", webhookSecret, "--webhook-wait", "5s", "--label", string(rule.Webhooks), "--depth", "quick"}, more...)
}

// outcomesOfWebhooks returns the outcomes of the rules about webhooks.
func (r ran) outcomesOfWebhooks() map[string]report.Outcome {
	all := map[string]report.Outcome{}
	for _, one := range r.result.Rules {
		if one.Endpoint == rule.Webhooks {
			all[one.ID] = one.Outcome
		}
	}
	return all
}

func TestAPartnersWebhooksAreJudged(t *testing.T) {
	t.Parallel()
	listen := freePort(t)
	url := startNotifier(t, "http://"+listen+inbox.DefaultPath, mockpartner.Options{Variants: []string{"webhooks-for-every-change"}})
	r := judge(t, url, ofMock(url, webhookFlags(listen, "--reports", "report.html,report.md,junit.xml,run.har")...)...)
	for id, outcome := range r.outcomesOfWebhooks() {
		if outcome != report.Passed {
			t.Errorf("want %s passed, got %s\n%s", id, outcome, r.notPassed())
		}
	}
	if len(r.result.NotUndone) > 0 {
		t.Errorf("want every hold undone, got %+v", r.result.NotUndone)
	}
	if want := "webhooks are received at " + listen; r.code != 0 || !strings.Contains(r.stdout, want) {
		t.Errorf("want exit 0 and %q, got %d:\n%s", want, r.code, r.stdout)
	}
	for name, content := range r.files(t) {
		if strings.Contains(content, webhookSecret) {
			t.Errorf("%s: want no webhook secret in it", name)
		}
	}
}

func TestABreachOfAWebhookIsShownWithWhatArrived(t *testing.T) {
	t.Parallel()
	listen := freePort(t)
	url := startNotifier(t, "http://"+listen+"/market/17", mockpartner.Options{Defects: []string{"webhook-with-another-secret"}})
	r := judge(t, url, ofMock(url, webhookFlags(listen, "--webhook-url", "https://tunnel.example/market/17")...)...)
	broken := r.rule(t, rule.WebhooksSecret.ID)
	if r.code != 1 || broken.Outcome != report.Failed || len(broken.Exchanges) == 0 {
		t.Fatalf("want %s failed with what arrived, got exit %d, %s\n%s", broken.ID, r.code, broken.Outcome, r.notPassed())
	}
	shown := broken.Exchanges[0]
	if shown.Response.Status != 401 || shown.Request.Header.Get("x-webhook-secret") != "[redacted]" || shown.Request.URL != "https://tunnel.example/market/17/availability/notify" {
		t.Errorf("want the webhook, its answer 401, and no secret, got %+v %+v", shown.Request, shown.Response)
	}
	if blocked := r.rule(t, rule.WebhooksState.ID); blocked.Outcome != report.Blocked {
		t.Errorf("want the other rules blocked, got %s: %s", blocked.Outcome, blocked.Message)
	}
}

func TestAPartnerWithoutWebhooksIsNotAccused(t *testing.T) {
	t.Parallel()
	listen := freePort(t)
	_, url := startMock(t, mockpartner.Options{})
	r := judge(t, url, ofMock(url, webhookFlags(listen, "--webhook-wait", "1s")...)...)
	for id, outcome := range r.outcomesOfWebhooks() {
		if outcome != report.NotApplicable {
			t.Errorf("want %s not applicable, got %s\n%s", id, outcome, r.notPassed())
		}
	}
}

func TestAWebhookAtAnotherPathIsNamed(t *testing.T) {
	t.Parallel()
	listen := freePort(t)
	url := startNotifier(t, "http://"+listen+"/hooks", mockpartner.Options{Variants: []string{"webhooks-for-every-change"}})
	r := judge(t, url, ofMock(url, webhookFlags(listen, "--webhook-wait", "1s")...)...)
	if one := r.rule(t, rule.WebhooksSecret.ID); one.Outcome != report.NotApplicable || !strings.Contains(one.Message, "other requests arrived: POST /hooks/availability/notify") {
		t.Errorf("want the other path named, got %s: %s", one.Outcome, one.Message)
	}
}

func TestThePlanNamesWhereWebhooksAreReceived(t *testing.T) {
	t.Parallel()
	_, url := startMock(t, mockpartner.Options{})
	r := start(t, withKey(), append([]string{"run", "--base-url", url, "--plan"}, webhookFlags("127.0.0.1:9")...)...).wait(t)
	if want := "webhooks at http://127.0.0.1:9/api/v1/partner-integrations/conformance, at most 5s after each change"; r.code != 0 || !strings.Contains(r.stdout, want) {
		t.Errorf("want exit 0 and %q, got %d:\n%s%s", want, r.code, r.stdout, r.stderr)
	}
}

func TestBadSettingsOfWebhooksAreNamedWithoutTheSecret(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { busy.Close() })
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"--webhook-secret", webhookSecret}, "need --webhook-listen"},
		{[]string{"--webhook-url", "https://tunnel.example/"}, "need --webhook-listen"},
		{[]string{"--webhook-listen", "127.0.0.1:9100"}, "set CONFORMANCE_WEBHOOK_SECRET, or give --webhook-secret"},
		{[]string{"--webhook-listen", "9100", "--webhook-secret", webhookSecret}, `--webhook-listen "9100": expected a host and a port`},
		{[]string{"--webhook-listen", "127.0.0.1:9100", "--webhook-secret", "short"}, "--webhook-secret: expected 8 to 256 characters, received 5"},
		{[]string{"--webhook-listen", "127.0.0.1:9100", "--webhook-secret", webhookSecret + " "}, "--webhook-secret: expected visible ASCII characters"},
		{[]string{"--webhook-listen", "127.0.0.1:9100", "--webhook-secret", webhookSecret, "--webhook-url", "tunnel.example"}, "--webhook-url does not begin with http:// or https://"},
		{[]string{"--webhook-listen", "127.0.0.1:9100", "--webhook-secret", webhookSecret, "--webhook-url", "https://tunnel.example/?" + webhookSecret}, "--webhook-url has a query or a fragment"},
		{[]string{"--webhook-listen", "127.0.0.1:9100", "--webhook-secret", webhookSecret, "--webhook-wait", "10m"}, "--webhook-wait 10m0s: expected 1s to 5m0s"},
		{[]string{"--webhook-listen", busy.Addr().String(), "--webhook-secret", webhookSecret}, "--webhook-listen " + busy.Addr().String() + " cannot be used"},
	} {
		r := start(t, withKey(), append([]string{"run", "--base-url", "http://127.0.0.1:1", "--report-dir", t.TempDir()}, test.args...)...).wait(t)
		if r.code != 2 || !strings.Contains(r.stderr, test.says) || strings.Contains(r.stderr+r.stdout, webhookSecret) {
			t.Errorf("%v: want exit 2 and %q without the secret, got %d: %s", test.args, test.says, r.code, r.stderr)
		}
	}
}
