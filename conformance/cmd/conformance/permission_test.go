//go:build unix

package main_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// unprivileged is the id of a user without rights on every system.
const unprivileged = 65534

func TestAPermissionProblemIsOneLineWithTheSolution(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("", "conformance-permission-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	file, locked, open := filepath.Join(folder, "file"), filepath.Join(folder, "locked"), filepath.Join(folder, "open")
	// The binary's folder is let in as well.
	if err := errors.Join(os.Chmod(folder, 0o755), os.Chmod(filepath.Dir(command()), 0o755),
		os.WriteFile(file, []byte("file"), 0), os.Mkdir(locked, 0o500), os.Mkdir(open, 0o700), os.Chmod(open, 0o777)); err != nil {
		t.Fatal(err)
	}
	partner := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("want no request of a run that cannot begin, got %s %s", r.Method, r.URL)
	})
	run := "run --base-url " + partner + " --report-dir " + open
	const unread = " cannot be read: permission denied: let this user read it, or name another file"
	for name, c := range map[string]struct{ args, want string }{
		"settings of someone else":         {run + " --config " + file, file + unread},
		"a baseline of someone else":       {run + " --baseline " + file, file + unread},
		"certificates of someone else":     {run + " --ca-file " + file, "--ca-file " + file + " cannot be read (permission denied): give a PEM file"},
		"a ledger of someone else":         {run + " --ledger " + file, "the ledger " + file + ": permission denied: name another file with --ledger"},
		"a ledger in someone's folder":     {run + " --ledger " + locked + "/l", "the ledger " + locked + "/l: permission denied: name another file with --ledger"},
		"reports into someone's folder":    {run + " --report-dir " + locked, "--report-dir " + locked + " cannot be written (permission denied): name another folder"},
		"reports below someone's folder":   {run + " --report-dir " + locked + "/r", "--report-dir " + locked + "/r cannot be written (permission denied): name another folder"},
		"a selftest into someone's folder": {"selftest --report-dir " + locked, "--report-dir " + locked + " cannot be written (permission denied): name another folder"},
		"a clean-up of someone else's run": {"cleanup " + file, "the ledger " + file + ": permission denied: clean up as the user who ran the suite"},
		"a report of someone else":         {"verify " + file, file + " cannot be read: permission denied: let this user read it"},
		"a comparison with someone's":      {"diff " + file + " " + file, file + " cannot be read: permission denied: let this user read it"},
		"man pages into someone's folder":  {"man " + locked + "/man", "locked/man: permission denied; name a folder that this user may write to"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			run := exec.CommandContext(ctx, command(), strings.Fields(c.args)...)
			run.Env = append(os.Environ(), withKey()...)
			if os.Geteuid() == 0 { // root has all permissions
				run.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
			}
			var stdout, stderr bytes.Buffer
			run.Stdout, run.Stderr = &stdout, &stderr
			if err := run.Run(); run.ProcessState == nil {
				t.Fatal(err)
			}
			if code := run.ProcessState.ExitCode(); code != 2 || stdout.Len() > 0 {
				t.Errorf("want exit 2 and nothing on the standard output, got %d: %s", code, &stdout)
			}
			if message := stderr.String(); strings.Count(message, "\n") != 1 || !strings.HasPrefix(message, "conformance: ") || !strings.Contains(message, c.want) {
				t.Errorf("want the one line %q, got %q", c.want, message)
			}
		})
	}
}
