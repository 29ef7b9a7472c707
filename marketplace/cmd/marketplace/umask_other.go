//go:build !unix

package main

// ownFiles does nothing: this system has no umask.
func ownFiles() {}
