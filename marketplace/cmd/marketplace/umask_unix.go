//go:build unix

package main

import "syscall"

// ownFiles makes new files readable for their owner only, whatever the process that starts the
// service has set. Folders can be passed, because PostgreSQL's user must reach its own.
func ownFiles() { syscall.Umask(0o066) }
