package main

import "syscall"

// apart gives a child a group of its own, which a Ctrl-C does not reach. Here it outlives
// a demo that is killed.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
