package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const webhookSecret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

func TestWebhooksAreSetUpByFlagsAndEnvironment(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		environment []string
		flags       []string
	}{
		"flags":                 {nil, []string{"--webhook-secret", webhookSecret}},
		"the environment":       {[]string{"MOCKPARTNER_WEBHOOK_SECRET=" + webhookSecret}, nil},
		"a scenario's variable": {[]string{"OWN=" + webhookSecret}, []string{"--scenario", scenarioFile(t, "webhooks: {url: 'http://127.0.0.1:1/', secret_env: OWN}\n")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrived := make(chan string, 9)
			marketplace := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				arrived <- r.URL.Path + " " + r.Header.Get("x-webhook-secret")
			}))
			t.Cleanup(marketplace.Close)
			s := serve(t, test.environment, append([]string{"--auth-key", key, "--webhook-url", marketplace.URL + "/hooks"}, test.flags...)...)
			s.ask("POST", "/_mock/webhooks/trigger", "", "")
			if got := <-arrived; got != "/hooks/sync/trigger "+webhookSecret {
				t.Errorf("want a trigger with the secret, got %q", got)
			}
			if _, shown := s.get("/_mock/webhooks", ""); strings.Contains(shown, webhookSecret) {
				t.Errorf("want no secret, got %s", shown)
			}
		})
	}
}
