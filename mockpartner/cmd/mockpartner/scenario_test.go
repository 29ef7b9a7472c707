package main

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/cli"
)

func scenarioFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scenario.yaml")
	check(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// change puts a new version in a file's place, so that no look sees half of it.
func change(t *testing.T, path, text string) {
	t.Helper()
	check(t, os.WriteFile(path+".new", []byte(text), 0o600))
	check(t, os.Rename(path+".new", path))
}

func TestScenarioCheckPrintsTheLine(t *testing.T) {
	t.Parallel()
	right := scenarioFile(t, "seed: 7\nfaults:\n- {status: 500}\n")
	if got := finish(t, "scenario", "check", right, right); got.code != 0 || got.stdout != strings.Repeat(right+": ok, 1 fault\n", 2) {
		t.Errorf("want it ok, got %+v", got)
	}
	wrong := scenarioFile(t, "seed: 7\nfaults:\n- {statsu: 500}\n")
	finish(t, "scenario", "check", wrong).requireFailure(t, cli.ExitUsage, "mockpartner: "+wrong+":3:4: unknown field \"statsu\"\n")
	many := scenarioFile(t, "seed: many\nfaults:\n- {status: 900}\n- {statsu: 500}\n")
	if got := finish(t, "scenario", "check", wrong, right, many); got.code != cli.ExitUsage || got.stdout != right+": ok, 1 fault\n" || strings.Count(got.stderr, "\n") != 4 ||
		!strings.Contains(got.stderr, many+":1:7: expected a whole number, received text\n") {
		t.Errorf("want every mistake of every file, got %+v", got)
	}
	if got := finish(t, "scenario", "schema"); got.code != 0 || !strings.Contains(got.stdout, "draft/2020-12") {
		t.Errorf("want the schema, got %+v", got)
	}
}

func TestServePlaysAScenarioAndFlagsTakePrecedence(t *testing.T) {
	t.Parallel()
	file := scenarioFile(t, "clock: {now: 2026-07-01T09:00:00Z, frozen: true}\nseed: 7\nfaults: [{match: {endpoint: products}, status: 503}]\n")
	s := serve(t, nil, "--auth-key", key, "--scenario", file)
	if !strings.Contains(s.greeted, "seed 7, clock at 2026-07-01T09:00:00Z") {
		t.Errorf("want seed and clock of the scenario, got %s", s.greeted)
	}
	if status, _ := s.get("/products", "Bearer "+key); status != 503 {
		t.Errorf("want the fault, got %d", status)
	}
	s.stop(os.Interrupt)
	s = serve(t, nil, "--auth-key", key, "--scenario", file, "--seed", "0", "--now", "2026-08-01T09:00:00Z")
	if !strings.Contains(s.greeted, "seed 0, clock at 2026-08-01T09:00:00Z") {
		t.Errorf("want the flags', got %s", s.greeted)
	}
	s.stop(os.Interrupt)
}

// await waits until something holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(patience); !holds(); <-ticker.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited for nothing: %s", what)
		}
	}
}

func TestAChangedScenarioIsPlayedAndAnInvalidOneIsReported(t *testing.T) {
	t.Parallel()
	file := scenarioFile(t, "faults: [{status: 501}]")
	s := serve(t, nil, "--auth-key", key, "--scenario", file)
	answers := func(want int) func() bool {
		return func() bool {
			status, _ := s.get("/products?limit=1", "Bearer "+key)
			return status == want
		}
	}
	await(t, "the first version", answers(501))
	change(t, file, "faults: [{status: 502}]")
	await(t, "the second version", answers(502))
	change(t, file, "faults:\n  - {status: 99}\n")
	wrong := "mockpartner: the scenario was not changed: " + file + ":2:14: "
	await(t, "the place of what is wrong", func() bool { return strings.Contains(s.errors.String(), wrong) })
	if !answers(502)() {
		t.Error("want the second version to stay")
	}
	change(t, file, "faults: []")
	await(t, "the fault is gone", answers(200))
	s.stop(os.Interrupt)
	if text := s.errors.String(); !strings.Contains(text, file+": reloaded: ok, 0 faults") {
		t.Errorf("Expected it to be reported, received %s", text)
	}
}

// The example of the README, as it stands there.
func TestTheScenarioOfTheREADMEIsOne(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(readme, -1)
	if err != nil || len(examples) == 0 {
		t.Fatalf("want an example in the README, got %v", err)
	}
	for _, example := range examples {
		if got := finish(t, "scenario", "check", scenarioFile(t, string(example[1]))); got.code != 0 {
			t.Errorf("want it a scenario, got %s\n%s", got.stderr, example[1])
		}
	}
}

// Who is kept waiting by a fault does not keep the mock from its end.
func TestServeStopsImmediatelyEvenIfAFaultDelaysCallers(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"before", "after"} {
		file := scenarioFile(t, "faults: [{match: {endpoint: products}, when: "+when+", delay: 10m}]\n")
		s := serve(t, nil, "--auth-key", key, "--scenario", file)
		events, err := http.Get(s.base + "/_mock/journal/events?endpoint=products")
		check(t, err)
		asked := make(chan error, 1)
		go func() {
			_, err := http.Get(s.base + "/products") // without a key: faults come before it
			asked <- err
		}()
		for lines := bufio.NewScanner(events.Body); lines.Scan() && !strings.Contains(lines.Text(), "arrived"); {
		}
		s.stop(os.Interrupt)
		<-asked
		events.Body.Close()
	}
}

const webhookSecret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

func TestWebhooksAreSetUpByFlagsAndEnvironment(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		environment []string
		flags       []string
	}{
		"flags":           {nil, []string{"--webhook-secret", webhookSecret}},
		"the environment": {[]string{"MOCKPARTNER_WEBHOOK_SECRET=" + webhookSecret}, nil},
		"a scenario's variable, in place of its address": {
			[]string{"MOCKPARTNER_WEBHOOK_SECRET_OWN=" + webhookSecret},
			[]string{"--scenario", scenarioFile(t, "webhooks: {url: 'http://elsewhere.example/', secret_env: MOCKPARTNER_WEBHOOK_SECRET_OWN}\n")},
		},
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
