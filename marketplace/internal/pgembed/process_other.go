//go:build unix && !linux

package pgembed

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// worksIn reports whether a live process was started with that folder. Without /proc the command
// line distinguishes a server from another process with the same id.
func worksIn(pid int, folder string) bool {
	output, err := exec.Command("ps", "-o", "stat=,command=", "-p", strconv.Itoa(pid)).Output()
	line := strings.TrimSpace(string(output))
	return err == nil && !strings.HasPrefix(line, "Z") && strings.Contains(line, folder)
}

// hasProcess is unknown here: without /proc a child's folder cannot be read.
func hasProcess(string) bool { return false }

// endWithParent is not supported here: a server outlives a killed service, and the next one ends it.
func endWithParent(*syscall.SysProcAttr) {}
