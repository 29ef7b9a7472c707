package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
)

func TestTheMockPartnerIsFoundConformant(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	for _, module := range []string{"mockpartner", "conformance"} {
		build := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "./cmd/"+module)
		build.Dir = filepath.Join("../../..", module)
		if output, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", module, err, output)
		}
	}
	var stdout bytes.Buffer
	d := demo{bin: bin, out: t.TempDir(), stdout: &stdout}
	if err := d.run(t.Context()); err != nil {
		log, _ := os.ReadFile(filepath.Join(d.out, "conformance.log"))
		t.Fatalf("%v\n%s\n%s", err, &stdout, log)
	}
	result, err := d.result()
	if err != nil {
		t.Fatal(err)
	}
	if result.Verdict != report.Conformant || result.Summary[report.Passed] < 60 {
		t.Errorf("want conformant with at least 60 rules passed, got %s with %v", result.Verdict, result.Summary)
	}
	if _, err := os.Stat(filepath.Join(d.out, "report.html")); err != nil {
		t.Errorf("want the report that is announced: %v", err)
	}
}

// A stage is a folder of commands that play mockpartner and conformance, so that
// what seldom happens can be seen: the test binary itself under their names.
type stage struct {
	t      *testing.T
	demo   demo
	stdout bytes.Buffer
}

// newStage sets the stage. The parts, by command, are those of play.
func newStage(t *testing.T, parts map[string]string) *stage {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t}
	s.demo = demo{bin: t.TempDir(), out: filepath.Join(t.TempDir(), "report"), stdout: &s.stdout}
	for command, part := range parts {
		if err := os.Symlink(self, filepath.Join(s.demo.bin, command)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.demo.bin, command+".part"), []byte(part), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// wantMockStopped fails the test when the mock partner that was announced still listens.
func (s *stage) wantMockStopped() {
	s.t.Helper()
	log, err := os.ReadFile(filepath.Join(s.demo.out, "mockpartner.log"))
	if err != nil {
		s.t.Fatal(err)
	}
	address := strings.TrimPrefix(string(baseURL.Find(log)), "http://")
	if connection, err := net.Dial("tcp", address); err == nil {
		connection.Close()
		s.t.Errorf("the mock partner still listens on %q", address)
	}
}

func TestMain(m *testing.M) {
	command := os.Args[0]
	if part, err := os.ReadFile(command + ".part"); err == nil {
		os.Exit(play(string(part)))
	}
	os.Exit(m.Run())
}

// play is what a command on the stage does instead of its work.
func play(part string) int {
	switch part {
	case "serves", "hangs":
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 1
		}
		os.Stdout.WriteString("listening on http://" + listener.Addr().String())
		os.Stdout.WriteString("\nGET http://" + listener.Addr().String() + "/products\n")
		_ = http.Serve(listener, http.NotFoundHandler())
		return 1
	case "fails at start":
		os.Stderr.WriteString("no such flag\n")
		return 2
	case "finds a breach":
		return leave(report.Result{
			Verdict: report.Nonconformant,
			Summary: map[report.Outcome]int{report.Passed: 1, report.Failed: 1},
			Rules: []report.RuleResult{
				{ID: "reserve.code", Outcome: report.Passed},
				{ID: "cancel.unknown", Clause: "CAN-4", Outcome: report.Failed, Message: "answered 500"},
			},
		}, 1)
	case "cannot judge":
		return leave(report.Result{Verdict: report.Incomplete, Reason: "nothing bookable"}, 3)
	}
	return 1 // leaves no report
}

func leave(result report.Result, exit int) int {
	text, err := json.Marshal(result)
	if err != nil {
		return 99
	}
	folder := os.Args[len(os.Args)-1] // --report-dir comes last
	if err := os.WriteFile(filepath.Join(folder, "report.json"), text, 0o600); err != nil {
		return 99
	}
	return exit
}

func TestABreachFailsTheDemoAndIsNamed(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"mockpartner": "serves", "conformance": "finds a breach"})
	err := s.demo.run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("want the suite's end as the error, got %v", err)
	}
	for _, want := range []string{"nonconformant: 1 of 2 rules passed, 1 failed", "cancel.unknown (CAN-4): answered 500", "report.html"} {
		if !strings.Contains(s.stdout.String(), want) {
			t.Errorf("want %q in\n%s", want, &s.stdout)
		}
	}
	s.wantMockStopped()
}

func TestAPartnerThatCannotBeJudgedFailsTheDemo(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"mockpartner": "serves", "conformance": "cannot judge"})
	if err := s.demo.run(t.Context()); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("want the suite's end as the error, got %v", err)
	}
	if !strings.Contains(s.stdout.String(), "nothing bookable") {
		t.Errorf("want the reason in\n%s", &s.stdout)
	}
	s.wantMockStopped()
}

func TestAnOldReportDoesNotPassForANewOne(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"mockpartner": "serves", "conformance": "leaves nothing"})
	if err := os.Mkdir(s.demo.out, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.demo.reportFile(), []byte(`{"verdict":"conformant"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.demo.run(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("want an error for the missing report, got %v", err)
	}
	if strings.Contains(s.stdout.String(), "conformant") {
		t.Errorf("want no verdict, got\n%s", &s.stdout)
	}
	s.wantMockStopped()
}

func TestAMockPartnerThatDoesNotStartIsNamedWithItsLog(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"mockpartner": "fails at start"})
	err := s.demo.run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "mockpartner.log") {
		t.Errorf("want an error that names the log, got %v", err)
	}
	if log, _ := os.ReadFile(filepath.Join(s.demo.out, "mockpartner.log")); !strings.Contains(string(log), "no such flag") {
		t.Errorf("want the reason in the log, got %q", log)
	}
}

func TestCommandsThatAreNotBuiltAreNamed(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	if err := s.demo.run(t.Context()); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "mockpartner") {
		t.Errorf("want an error that names mockpartner, got %v", err)
	}
}

func TestAnInterruptedDemoStopsBothCommands(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"mockpartner": "serves", "conformance": "hangs"})
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.demo.run(ctx) }()
	for log := filepath.Join(s.demo.out, "conformance.log"); ; {
		if text, _ := os.ReadFile(log); len(text) > 0 || len(ended) > 0 {
			break
		}
	}
	interrupt()
	if err := <-ended; err == nil || err.Error() != "interrupted" {
		t.Errorf("want an interruption, got %v", err)
	}
	s.wantMockStopped()
}

func TestAnAddressIsReadOnceItsLineIsWhole(t *testing.T) {
	t.Parallel()
	address := &addressReader{found: make(chan string, 1)}
	for _, piece := range []string{"started\nlistening on http://127.0.0.1:80", "81 (loopback)", "\n", "http://127.0.0.1:9/products\n"} {
		if _, err := address.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-address.found; got != "http://127.0.0.1:8081" {
		t.Errorf("want the whole port of the first address, got %s", got)
	}
}
