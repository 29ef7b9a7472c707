package main

import "syscall"

// apart gives a child a group of its own, which a Ctrl-C does not reach, and has it end
// when the thread that started it does, so that even a demo that is killed leaves no
// service behind.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
