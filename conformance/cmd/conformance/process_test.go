package main_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	main "partnerkit.dev/conformance/cmd/conformance"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/internal/bombtest"
)

// process is a run of the command that is in progress.
type process struct {
	ran
	command *exec.Cmd
	memory  int64      // the most that it had, in bytes; known once it has ended
	ended   chan error // nil, or what came instead of an end
	began   time.Time
}

// runPiped runs the command and hands its output, and its process, to read.
func runPiped(t *testing.T, url string, read func(io.ReadCloser, *os.Process), args ...string) ran {
	t.Helper()
	free <- struct{}{}
	defer func() { <-free }()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r := ran{dir: filepath.Join(t.TempDir(), "reports")}
	run := exec.CommandContext(ctx, command(), append([]string{"run", "--report-dir", r.dir, "--depth", "quick", "--limit-scale", "20", "--max-duration", "1h", "--base-url", url, "--reports", "report.json"}, args...)...)
	run.Env = append(os.Environ(), withKey()...)
	output, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	read(output, run.Process)
	if err := run.Wait(); err != nil && run.ProcessState == nil {
		t.Fatal(err)
	}
	r.code, r.result = run.ProcessState.ExitCode(), readReport(t, r.dir)
	return r
}

// start runs the command in this process, with that environment.
func start(t *testing.T, environment []string, args ...string) *process {
	t.Helper()
	free <- struct{}{}
	p := newProcess(t)
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	go func() {
		var stdout, stderr bytes.Buffer
		p.code = main.Execute(ctx, p.inItsFolder(args), environment, strings.NewReader(""), &stdout, &stderr)
		p.took, p.stdout, p.stderr = time.Since(p.began), stdout.String(), stderr.String()
		<-free
		p.ended <- nil
	}()
	return p
}

func newProcess(t *testing.T) *process {
	t.Helper()
	return &process{ran: ran{dir: filepath.Join(t.TempDir(), "reports")}, ended: make(chan error, 1), began: time.Now()}
}

// inItsFolder adds to the arguments of a run the folder of its reports and the depth of these tests. The
// contract's limits are raised, and the run has an hour, however slow the machine is.
func (p *process) inItsFolder(args []string) []string {
	if len(args) == 0 || args[0] != "run" {
		return args
	}
	return slices.Concat([]string{"run", "--report-dir", p.dir, "--depth", "quick", "--limit-scale", "20", "--max-duration", "1h"}, args[1:])
}

// startProcess is start in a process of its own, for tests of signals, memory and the working
// directory. Its environment stands on top of this process's own, which never holds a key.
func startProcess(t *testing.T, environment []string, args ...string) *process {
	t.Helper()
	return startIn(t, "", environment, args...)
}

// startIn is startProcess in a working directory; a run writes its reports where its settings say.
func startIn(t *testing.T, folder string, environment []string, args ...string) *process {
	t.Helper()
	free <- struct{}{}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	p := newProcess(t)
	if folder == "" {
		args = p.inItsFolder(args)
	}
	p.command = exec.CommandContext(ctx, command(), args...)
	p.command.Dir = folder
	p.command.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, probe.KeyVariable+"=")
	}), append(environment, "GOGC=100")...) // make test sets another
	var stdout, stderr bytes.Buffer
	p.command.Stdout, p.command.Stderr = &stdout, &stderr
	wait, err := bombtest.Watch(p.command)
	if err != nil {
		<-free
		t.Fatalf("run %q: %v", args, err)
	}
	go func() {
		var err error
		p.memory, err = wait()
		if ctx.Err() != nil {
			err = errors.New("no end within " + patience.String())
		} else if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			err = nil
		}
		p.took = time.Since(p.began)
		p.code, p.stdout, p.stderr = p.command.ProcessState.ExitCode(), stdout.String(), stderr.String()
		<-free
		p.ended <- err
	}()
	return p
}

// withKey is the environment of a run with the key of these tests.
func withKey() []string { return []string{probe.KeyVariable + "=" + key} }

// wait waits for the end of the run.
func (p *process) wait(t *testing.T) ran {
	t.Helper()
	if err := <-p.ended; err != nil {
		t.Fatalf("run: %v\n%s%s", err, p.stdout, p.stderr)
	}
	if strings.Contains(p.stderr, "panic") || strings.Contains(p.stdout, "panic") {
		t.Errorf("want no panic\n%s%s", p.stdout, p.stderr)
	}
	p.result = readReport(t, p.dir)
	return p.ran
}

// files returns what the run wrote, by name.
func (r ran) files(t *testing.T) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(r.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(r.dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(text)
	}
	return files
}

// soakRuns is the variable that asks for the long form of the tests that have one,
// and says how often each partner of a soak is judged; see make soak.
const soakRuns = "SOAK"

// shortStep is how many entries of a long table come to one that is tried without a
// soak. Those of a table with rows and columns lie on diagonals, which leave no row
// and no column out.
const shortStep = 4

// isTried reports whether an entry of a long table is tried: all are in a soak.
func isTried(entry int) bool { return os.Getenv(soakRuns) != "" || entry%shortStep == 0 }
