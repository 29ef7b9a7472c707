// Package buildtest gives tests the workspace's build folder, the project's commands, and scripts. It is
// only for tests.
package buildtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// Folder creates the workspace's build folder, and returns its path.
func Folder() (string, error) {
	workspace, err := exec.Command("go", "env", "GOWORK").Output()
	build, _ := filepath.Abs(filepath.Join(filepath.Dir(strings.TrimSpace(string(workspace))), "build")) // "off" is this folder
	if err == nil {
		err = os.MkdirAll(build, 0o755)
	}
	return build, err
}

// Install builds the commands of these packages, and copies them into a folder. They are built in
// the build folder and stay there, because Go links a command that is still up to date only once.
func Install(folder string, packages ...string) (err error) {
	build, err := Folder()
	if err != nil {
		return err
	}
	kept := filepath.Join(build, "test") + string(filepath.Separator)
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return err
	}
	lock := flock.New(kept + "lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	command := exec.Command("go", append([]string{"build", "-o", kept}, packages...)...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, output)
	}
	for _, built := range packages {
		text, err := os.ReadFile(kept + path.Base(built))
		if err == nil {
			err = createExecutable(filepath.Join(folder, path.Base(built)), text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
