//go:build !unix

package conformance

import "os/exec"

func startLimited(command *exec.Cmd) error { return command.Start() }
