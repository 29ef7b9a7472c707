//go:build unix

package pgembed_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"partnerkit.dev/internal/tooltest"
	"partnerkit.dev/marketplace/internal/pgembed"
)

// archive returns a package as in the registry, with these files and links. Its commands run the
// machine's own.
func archive(t *testing.T, more map[string]string) (packed []byte, sum string) {
	t.Helper()
	own, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(own) == 0 {
		tooltest.Skip(t, tooltest.PostgreSQL, "it is not in Debian's folder")
	}
	files := map[string]string{
		"package/package.json":             `{"scripts": {"postinstall": "touch /tmp/never"}}`,
		"package/native/pg-symlinks.json":  `[{"source": "native/lib/libpq.so.5.17", "target": "native/lib/libpq.so.5"}]`,
		"package/native/lib/libpq.so.5.17": "a library",
	}
	for _, name := range []string{"postgres", "initdb", "pg_ctl"} {
		files["package/native/bin/"+name] = fmt.Sprintf("#!/bin/sh\nexec %s/%s \"$@\"\n", own[len(own)-1], name)
	}
	maps.Copy(files, more)
	var text bytes.Buffer
	zipped := gzip.NewWriter(&text)
	tarred := tar.NewWriter(zipped)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		must(t, tarred.WriteHeader(&tar.Header{Name: name, Mode: 0o700, Size: int64(len(files[name])), Typeflag: tar.TypeReg}))
		_, err := tarred.Write([]byte(files[name]))
		must(t, err)
	}
	must(t, errors.Join(tarred.Close(), zipped.Close()))
	digest := sha256.Sum256(text.Bytes())
	return text.Bytes(), hex.EncodeToString(digest[:])
}

