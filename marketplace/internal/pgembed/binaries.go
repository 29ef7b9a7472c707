//go:build unix

package pgembed

import (
	"context"
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

// oldest is the oldest supported major version of PostgreSQL.
const oldest = 14

// installed are the folders of PostgreSQL's server in various distributions. Its commands are
// rarely in the PATH.
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

// provide returns binaries for the data's version: the machine's, otherwise ones that are or were
// downloaded to dir. Its error is one line that says what to install.
func provide(ctx context.Context, config Config, dir, data string) (binaries, error) {
	wanted, err := versionOf(data)
	if err != nil {
		return binaries{}, err
	}
	folders := config.folders()
	misread := misreadByShells(dir)
	if misread == "" {
		folders = append(folders, downloadedPattern(dir))
	}
	if found, ok := find(folders, wanted); ok {
		return found, nil
	}
	missing := ErrNoBinaries
	if wanted != 0 {
		missing = fmt.Errorf("the data in %s was made by PostgreSQL %d, which this machine does not have: install the package postgresql-%d", data, wanted, wanted)
	}
	if config.Registry == "" {
		return binaries{}, missing
	}
	if misread != "" {
		return binaries{}, fmt.Errorf("%w (downloaded programs cannot run in %s, because of the %s in its name: choose another data folder with MARKETPLACE_DATA_DIR)", missing, dir, misread)
	}
	if err := download(ctx, config, dir, wanted); err != nil {
		return binaries{}, fmt.Errorf("%w (and downloading it failed: %w)", missing, err)
	}
	found, ok := find(folders, wanted)
	if !ok {
		return binaries{}, fmt.Errorf("%w (the downloaded PostgreSQL does not run here)", missing)
	}
	return found, nil
}

// misreadByShells returns the first character of a folder's name that means something between a
// shell's double quotes, or "". There initdb writes the name of the folder that it lies in.
func misreadByShells(dir string) string {
	if at := strings.IndexAny(dir, "$`\"\\"); at >= 0 {
		return dir[at : at+1]
	}
	return ""
}

// Prepare downloads the archive for a new database into the cache, unless the machine has
// PostgreSQL. A later Start then finds it there.
func Prepare(ctx context.Context, config Config) error {
	if _, ok := find(config.folders(), 0); ok {
		return nil
	}
	wanted, err := archiveFor(newestArchive)
	if err == nil {
		var file *os.File
		if file, err = config.archive(ctx, wanted, ""); err == nil {
			return file.Close()
		}
	}
	return fmt.Errorf("PostgreSQL is not installed and cannot be downloaded (%w): install the package postgresql (14 or newer), or npm, or set npm_config_registry", err)
}

// folders returns patterns of folders that may contain the machine's binaries.
func (c Config) folders() []string {
	if c.Folders != nil {
		return slices.Clone(c.Folders)
	}
	var patterns []string
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		patterns = append(patterns, literalPattern(folder))
	}
	return append(patterns, installed...)
}

// literalPattern returns the pattern that only that path matches.
func literalPattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// find returns the newest supported binaries in the folders. If wanted is not 0, they have that
// version.
func find(folders []string, wanted int) (newest binaries, ok bool) {
	for _, pattern := range folders {
		matches, _ := filepath.Glob(pattern) // an invalid pattern matches nothing
		for _, folder := range matches {
			if b, fit := look(folder); fit && b.major >= oldest && (wanted == 0 || b.major == wanted) && b.major > newest.major {
				newest, ok = b, true
			}
		}
	}
	return newest, ok
}

// versionOf returns the major version of the data in dir, or 0 without data.
func versionOf(dir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the data's PostgreSQL version: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s has no version: is %s a PostgreSQL data folder?", filepath.Join(dir, "PG_VERSION"), dir)
	}
	return major, nil
}

var version = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// look reports whether the folder contains both commands in one version.
func look(folder string) (binaries, bool) {
	b := binaries{dir: folder}
	for _, name := range []string{"postgres", "initdb"} {
		if info, err := os.Stat(b.command(name)); err != nil || !info.Mode().IsRegular() {
			return binaries{}, false
		}
	}
	asked := exec.Command(b.command("postgres"), "--version")
	asked.Env = serverEnvironment()
	output, err := asked.Output()
	match := version.FindSubmatch(output)
	if err != nil || match == nil {
		return binaries{}, false
	}
	b.major, err = strconv.Atoi(string(match[1]))
	return b, err == nil
}
