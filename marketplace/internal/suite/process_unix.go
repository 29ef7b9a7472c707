//go:build unix && !linux

package suite

import (
	"os"
	"os/exec"
	"syscall"
)

func separate(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func yield(process *os.Process) { _ = syscall.Setpriority(syscall.PRIO_PROCESS, process.Pid, 10) }
