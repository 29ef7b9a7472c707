package suite

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// separate starts a process in its own group, so that signals to the service's group do not reach
// it. The process receives a signal when the service crashes.
func separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
}

// yield lowers the process's priority below the service's, and limits its data. A failure does not
// matter.
func yield(process *os.Process) {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, process.Pid, 10)
	_ = unix.Prlimit(process.Pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: mostData, Max: mostData}, nil)
}
