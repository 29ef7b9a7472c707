package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"partnerkit.dev/internal/cli"
)

// A scenario may be a stranger's: it is sent with a bug report, or downloaded. It must not
// send what is in the environment anywhere, call other machines, or read other files.
func TestAScenarioOfAStrangerReadsAndCallsNothingBeyondItsFolder(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "catalog.yaml")
	check(t, os.WriteFile(outside, []byte("products: []\n"), 0o600))
	for name, c := range map[string]struct{ scenario, want string }{
		"any variable":                {"webhooks: {url: 'http://127.0.0.1:1/', secret_env: PATH}", ":1:52: webhooks.secret_env: expected MOCKPARTNER_WEBHOOK_SECRET, or a name that begins with it"},
		"another machine":             {"webhooks: {url: 'https://evil.example/', secret: 0123456789abcdef}", "webhooks.url: a scenario sends webhooks to this machine only: if https://evil.example/ is where you want them, add --webhook-url https://evil.example/"},
		"a name that may be anything": {"webhooks: {url: 'http://localhost.evil.example/', secret: 0123456789abcdef}", "add --webhook-url http://localhost.evil.example/"},
		"an absolute path":            {"catalog: " + outside, "catalog: expected a path inside the scenario's folder; use --catalog for any other path"},
		"a path that leads out":       {"catalog: ../catalog.yaml", "catalog: expected a path inside the scenario's folder"},
		"a link that leads out":       {"catalog: link.yaml", "catalog: expected a path inside the scenario's folder"},
		"the environment in jq":       {"faults: [{match: {endpoint: products}, jq: 'import \"secrets\" as $s; .'}]", "expected a jq program"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := scenarioFile(t, c.scenario+"\n")
			check(t, os.Symlink(outside, filepath.Join(filepath.Dir(file), "link.yaml")))
			finish(t, "serve", "--addr", "127.0.0.1:0", "--auth-key", key, "--scenario", file).requireFailure(t, cli.ExitUsage, c.want)
		})
	}
}

func TestAScenarioThatIsReadAgainStillCallsNoOtherMachine(t *testing.T) {
	t.Parallel()
	file := scenarioFile(t, "seed: 7\n")
	s := serve(t, nil, "--auth-key", key, "--scenario", file)
	change(t, file, "webhooks: {url: 'https://evil.example/', secret: 0123456789abcdef}\n")
	await(t, "the refusal", func() bool {
		return strings.Contains(s.errors.String(), "the scenario was not changed: webhooks.url: a scenario sends webhooks to this machine only")
	})
	s.stop(os.Interrupt)
}
