//go:build !linux

package main

import "syscall"

// endWithUs cannot be had here: services outlive a demo that is killed.
func endWithUs(*syscall.SysProcAttr) {}
