//go:build unix

package pgembed

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// npmRegistry returns the address of the registry that npm is configured with. Without npm, it reads
// npm's variable, the file .npmrc in the working directory, and the user's.
func npmRegistry(ctx context.Context) (string, error) {
	if npm, err := exec.LookPath("npm"); err == nil {
		if output, err := exec.CommandContext(ctx, npm, "config", "get", "registry").Output(); err == nil {
			return strings.TrimSpace(string(output)), nil
		}
	}
	if given := npmSetting("registry"); given != "" {
		return given, nil
	}
	home, _ := os.UserHomeDir() // without one, it has no file
	for _, file := range []string{".npmrc", cmp.Or(npmSetting("userconfig"), filepath.Join(home, ".npmrc"))} {
		text, _ := os.ReadFile(file) // it may not exist
		if lines := registryLine.FindAllSubmatch(text, -1); lines != nil {
			return os.ExpandEnv(string(lines[len(lines)-1][1])), nil
		}
	}
	return "", errors.New("npm is not installed, and npm_config_registry is not set")
}

var registryLine = regexp.MustCompile(`(?m)^\s*registry\s*=\s*"?([^"\s]+)`)

// npmSetting returns one of npm's settings that is given as a variable.
func npmSetting(name string) string {
	variable := "npm_config_" + name
	return cmp.Or(os.Getenv(variable), os.Getenv(strings.ToUpper(variable)))
}
