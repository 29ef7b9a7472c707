//go:build !unix

package suite

import "os/exec"

func start(command *exec.Cmd) error { return command.Start() }
