// Command linked runs the Go tools for go test -toolexec, and keeps what the linker makes.
//
// Go links the tests of every package at each run, even if nothing has changed, and no test result of another
// run is used. Therefore the program of each package's tests is kept beside this command, with the build id that
// it was linked for. Go computes that id from everything that goes into a program.
package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	own, err := os.Executable()
	if err == nil {
		err = run(filepath.Join(filepath.Dir(own), "linked-tests"), os.Getenv("TOOLEXEC_IMPORTPATH"), os.Args[1:])
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) { // the tool has said why
		os.Exit(exit.ExitCode())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "linked:", err)
		os.Exit(1)
	}
}

// run runs a tool, or takes what it would make from the folder.
func run(folder, program string, command []string) error {
	id, output := "", ""
	for i, argument := range command {
		if value, ok := strings.CutPrefix(argument, "-buildid="); ok {
			id = value
		}
		if argument == "-o" && i+1 < len(command) {
			output = command[i+1]
		}
	}
	if id == "" || output == "" || strings.TrimSuffix(filepath.Base(command[0]), ".exe") != "link" {
		return start(command)
	}
	kept := filepath.Join(folder, fmt.Sprintf("%x", sha256.Sum256([]byte(program))))
	file := fmt.Sprintf("%s-%x", kept, sha256.Sum256([]byte(id)))
	if copyFile(file, output) == nil {
		return nil
	}
	if err := start(command); err != nil {
		return err
	}
	old, _ := filepath.Glob(kept + "*") // the pattern has no fault
	for _, one := range old {
		_ = os.Remove(one) // another run has removed it
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return copyFile(output, file)
}

func start(command []string) error {
	tool := exec.Command(command[0], command[1:]...)
	tool.Stdin, tool.Stdout, tool.Stderr = os.Stdin, os.Stdout, os.Stderr
	return tool.Run()
}

// copyFile copies a program. Others see it whole, or not at all.
func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	part, err := os.CreateTemp(filepath.Dir(to), "part-")
	if err != nil {
		return err
	}
	_, err = io.Copy(part, source)
	if err = errors.Join(err, part.Chmod(0o755), part.Close()); err == nil {
		err = os.Rename(part.Name(), to)
	}
	if err != nil {
		_ = os.Remove(part.Name())
	}
	return err
}
