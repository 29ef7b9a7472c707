//go:build unix && !linux

package main

import "syscall"

// ownProcessGroup gives a child its own process group, which Ctrl-C does not reach. On this system the child
// outlives a killed demo.
func ownProcessGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
