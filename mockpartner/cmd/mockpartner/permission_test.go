//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is the Unix user without rights, on every system.
const nobody = 65534

func TestAPermissionProblemIsOneLineWithTheSolution(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("", "mockpartner-permission-")
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	file, locked := filepath.Join(folder, "mine.yaml"), filepath.Join(folder, "locked")
	// The binary's folder is let in as well.
	if err := errors.Join(os.Chmod(folder, 0o755), os.Chmod(filepath.Dir(binary()), 0o755),
		os.WriteFile(file, []byte(mine), 0), os.Mkdir(locked, 0o500)); err != nil {
		t.Fatal(err)
	}
	const serve = "serve --addr 127.0.0.1:0 --auth-key " + key
	const unread = "mine.yaml: permission denied; let this user read it, or name another file\n"
	for name, c := range map[string]struct {
		args, want string
		code       int
	}{
		"a catalog of someone else":         {serve + " --catalog " + file, "mockpartner: read the catalog: open " + folder + "/" + unread, 2},
		"a scenario of someone else":        {serve + " --scenario " + file, "mockpartner: read the scenario: open " + folder + "/" + unread, 2},
		"a scenario to be checked":          {"scenario check " + file, "mockpartner: read the scenario: open " + folder + "/" + unread, 2},
		"man pages into someone's folder":   {"man " + locked + "/man", "locked/man: permission denied; name a folder that this user may write to\n", 2},
		"a port that is for administrators": {"serve --addr 127.0.0.1:80 --auth-key " + key, "mockpartner: cannot listen on 127.0.0.1:80: this user may not; --addr takes another address, with a port from 1024 on\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if first, _ := os.ReadFile("/proc/sys/net/ipv4/ip_unprivileged_port_start"); strings.TrimSpace(string(first)) == "0" && c.code == 1 {
				t.Skip("every user may listen on every port here")
			}
			var user syscall.SysProcAttr
			if os.Geteuid() == 0 { // root has all permissions
				user.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
			}
			finishAs(t, &user, strings.Fields(c.args)...).requireFailure(t, c.code, c.want)
		})
	}
}
