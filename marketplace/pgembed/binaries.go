package pgembed

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrNoBinaries says that the machine has no PostgreSQL that can be used.
var ErrNoBinaries = errors.New("no PostgreSQL found on this machine: install the package postgresql (14 or newer), or give a database with MARKETPLACE_DATABASE_URL")

// oldest is the oldest major version of PostgreSQL that the service works with.
const oldest = 14

// installed are the folders in which distributions keep PostgreSQL's server, whose
// commands are seldom in the PATH.
var installed = []string{
	"/usr/lib/postgresql/*/bin",         // Debian, Ubuntu
	"/usr/pgsql-*/bin",                  // the PostgreSQL project's own packages for Red Hat
	"/usr/bin",                          // Fedora, Arch, Alpine
	"/usr/libexec/postgresql*",          // Alpine
	"/usr/local/bin",                    // FreeBSD
	"/usr/local/pgsql/bin",              // built from source
	"/opt/homebrew/opt/postgresql*/bin", // macOS on ARM
	"/usr/local/opt/postgresql*/bin",    // macOS on Intel
	"/Library/PostgreSQL/*/bin",         // macOS, the installer
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// binaries is a folder with PostgreSQL's server commands.
type binaries struct {
	dir   string
	major int
}

func (b binaries) command(name string) string { return filepath.Join(b.dir, name) }

// find returns the newest binaries of the machine that are fit for the data in dir,
// which decides the version where there is some.
func find(dir string) (binaries, error) {
	wanted, err := versionOf(dir)
	if err != nil {
		return binaries{}, err
	}
	folders := filepath.SplitList(os.Getenv("PATH"))
	for _, pattern := range installed {
		matches, _ := filepath.Glob(pattern) // the patterns are well formed
		folders = append(folders, matches...)
	}
	var found []binaries
	for _, folder := range folders {
		if b, ok := look(folder); ok && b.major >= oldest && (wanted == 0 || b.major == wanted) {
			found = append(found, b)
		}
	}
	switch {
	case len(found) > 0:
		return slices.MaxFunc(found, func(a, b binaries) int { return cmp.Compare(a.major, b.major) }), nil
	case wanted != 0:
		return binaries{}, fmt.Errorf("the data in %s was made by PostgreSQL %d, which this machine does not have: install the package postgresql-%d", dir, wanted, wanted)
	default:
		return binaries{}, ErrNoBinaries
	}
}

// versionOf returns the major version that made the data in dir; 0 is none.
func versionOf(dir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("see which PostgreSQL made the data: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s holds no version: is %s PostgreSQL's folder?", filepath.Join(dir, "PG_VERSION"), dir)
	}
	return major, nil
}

var version = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// look reports whether the folder has both commands, of one version.
func look(folder string) (binaries, bool) {
	b := binaries{dir: folder}
	for _, name := range []string{"postgres", "initdb"} {
		if info, err := os.Stat(b.command(name)); err != nil || !info.Mode().IsRegular() {
			return binaries{}, false
		}
	}
	said, err := exec.Command(b.command("postgres"), "--version").Output()
	match := version.FindSubmatch(said)
	if err != nil || match == nil {
		return binaries{}, false
	}
	b.major, err = strconv.Atoi(string(match[1]))
	return b, err == nil
}
