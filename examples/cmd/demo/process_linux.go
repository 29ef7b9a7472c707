package main

import "syscall"

// apart gives a child its own process group, which Ctrl-C does not reach. The child ends with the
// thread that started it, so that even a killed demo leaves no service running.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
