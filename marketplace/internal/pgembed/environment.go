//go:build unix

package pgembed

import (
	"errors"
	"os"
	"strings"
)

// serverEnvironment is the environment of PostgreSQL's commands. It is the same on every machine: the
// commands would take locales, zones, ports and folders from other variables.
func serverEnvironment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
}

// removeVariables removes libpq's variables, such as PGSERVICE, from this process, which uses the
// private PostgreSQL. A client reads them for each address. It takes some of them for the address's
// own settings, and fails if others are invalid.
func removeVariables() (err error) {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "PG") {
			err = errors.Join(err, os.Unsetenv(name))
		}
	}
	return err
}
