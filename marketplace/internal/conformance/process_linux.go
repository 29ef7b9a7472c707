package conformance

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// lower is how much lower the priority of a process is than the service's. The lowest is 19.
	lower = 10
	// mostData is the limit of a process's data that the system enforces, in bytes.
	mostData = 1 << 30
)

// startLimited starts a process in its own group, so that signals to the service's group do not reach it.
// The process receives a signal when the service crashes. It has a lower priority than the service,
// and its data is limited; a failure of these does not matter. The calling thread must end with
// its goroutine.
func startLimited(command *exec.Cmd) error {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
	// Each thread has a priority of its own and inherits it. Set later, it would reach only one of
	// the threads that the process has by then.
	if priority, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, min(20-priority+lower, 19)) // Linux returns 20 less the priority
	}
	if err := command.Start(); err != nil {
		return err
	}
	_ = unix.Prlimit(command.Process.Pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: mostData, Max: mostData}, nil)
	return nil
}