// repository serves the archive and counts requests.
func repository(t *testing.T, packed []byte) (address string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if !strings.HasPrefix(r.URL.Path, "/@embedded-postgres/") || !strings.HasSuffix(r.URL.Path, ".tgz") {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(packed)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

// bareConfig returns the configuration of a machine without binaries, with its own registry.
func bareConfig(dir, repository, sum string) pgembed.Config {
	return pgembed.Config{Dir: dir, Disposable: true, Folders: []string{filepath.Join(dir, "none")}, Registry: repository, SHA256: sum, Cache: filepath.Join(dir, "cache")}
}

// lacks fails if the error is not one line that names the package and contains these words.
func lacks(t *testing.T, err error, words string) {
	t.Helper()
	if !errors.Is(err, pgembed.ErrNoBinaries) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "install the package postgresql") || !strings.Contains(err.Error(), words) {
		t.Errorf("want one line that names the package, with %q, got %v", words, err)
	}
}

// Two servers of a user start at the same time. One downloads, and the other waits.
func TestAnArchiveIsDownloadedOnceForAllServersOfAUser(t *testing.T) {
	t.Parallel()
	packed, sum := archive(t, nil)
	address, asked := repository(t, packed)
	cache := filepath.Join(folder(t), "cache")
	var both sync.WaitGroup
	for range 2 {
		config := bareConfig(folder(t), address, sum)
		config.Cache = cache
		both.Go(func() {
			server, err := pgembed.Start(t.Context(), config)
			if err != nil {
				t.Error(err)
				return
			}
			stop(t, server)
		})
	}
	both.Wait()
	if asked.Load() != 1 {
		t.Errorf("want one download, got %d", asked.Load())
	}
	kept, err := filepath.Glob(filepath.Join(pgembed.LiteralPattern(cache), "*.tgz"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("want the archive kept, got %v and %v", kept, err)
	}
	must(t, os.WriteFile(kept[0], []byte("damaged"), 0o600))
	var shown bytes.Buffer
	config := bareConfig(folder(t), address, sum)
	config.Cache, config.Progress = cache, &shown
	startAs(t, config)
	if asked.Load() != 2 || !strings.HasPrefix(shown.String(), "Downloading PostgreSQL ") {
		t.Errorf("want a damaged archive downloaded again and shown, got %d downloads and %q", asked.Load(), shown.String())
	}
}

func TestWhereTheMachineHasNoBinariesTheyAreDownloadedOnce(t *testing.T) {
	t.Parallel()
	packed, sum := archive(t, nil)
	address, asked := repository(t, packed)
	dir := folder(t)
	server := startAs(t, bareConfig(dir, address, sum))
	remember(t, server.URL("postgres"))
	stop(t, server)
	before := asked.Load()
	requireRow(t, startAs(t, bareConfig(dir, address, sum)).URL("postgres"))
	if before != 1 || asked.Load() != before {
		t.Errorf("want one download, got %d requests and then %d more", before, asked.Load()-before)
	}
	left, err := filepath.Glob(filepath.Join(pgembed.LiteralPattern(dir), "download-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("want nothing left of the download, got %v and %v", left, err)
	}
	library, err := filepath.Glob(filepath.Join(pgembed.LiteralPattern(dir), "binaries", "*", "lib", "libpq.so.5"))
	if err != nil || len(library) != 1 {
		t.Fatalf("want the link of the archive, got %v and %v", library, err)
	}
	if text, err := os.ReadFile(library[0]); err != nil || string(text) != "a library" {
		t.Errorf("want it to lead to the library, got %q and %v", text, err)
	}
}

// An attacker who controls a registry or the connection can also change its checksums, so only the
// checksums in the source are used.
func TestAnArchiveWhoseSHA256IsNotInTheSourceIsNeitherUnpackedNorRun(t *testing.T) {
	t.Parallel()
	packed, sum := archive(t, nil)
	for name, c := range map[string]struct{ sum, words string }{
		"of the archives in the source": {"", "has the SHA-256 " + sum + ", expected "},
		"of another":                    {strings.Repeat("0", 64), "expected " + strings.Repeat("0", 64) + ": it was not unpacked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, asked := repository(t, packed)
			dir := folder(t)
			_, err := pgembed.Start(t.Context(), bareConfig(dir, address, c.sum))
			lacks(t, err, c.words)
			kept, err := filepath.Glob(filepath.Join(pgembed.LiteralPattern(dir), "binaries", "*"))
			if err != nil || len(kept) != 0 || asked.Load() != 1 {
				t.Errorf("want one download and nothing kept, got %d, %v and %v", asked.Load(), kept, err)
			}
		})
	}
}

func TestAnArchiveUnpacksOnlyIntoItsFolder(t *testing.T) {
	t.Parallel()
	packed, sum := archive(t, map[string]string{"package/native/../../../../escaped": "evil"})
	address, _ := repository(t, packed)
	dir := folder(t)
	_, err := pgembed.Start(t.Context(), bareConfig(dir, address, sum))
	lacks(t, err, "path escapes from parent")
	if found, err := filepath.Glob(filepath.Join(dir, "escaped")); err != nil || len(found) != 0 {
		t.Errorf("want nothing outside the folder, got %v and %v", found, err)
	}
}

func TestWithoutBinariesAndNetworkOneLineSaysWhatToInstall(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	empty, _ := repository(t, nil)
	for name, c := range map[string]struct{ repository, words string }{
		"no repository":  {"", "no PostgreSQL found on this machine"},
		"no network":     {gone.URL, "connection refused"},
		"nothing there":  {empty + "/elsewhere", "answered 404 Not Found"},
		"an empty thing": {empty, "it was not unpacked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := pgembed.Start(t.Context(), bareConfig(folder(t), c.repository, ""))
			lacks(t, err, c.words)
		})
	}
}

func TestNothingIsDownloadedToAFolderThatAShellMisreads(t *testing.T) {
	t.Parallel()
	address, asked := repository(t, nil)
	for _, char := range []string{"$", "`", `"`, `\`} {
		dir := folderNamed(t, "folder"+char+"HOME-")
		_, err := pgembed.Start(t.Context(), bareConfig(dir, address, ""))
		lacks(t, err, "cannot run in "+dir+", because of the "+char+" in its name: choose another data folder with MARKETPLACE_DATA_DIR")
	}
	if asked.Load() != 0 {
		t.Errorf("want no download, got %d", asked.Load())
	}
}

func TestADownloadThatHangsEndsWithTheStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel(); <-done }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(done) })
	_, err := pgembed.Start(ctx, bareConfig(folder(t), server.URL, ""))
	lacks(t, err, context.Canceled.Error())
}

// The test downloads 25 MB, so it runs only on request.
func TestTheArchiveOfTheRegistryHasTheSHA256InTheSourceAndKeepsData(t *testing.T) {
	t.Parallel()
	registry := os.Getenv(pgembed.DownloadVariable)
	if registry == "" {
		t.Skip("set " + pgembed.DownloadVariable + " to the address of an npm registry to download it")
	}
	config := bareConfig(folder(t), registry, "")
	server := startAs(t, config)
	remember(t, server.URL("postgres"))
	stop(t, server)
	requireRow(t, startAs(t, config).URL("postgres"))
}
