//go:build unix

package pgembed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// releases are what is downloaded, by major version; 0 is for data yet to be made.
var releases = map[int]embeddedpostgres.PostgresVersion{
	0: embeddedpostgres.V17, 14: embeddedpostgres.V14, 15: embeddedpostgres.V15, 16: embeddedpostgres.V16, 17: embeddedpostgres.V17, 18: embeddedpostgres.V18,
}

// downloadTime bounds a download, of some 10 MB.
const downloadTime = 5 * time.Minute

// downloaded is the pattern of the folders with downloaded binaries below dir.
func downloaded(dir string) string { return filepath.Join(dir, "binaries", "*", "bin") }

// download fetches binaries into dir, and checks them by the repository's checksum.
func download(ctx context.Context, repository, dir string, major int) error {
	release, known := releases[major]
	if !known {
		return fmt.Errorf("there is no PostgreSQL %d to be had", major)
	}
	into := filepath.Join(dir, "binaries", string(release))
	ctx, cancel := context.WithTimeoutCause(ctx, downloadTime, errors.New("it took too long"))
	defer cancel()
	failed := make(chan error, 1)
	go func() { failed <- fetch(repository, dir, into, release) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done(): // the library cannot be stopped: it is left behind
		return context.Cause(ctx)
	}
}

// fetch has the library download and unpack the binaries, which is all that is wanted
// of it. It would start a server as well, on a port: the data that it is told of lies
// below a file, where none can be.
func fetch(repository, dir, into string, release embeddedpostgres.PostgresVersion) (err error) {
	scratch, err := os.MkdirTemp(dir, "download-")
	if err != nil {
		return err
	}
	before := logs()
	defer func() {
		for name := range logs() {
			if !before[name] {
				_ = os.Remove(name)
			}
		}
		if panicked := recover(); panicked != nil { // the library panics where it cannot clean up
			err = fmt.Errorf("%v", panicked)
		}
		err = errors.Join(err, os.RemoveAll(scratch))
	}()
	nowhere := filepath.Join(scratch, "file")
	if err := os.WriteFile(nowhere, nil, 0o600); err != nil {
		return err
	}
	fresh := filepath.Join(scratch, "binaries")
	wanted := embeddedpostgres.DefaultConfig()
	if repository != "" {
		wanted = wanted.BinaryRepositoryURL(repository)
	}
	started := embeddedpostgres.NewDatabase(wanted.Version(release).Port(0).Logger(io.Discard).
		CachePath(filepath.Join(scratch, "cache")).BinariesPath(fresh).
		RuntimePath(filepath.Join(scratch, "runtime")).DataPath(filepath.Join(nowhere, "data"))).Start()
	if _, err := os.Stat(filepath.Join(fresh, "bin")); err != nil {
		first, _, _ := strings.Cut(cmp.Or(started, err).Error(), "\n")
		return errors.New(first)
	}
	above := filepath.Dir(into)
	if err := errors.Join(readableByAll(fresh), os.MkdirAll(above, 0o755), os.Chmod(above, 0o755), os.RemoveAll(into)); err != nil {
		return err
	}
	return os.Rename(fresh, into)
}

// logs are the logs that the library leaves in the temporary folder, this process's and
// others': it has no setting for them, and removes none.
func logs() map[string]bool {
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), "embedded_postgres_log*")) // the pattern is a good one
	names := map[string]bool{}
	for _, name := range found {
		names[name] = true
	}
	return names
}

// readableByAll lets the user that takes PostgreSQL over from root run the binaries,
// whatever root's umask is.
func readableByAll(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		mode := info.Mode().Perm() | 0o444
		if entry.IsDir() || mode&0o100 != 0 {
			mode |= 0o111
		}
		return os.Chmod(path, mode)
	})
}
