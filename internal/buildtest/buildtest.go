// Package buildtest gives tests the workspace's build folder, the project's commands, and scripts. It is
// only for tests.
package buildtest

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"partnerkit.dev/internal/sourcetest"
)

// Folder creates the workspace's build folder, and returns its path.
func Folder() (string, error) {
	build, err := filepath.Abs(filepath.Join(sourcetest.Root(), "build"))
	if err == nil {
		err = os.MkdirAll(build, 0o755)
	}
	return build, err
}

// Install builds the commands of these packages, and copies them into a folder. They are built in
// the build folder and stay there, because Go links a command that is still up to date only once.
func Install(folder string, packages ...string) error {
	var names []string
	for _, one := range packages {
		names = append(names, path.Base(one))
	}
	return install(folder, names, append([]string{"build"}, packages...))
}

// InstallTest is Install for the test of a package. Its program is named after the package, and ends with .test.
func InstallTest(folder, name string) error {
	return install(folder, []string{path.Base(name) + ".test"}, []string{"test", "-c", "-vet=off", name})
}

// install runs a command of go that builds the programs with these names.
func install(folder string, names, build []string) (err error) {
	workspace, err := Folder()
	if err != nil {
		return err
	}
	kept := filepath.Join(workspace, "test") + string(filepath.Separator)
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return err
	}
	lock := flock.New(kept + "lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	command := exec.Command("go", slices.Insert(slices.Clone(build), 1, "-o", kept)...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w: %s", build[0], err, output)
	}
	for _, name := range names {
		text, err := os.ReadFile(kept + name)
		if err == nil {
			err = dependOn(text)
		}
		if err == nil {
			err = createExecutable(filepath.Join(folder, name), text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dependOn makes the results of the package's tests depend on the project's modules that a program was built from.
func dependOn(program []byte) error {
	built, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return err
	}
	for _, module := range append(built.Deps, &built.Main) {
		if folder, ours := strings.CutPrefix(module.Path, "partnerkit.dev/"); ours {
			sourcetest.Depend(folder)
		}
	}
	return nil
}
