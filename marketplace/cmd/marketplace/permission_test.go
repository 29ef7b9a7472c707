//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// unprivileged is the id of a user without privileges on every system.
const unprivileged = 65534

func TestAPermissionProblemIsOneLineWithTheSolution(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("", "marketplace-permission-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	locked, binary := filepath.Join(folder, "locked"), filepath.Join(folder, "marketplace")
	must(t, errors.Join(os.Chmod(folder, 0o755), os.Mkdir(locked, 0o500), copyBinary(binary)))
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a data folder of someone else":     {[]string{"serve", "--addr", "127.0.0.1:0", "--data-dir", locked}, "--data-dir: " + locked + "/secret-key: permission denied; name a folder that this user may write to"},
		"a data folder below someone's":     {[]string{"migrate", "--data-dir", filepath.Join(locked, "data")}, "--data-dir: " + locked + "/data: permission denied; name a folder that this user may write to"},
		"a port that is for administrators": {[]string{"serve", "--addr", "127.0.0.1:80", "--data-dir", t.TempDir()}, "--addr 127.0.0.1:80: this user may not use this port; choose one from 1024 up"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if first, _ := os.ReadFile("/proc/sys/net/ipv4/ip_unprivileged_port_start"); strings.TrimSpace(string(first)) == "0" && strings.Contains(c.want, "--addr") {
				t.Skip("every user may listen on every port here")
			}
			process := command(t, nil, c.args...)
			process.Path = binary
			if os.Geteuid() == 0 { // root has every permission
				process.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
			}
			runProcess(t, process, "").fails(t, c.want)
		})
	}
}

// copyBinary copies this test's binary to a place where every user can run it.
func copyBinary(to string) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	from, err := os.Open(own)
	if err != nil {
		return err
	}
	defer from.Close()
	file, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	return errors.Join(err, file.Close())
}
