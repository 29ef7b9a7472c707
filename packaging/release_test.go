package packaging

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// version is what `make ship-test` builds.
const version = "0.0.0-test"

// patience is the timeout of a command, and of a service's start and stop.
const patience = 10 * time.Minute

// releaseFile returns the absolute path of a file of the release.
func releaseFile(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs("../build/release/" + name)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("run make ship-test, which builds the release: %v", err)
	}
	return path
}

// run runs a command that must succeed, and returns its output.
func run(t *testing.T, environment []string, name string, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, name, arguments...)
	command.Env = append(os.Environ(), environment...)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(arguments, " "), err, output)
	}
	return string(output)
}

// freePort returns a port that was free a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	check(t, err)
	return port
}

// serve starts a service, waits until an address answers 200, and returns how long that took. The
// service must stop when the test ends.
func serve(t *testing.T, address string, command *exec.Cmd) time.Duration {
	t.Helper()
	var log bytes.Buffer
	command.Stdout, command.Stderr = &log, &log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	started := time.Now()
	check(t, command.Start())
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	stop := func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(patience):
			_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
			t.Errorf("%s does not stop", command)
		}
	}
	deadline := time.Now().Add(patience)
	for {
		if answer, err := http.Get(address); err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				took := time.Since(started)
				t.Cleanup(stop)
				return took
			}
		}
		select {
		case err := <-ended:
			t.Fatalf("%s ended: %v\n%s", command, err, log.String())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			stop()
			t.Fatalf("%s does not answer\n%s", command, log.String())
		}
	}
}

func TestRelease_ChecksumsNameEveryFile(t *testing.T) {
	t.Parallel()
	sums := releaseFile(t, "checksums.txt")
	verify := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", "--quiet", "checksums.txt")
	verify.Dir = filepath.Dir(sums)
	if output, err := verify.CombinedOutput(); err != nil {
		t.Fatalf("sha256sum: %v\n%s", err, output)
	}
	text, err := os.ReadFile(sums)
	check(t, err)
	files, err := os.ReadDir(filepath.Dir(sums))
	check(t, err)
	for _, file := range files {
		info, err := file.Info()
		check(t, err)
		t.Logf("%-60s %6.1f MB", file.Name(), float64(info.Size())/1e6)
		if name := file.Name(); name != "checksums.txt" && !strings.Contains(string(text), "  "+name+"\n") {
			t.Errorf("expected a checksum of %s", name)
		}
	}
}

func TestRelease_ArchiveHasEverythingAndRuns(t *testing.T) {
	t.Parallel()
	folder, name := t.TempDir(), "partnerkit_"+version+"_linux_amd64"
	run(t, nil, "tar", "--extract", "--gzip", "--file", releaseFile(t, name+".tar.gz"), "--directory", folder)
	commit := strings.TrimSpace(run(t, nil, "git", "-c", "safe.directory=*", "rev-parse", "HEAD"))
	for _, command := range []string{"conformance", "marketplace", "mockpartner", "octobridge"} {
		if got, want := run(t, nil, filepath.Join(folder, name, command), "--version"), fmt.Sprintf("%s v%s, commit %s, go", command, version, commit); !strings.HasPrefix(got, want) {
			t.Errorf("expected %q, received %q", want, got)
		}
		for _, file := range []string{"man/" + command + ".1", "completions/" + command + ".bash", "sbom/" + command + ".cdx.json"} {
			if _, err := os.Stat(filepath.Join(folder, name, file)); err != nil {
				t.Error(err)
			}
		}
	}
	for _, file := range []string{"LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "licenses/github.com/jackc/pgx/v5/LICENSE"} {
		if _, err := os.Stat(filepath.Join(folder, name, file)); err != nil {
			t.Error(err)
		}
	}
}

// check ends the test on an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
