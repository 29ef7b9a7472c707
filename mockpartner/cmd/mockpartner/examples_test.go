package main

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/tooltest"
)

// secret stands where the examples leave something out.
var secret = strings.Repeat("ab", 32)

// The examples of the README and of --help are tried in their order, in a shell,
// with a mock that runs, and with the files that they name.
func TestEveryExampleWorks(t *testing.T) {
	t.Parallel()
	tooltest.Require(t, tooltest.Curl)
	marketplace := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"success":1,"data":{"synced":8,"skipped":false}}`))
	}))
	t.Cleanup(marketplace.Close)
	mock := serve(t, []string{"MOCKPARTNER_WEBHOOK_SECRET=" + secret}, "--auth-key", "a-test-key", "--seed", "7", "--webhook-url", marketplace.URL)
	folder := exampleFolder(t)
	lines := examples(t)
	if len(lines) < 35 {
		t.Fatalf("want the examples found, got %q", lines)
	}
	known := map[string]bool{} // --help repeats lines of the README
	for _, line := range lines {
		tried := strings.NewReplacer("go run ./cmd/mockpartner", "mockpartner", "http://127.0.0.1:8081", mock.base, "127.0.0.1:8081", strings.TrimPrefix(mock.base, "http://"), "…", secret).Replace(line)
		tried, _, _ = strings.Cut(tried, " #")
		tried = strings.TrimSpace(tried)
		if known[tried] {
			continue
		}
		known[tried] = true
		if strings.Contains(tried, "mockpartner verdict") {
			tried += " || test $? = 1" // curl's calls are not those of a marketplace that keeps the contract
		}
		if strings.Contains(tried, "mockpartner serve") {
			serves(t, folder, line, tried)
		} else {
			succeeds(t, folder, line, tried)
		}
	}
}

// examples are the lines that people will copy. Those of the bench are tried by it.
func examples(t *testing.T) (lines []string) {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	check(t, err)
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(readme), -1) {
		lines = append(lines, joinLines(block[1])...)
	}
	var of func(*cobra.Command)
	of = func(c *cobra.Command) {
		lines = append(lines, joinLines(c.Example)...)
		for _, sub := range c.Commands() {
			of(sub)
		}
	}
	of(newRoot())
	return slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "go test ") })
}

// joinLines returns the lines of a text, with those that go on in the next one joined.
func joinLines(text string) (lines []string) {
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// exampleFolder holds the files that examples name.
func exampleFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	sold, err := os.ReadFile("../../catalog/default.yaml")
	check(t, err)
	check(t, os.MkdirAll(filepath.Join(folder, "catalog"), 0o755))
	for name, text := range map[string]string{
		"catalog/default.yaml": string(sold),
		"my-catalog.yaml":      string(sold),
		"my-scenario.yaml":     "seed: 7\nfaults: [{match: {endpoint: cancel}, status: 503}]\n",
		"my-product.yaml": `{id: lisbon-walk, internalName: Walk, locale: en, timeZone: Europe/Lisbon, instantConfirmation: true,
options: [{id: small-group, internalName: Daily, availabilityType: START_TIME, units: [{id: unit-adult, internalName: Adult, type: ADULT, pricingFrom: [{original: 1000, currency: EUR}]}]}],
schedules: {small-group: {starts: ["09:00"], duration: 1h, capacity: {min: 5, max: 5}}}}`,
	} {
		check(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	return folder
}

// shell runs a line of an example. The calls in it fail where the mock refuses.
func shell(ctx context.Context, folder, line string) *exec.Cmd {
	command := exec.CommandContext(ctx, "sh", "-c", `curl() { command curl -sS --fail-with-body "$@"; }; `+line)
	command.Dir = folder
	command.Env = append(os.Environ(), "PATH="+filepath.Dir(binary())+":"+os.Getenv("PATH"), "MOCKPARTNER_AUTH_KEY=a-test-key", "MOCKPARTNER_CONTROL_TOKEN=a-control-token")
	return command
}

func succeeds(t *testing.T, folder, line, tried string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if output, err := shell(ctx, folder, tried).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", line, err, output)
	}
}

// serves starts a mock, on a free port, and interrupts it once it is up.
func serves(t *testing.T, folder, line, tried string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// In the shell's place, so that it is the mock that is interrupted.
	tried = strings.Replace(tried, "mockpartner serve", "exec mockpartner serve", 1) + " --addr 127.0.0.1:0"
	for name := range strings.FieldsSeq(tried) { // NAME=value goes before exec
		if !strings.Contains(name, "=") {
			break
		}
		tried = strings.Replace(tried, name, "export "+name+";", 1)
	}
	command := shell(ctx, folder, tried)
	output, err := command.StdoutPipe()
	check(t, err)
	check(t, command.Start())
	reader := bufio.NewReader(output)
	if first, _ := reader.ReadString('\n'); !listening.MatchString(first) {
		t.Errorf("%s: want it to listen, got %q", line, first)
	}
	_ = command.Process.Signal(syscall.SIGINT)
	_, _ = reader.WriteTo(&strings.Builder{})
	if err := command.Wait(); err != nil {
		t.Errorf("%s: %v", line, err)
	}
}
