package main

import "syscall"

// endWithUs has a child end when the thread that started it does, so that even a demo
// that is killed leaves no service behind.
func endWithUs(child *syscall.SysProcAttr) { child.Pdeathsig = syscall.SIGTERM }
