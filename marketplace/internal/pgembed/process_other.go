//go:build unix && !linux

package pgembed

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// livesIn reports whether a process is alive and was started on that folder. Without
// /proc the command line tells a server from another process with the same id.
func livesIn(pid int, folder string) bool {
	said, err := exec.Command("ps", "-o", "stat=,command=", "-p", strconv.Itoa(pid)).Output()
	line := strings.TrimSpace(string(said))
	return err == nil && !strings.HasPrefix(line, "Z") && strings.Contains(line, folder)
}

// inhabited cannot tell here: without /proc a child of the server's has no folder.
func inhabited(string) bool { return false }

// endWithUs cannot be had here: a server outlives a service that is killed, and the
// next one ends it.
func endWithUs(*syscall.SysProcAttr) {}
