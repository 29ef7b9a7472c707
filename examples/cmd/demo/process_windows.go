package main

import "syscall"

// apart gives a child its own process group, which Ctrl-C does not reach. On this system the child
// outlives a killed demo.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
