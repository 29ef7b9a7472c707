//go:build unix

package pgembed_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"partnerkit.dev/marketplace/internal/pgembed"
)

// artefact is what a repository has of PostgreSQL: here it is commands that run the
// machine's own.
func artefact(t *testing.T) []byte {
	t.Helper()
	xz, err := exec.LookPath("xz")
	if err != nil {
		t.Skip("there is no xz to pack with")
	}
	own, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(own) == 0 {
		t.Skip("there are no binaries of Debian's")
	}
	var files bytes.Buffer
	archive := tar.NewWriter(&files)
	for _, name := range []string{"postgres", "initdb", "pg_ctl"} {
		script := fmt.Sprintf("#!/bin/sh\nexec %s/%s \"$@\"\n", own[len(own)-1], name)
		err := errors.Join(
			archive.WriteHeader(&tar.Header{Name: "bin/" + name, Mode: 0o700, Size: int64(len(script)), Typeflag: tar.TypeReg}), second(archive.Write([]byte(script))))
		must(t, err)
	}
	must(t, archive.Close())
	pack := exec.Command(xz, "--stdout")
	pack.Stdin = &files
	packed, err := pack.Output()
	must(t, err)
	var jar bytes.Buffer
	outer := zip.NewWriter(&jar)
	inner, err := outer.Create("postgres-linux-x86_64.txz")
	must(t, errors.Join(err, second(inner.Write(packed)), outer.Close()))
	return jar.Bytes()
}

func second(_ int, err error) error { return err }

// repository serves the artefact with that checksum, and counts what is asked of it.
func repository(t *testing.T, jar []byte, checksum string) (address string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch {
		case !strings.HasPrefix(r.URL.Path, "/io/zonky/test/postgres/embedded-postgres-binaries-"):
			http.NotFound(w, r)
		case strings.HasSuffix(r.URL.Path, ".jar"):
			_, _ = w.Write(jar)
		case strings.HasSuffix(r.URL.Path, ".sha256"):
			_, _ = w.Write([]byte(checksum))
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

// bare is the configuration of a machine without binaries.
func bare(dir, repository string) pgembed.Config {
	return pgembed.Config{Dir: dir, Disposable: true, Folders: []string{filepath.Join(dir, "none")}, Download: repository != "", Repository: repository}
}

// lacks fails where the error is not one line that names the package and these words.
func lacks(t *testing.T, err error, words string) {
	t.Helper()
	if !errors.Is(err, pgembed.ErrNoBinaries) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "install the package postgresql") || !strings.Contains(err.Error(), words) {
		t.Errorf("want one line that names the package, with %q, got %v", words, err)
	}
}

func TestWhereTheMachineHasNoBinariesTheyAreDownloadedOnce(t *testing.T) {
	t.Parallel()
	jar := artefact(t)
	sum := sha256.Sum256(jar)
	address, asked := repository(t, jar, hex.EncodeToString(sum[:]))
	dir := folder(t)
	server := startAs(t, bare(dir, address))
	remember(t, server.URL("postgres"))
	stop(t, server)
	before := asked.Load()
	recalled(t, startAs(t, bare(dir, address)).URL("postgres"))
	if before == 0 || asked.Load() != before {
		t.Errorf("want one download, got %d requests and then %d more", before, asked.Load()-before)
	}
	left, err := filepath.Glob(filepath.Join(dir, "download-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("want nothing left of the download, got %v and %v", left, err)
	}
}

func TestADownloadThatIsNotWhatItShouldBeIsNotRun(t *testing.T) {
	t.Parallel()
	jar := artefact(t)
	address, _ := repository(t, jar, strings.Repeat("0", 64))
	dir := folder(t)
	_, err := pgembed.Start(t.Context(), bare(dir, address))
	lacks(t, err, "checksums do not match")
	if kept, err := filepath.Glob(filepath.Join(dir, "binaries", "*")); err != nil || len(kept) != 0 {
		t.Errorf("want nothing kept, got %v and %v", kept, err)
	}
}

func TestWithoutBinariesAndNetworkOneLineSaysWhatToInstall(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	empty, _ := repository(t, nil, "")
	for name, c := range map[string]struct{ repository, words string }{
		"no repository":  {"", "no PostgreSQL found on this machine"},
		"no network":     {gone.URL, "unable to connect to " + gone.URL},
		"nothing there":  {empty + "/elsewhere", "no version found"},
		"an empty thing": {empty, "nor could it be downloaded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := pgembed.Start(t.Context(), bare(folder(t), c.repository))
			lacks(t, err, c.words)
		})
	}
}

func TestADownloadThatHangsEndsWithTheStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel(); <-done }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(done) })
	dir := filepath.Join(os.TempDir(), "pgembed-test-hangs-"+filepath.Base(t.TempDir()))
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // the library may still be at it
	_, err := pgembed.Start(ctx, bare(dir, server.URL))
	lacks(t, err, context.Canceled.Error())
}
