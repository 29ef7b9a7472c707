package main

import "syscall"

// ownProcessGroup gives a child its own process group, which Ctrl-C does not reach. The child ends with the
// thread that started it, so that even a killed demo leaves no service running.
func ownProcessGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
