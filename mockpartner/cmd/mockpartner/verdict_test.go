package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/mockpartner/client"
)

func TestVerdictSaysByTextAndExitCodeWhetherTheCallerKeptTheContract(t *testing.T) {
	t.Parallel()
	mock := serve(t, nil, "--auth-key", key)
	verdict := func(sandbox, about string, code int, words ...string) {
		t.Helper()
		got := finish(t, "verdict", "--url", mock.base+sandbox)
		if got.code != code || got.stderr != "" || !strings.HasPrefix(got.stdout, about) {
			t.Errorf("want exit %d and a text that begins with %q, got %+v", code, about, got)
		}
		for _, word := range words {
			if !strings.Contains(got.stdout, word) {
				t.Errorf("want %q, got %s", word, got.stdout)
			}
		}
	}
	verdict("", "nothing to judge: ", exitBroken, "0 exchanges")
	mock.get("/products?limit=1", "Bearer "+key)
	verdict("", "kept: ", 0, "1 exchange: 0 rules broken")
	mock.get("/products?limit=2", "Bearer "+key)
	verdict("/", "broken: ", exitBroken, "(products.form, PRD-13, PRD-14)", "#2 ", "GET /products?limit=2 -> 200")
	verdict("/_mock/", "broken: ", exitBroken) // as the browser shows the console's address
	mock.ask("POST", "/_mock/sandboxes", "", `{"name":"mine"}`)
	verdict("/s/mine", "nothing to judge: ", exitBroken)
	var value client.Verdict
	got := finish(t, "verdict", "--json", "--url", mock.base)
	if err := json.Unmarshal([]byte(got.stdout), &value); err != nil || got.code != exitBroken || value.Verdict != client.Broken || value.Exchanges != 2 {
		t.Errorf("want the verdict as JSON, got %v: %+v", err, got)
	}
	mock.stop(os.Interrupt)
}

func TestVerdictDistinguishesBadUsageFromAnUnreachableMock(t *testing.T) {
	t.Parallel()
	guarded := serve(t, nil, "--auth-key", key, "--control-token", "a-control-token")
	answers := func(status int, body string) string {
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			w.Write([]byte(body))
		}))
		t.Cleanup(other.Close)
		return other.URL
	}
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.Write([]byte(`{"verdict":`))
	}))
	t.Cleanup(cut.Close)
	for _, c := range []struct {
		code  int
		words string
		args  []string
	}{
		{cli.ExitUsage, "mockpartner verdict --help", []string{"--nope"}},
		{cli.ExitUsage, "extra", []string{"extra"}},
		{cli.ExitUsage, "--url: expected a URL such as http://127.0.0.1:8081", []string{"--url", "127.0.0.1:8081"}},
		{cli.ExitUsage, "requires its control token: set --control-token or MOCKPARTNER_CONTROL_TOKEN", []string{"--url", guarded.base}},
		{cli.ExitUsage, "requires its control token", []string{"--url", guarded.base, "--control-token", "another"}},
		{cli.ExitUsage, `404: there is no sandbox "none"`, []string{"--url", guarded.base + "/s/none", "--control-token", "a-control-token"}},
		{cli.ExitUsage, "the answer is not a verdict", []string{"--url", answers(200, "<html>")}},
		{cli.ExitUsage, "the answer is not a verdict", []string{"--url", answers(200, "{}")}},
		{cli.ExitUsage, "404: not found", []string{"--url", answers(404, "not found")}},
		{exitUnreachable, "503: down", []string{"--url", answers(503, "down")}},
		{exitUnreachable, "cannot be reached: ", []string{"--url", cut.URL}},
		{exitUnreachable, "the mock at http://127.0.0.1:1 cannot be reached: dial tcp", []string{"--url", "http://127.0.0.1:1"}},
	} {
		finish(t, append([]string{"verdict"}, c.args...)...).requireFailure(t, c.code, c.words)
	}
	if got := finish(t, "verdict", "--url", guarded.base, "--control-token", "a-control-token"); got.code != exitBroken || got.stdout == "" {
		t.Errorf("want the verdict for the token, got %+v", got)
	}
	guarded.stop(os.Interrupt)
}
