//go:build unix && !linux

package conformance

import (
	"os/exec"
	"syscall"
)

// startLimited starts a process in its own group, with a low priority, whose failure does not matter.
func startLimited(command *exec.Cmd) error {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return err
	}
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, command.Process.Pid, 10)
	return nil
}
