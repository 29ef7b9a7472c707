package certification

import (
	"os"
	"os/exec"
	"syscall"
)

// separate gives a process a group of its own, so that a signal to the service's group is
// not one to it, and sends it a signal when the service dies.
func separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
}

// yield has the service's own work come first. It is a request to the system: the process runs either way.
func yield(process *os.Process) { _ = syscall.Setpriority(syscall.PRIO_PROCESS, process.Pid, 10) }
