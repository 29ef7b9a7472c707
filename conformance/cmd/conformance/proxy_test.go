package main_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/bombtest"
	"partnerkit.dev/mockpartner"
)

// proxying is a proxy that runs as a process.
type proxying struct {
	address, admin string
	dir            string
	command        *exec.Cmd
	out            bytes.Buffer // all that it printed
	read           chan struct{}
	wait           func() (int64, error)
	memory         int64 // the most that it had, in bytes; known once it has ended
}

// startProxy starts a proxy for a partner, with free ports.
func startProxy(t *testing.T, upstream string, args ...string) *proxying {
	t.Helper()
	p := &proxying{dir: t.TempDir(), read: make(chan struct{})}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	p.command = exec.CommandContext(ctx, command(), append([]string{
		"proxy", "--upstream", upstream, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--report-dir", p.dir,
	}, args...)...)
	output, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.command.Stderr = p.command.Stdout
	p.command.Env = append(os.Environ(), "GOGC=100") // make test sets another
	if p.wait, err = bombtest.Watch(p.command); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.command.Process.Kill() }) // it may have ended
	lines, addresses := bufio.NewReader(output), regexp.MustCompile(`(?:from|at) (https?://[^/ ]+)`)
	for _, into := range []*string{&p.address, &p.admin} {
		line, err := lines.ReadString('\n')
		found := addresses.FindStringSubmatch(line)
		if err != nil || found == nil {
			t.Fatalf("Expected an address, received %q, %v", line, err)
		}
		*into = found[1]
		p.out.WriteString(line)
	}
	go func() {
		defer close(p.read)
		_, _ = p.out.ReadFrom(lines)
	}()
	return p
}

// stop ends the proxy as an operator does, and returns its exit code and its report.
func (p *proxying) stop(t *testing.T) (int, *report.Result) {
	t.Helper()
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-p.read
	p.memory, _ = p.wait() // its exit code says the rest
	return p.command.ProcessState.ExitCode(), readReport(t, p.dir)
}

func outcomesOf(result *report.Result) map[string]report.Outcome {
	all := map[string]report.Outcome{}
	for _, r := range result.Rules {
		all[r.ID] = r.Outcome
	}
	return all
}

func TestARunThroughTheProxyFindsWhatARunWithoutItFinds(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]mockpartner.Options{
		"three defects":                     {Defects: []string{"second-confirm-books-again", "release-gives-nothing-back", "hold-expiry-without-offset"}},
		"chunked, packed and awkward codes": {Variants: []string{"chunked-and-packed", "awkward-codes"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options.Catalog, options.Now = oneProduct(), time.Date(2026, 6, 1, 10, 0, 0, 0, time.UTC)
			_, direct := startMock(t, options)
			without := judge(t, direct, ofMock(direct)...)
			_, behind := startMock(t, options)
			recording := filepath.Join(t.TempDir(), "calls.jsonl.gz")
			p := startProxy(t, behind, "--record", recording, "--handles-ticket-delivery")
			with := judge(t, p.address, "--handles-ticket-delivery", "--clock-url", behind+"/_mock/clock")
			if with.code != without.code {
				t.Errorf("Expected exit %d, received %d", without.code, with.code)
			}
			want := outcomesOf(without.result)
			// A quick run that has found broken rules ends at a bound, at another rule each time.
			isFinding := func(o report.Outcome) bool { return o == report.Failed || len(options.Defects) == 0 }
			for id, outcome := range outcomesOf(with.result) {
				if outcome != want[id] && (isFinding(outcome) || isFinding(want[id])) {
					one, other := without.rule(t, id), with.rule(t, id)
					t.Errorf("%s: expected %s as without the proxy (%s), received %s (%s)", id, want[id], one.Message, outcome, other.Message)
				}
			}
			code, live := p.stop(t)
			if live == nil {
				t.Fatalf("Expected a report, received exit %d\n%s", code, &p.out)
			}
			if live.Coverage.CallsNotJudged != 0 || live.Coverage.Calls == 0 {
				t.Errorf("Expected every call judged, received %+v", live.Coverage)
			}
			dir := t.TempDir()
			recorded := start(t, nil, "judge", recording, "--report-dir", dir, "--handles-ticket-delivery").wait(t)
			if recorded.code != code {
				t.Errorf("Expected exit %d of the recording too, received %d\n%s", code, recorded.code, recorded.stderr)
			}
			want = outcomesOf(live)
			for id, outcome := range outcomesOf(readReport(t, dir)) {
				if outcome != want[id] {
					t.Errorf("%s: expected %s of the recording, as live, received %s", id, want[id], outcome)
				}
			}
		})
	}
}

func TestTheProxySaysWhatFailsWhileItRuns(t *testing.T) {
	t.Parallel()
	_, url := startMock(t, mockpartner.Options{Defects: []string{"hold-expiry-without-offset"}})
	p := startProxy(t, url)
	judge(t, p.address, "--rule", rule.ReserveExpiresAt.ID)
	finding := fmt.Sprintf(`conformance_proxy_finding{endpoint="reserve",level="MUST",rule=%q} 1`, rule.ReserveExpiresAt.ID)
	late := time.After(patience)
	for metrics := ""; !strings.Contains(metrics, finding); metrics = page(t, p.admin+"/metrics") {
		select {
		case <-late:
			t.Fatalf("Expected the finding in the metrics, received\n%s", metrics)
		case <-time.After(20 * time.Millisecond):
		}
	}
	if shown := page(t, p.admin+"/"); !strings.Contains(shown, rule.ReserveExpiresAt.ID) || !strings.Contains(shown, "Not conformant") {
		t.Errorf("Expected the finding on the page, received\n%s", shown)
	}
	code, result := p.stop(t)
	if code != 1 || result.Verdict != report.Nonconformant || !strings.Contains(p.out.String(), "FAILED "+rule.ReserveExpiresAt.ID) {
		t.Errorf("Expected exit 1 and the finding, received %d\n%s", code, &p.out)
	}
}

func TestAProxyThatNoCallPassedIsIncomplete(t *testing.T) {
	t.Parallel()
	_, url := startMock(t, mockpartner.Options{})
	p := startProxy(t, url)
	code, result := p.stop(t)
	if code != 3 || result == nil || result.Verdict != report.Incomplete {
		t.Errorf("Expected exit 3 and an incomplete report, received %d\n%s", code, &p.out)
	}
}

// page is what an address shows.
func page(t *testing.T, address string) string {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("Expected 200 from %s, received %d, %v", address, answer.StatusCode, err)
	}
	return text.String()
}
