package view

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// secret is a Scanner that knows one key literally.
type secret string

func (s secret) Leaks(b []byte) bool { return bytes.Contains(b, []byte(s)) }

const noSecret = secret("a key that no report holds")

// every is the names of all views.
var every = []string{"report.json", "report.html", "report.md", "junit.xml", "run.har", "badge.svg"}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func TestWriteAllMakesTheFolderAndWritesEveryViewWithTheChecksum(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "reports", "partner")
	r := seal(t, handful(t))
	paths, err := WriteAll(dir, r, noSecret)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != len(every) || len(names(t, dir)) != len(every) || !slices.Equal(Names(), every) {
		t.Errorf("want %v written, got %v, and %v in the folder", every, paths, names(t, dir))
	}
	for _, folder := range []string{dir, filepath.Dir(dir)} {
		if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("want %s with mode 0700, got %v, %v", folder, info, err)
		}
	}
	for i, name := range every {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil || paths[i] != path || info.Mode().Perm() != 0o600 {
			t.Errorf("want %s with mode 0600, got %s, %v, %v", path, paths[i], info, err)
		}
		if content, _ := os.ReadFile(path); !bytes.Contains(content, []byte(r.Integrity.SHA256)) {
			t.Errorf("want the checksum in %s", name)
		}
	}
}

func TestWriteAllNeverShowsHalfAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := WriteAll(dir, &report.Result{Verdict: report.Conformant}, noSecret); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "report.json")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if _, err := WriteAll(dir, handful(t), noSecret); err != nil {
		t.Fatal(err)
	}
	if during, _ := io.ReadAll(reader); !bytes.Equal(during, before) {
		t.Errorf("want a reader of the old report to read it to its end, got %.80q", during)
	}
	if after, _ := os.ReadFile(path); !bytes.Contains(after, []byte("nonconformant")) {
		t.Errorf("want the new report in its place, got %.80q", after)
	}
}

func TestWriteAllWritesNoFileThatHoldsTheKey(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{
		"plain":                       "sk_live_51H8zQ2eZvKYlo",
		"spelled with entities":       `a+b&c'd`,
		"as base64, with plus and =":  "q83+7w/Zx==",
		"spelled with entities twice": "a&amp;b+c",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, r := t.TempDir(), handful(t)
			ruleOf(t, r, rule.ReserveLimit.ID).Message = "the partner echoed " + key
			r.Calls[0].Response.Body.Text = "the partner echoed " + key
			paths, err := WriteAll(dir, r, secret(key))
			if want := []string{"badge.svg"}; len(paths) != 1 || !slices.Equal(names(t, dir), want) {
				t.Errorf("want only %v, in which no text of a partner's stands, got %v", want, paths)
			}
			says := strings.Join(every[:5], ", ") + " not written: "
			if err == nil || !strings.HasPrefix(err.Error(), says) || strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "\n") {
				t.Errorf("want one line that begins with %q, without the key, got %v", says, err)
			}
		})
	}
}

func TestWriteAllWritesTheFilesAndPicturesThatHoldNoKey(t *testing.T) {
	t.Parallel()
	dir, r := t.TempDir(), handful(t)
	r.Pictures = map[string][]byte{"race-b.html": []byte("<p>3 &amp; 4 left</p>"), "race-a.html": []byte("2 left")}
	paths, err := WriteAll(dir, r, secret("3 & 4"))
	if err == nil || !strings.HasPrefix(err.Error(), "race-b.html not written") {
		t.Errorf("want the picture with the key named, got %v", err)
	}
	if want := []string{"badge.svg", "junit.xml", "race-a.html", "report.html", "report.json", "report.md", "run.har"}; len(paths) != len(want) || !slices.Equal(names(t, dir), want) {
		t.Errorf("want %v, got %v", want, paths)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "race-a.html")); err != nil || string(got) != "2 left" {
		t.Errorf("want the picture as it was drawn, got %q, %v", got, err)
	}
}

func TestWriteAllSaysInOneLineWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	occupied, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.MkdirAll(filepath.Join(occupied, "report.html", "occupied"), 0o755)); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		filepath.Join(file, "reports"): "report folder " + filepath.Join(file, "reports") + ": not a directory",
		occupied:                       "write report.html into the report folder " + occupied,
	} {
		if _, err := WriteAll(dir, handful(t), noSecret); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("want one line that says %q, got %v", want, err)
		}
	}
	if got := names(t, occupied); !slices.Equal(got, []string{"report.html", "report.json"}) {
		t.Errorf("want report.json, which was first, and no temporary file, got %v", got)
	}
}

func TestFixedTextHasTheWordsOfTheFilesThatAreNamed(t *testing.T) {
	t.Parallel()
	pages := []string{"Content-Security-Policy", "scrollIntoView", "Why it matters", "Repeat it"}
	for _, c := range []struct {
		names, has, lacks []string
	}{
		{nil, append(pages, "products", "not_applicable", "suite_version", "duration_ns", "testsuites", rule.CancelLimit.Title), []string{"harbour-tours"}},
		{[]string{"junit.xml"}, []string{"testsuites"}, append(pages, "duration_ns")},
	} {
		all, err := FixedText(c.names...)
		if err != nil {
			t.Fatal(err)
		}
		fixed := string(bytes.Join(all, nil))
		for _, word := range append(slices.Clone(c.has), c.lacks...) {
			if strings.Contains(fixed, word) != slices.Contains(c.has, word) {
				t.Errorf("%v: want %q there: %t", c.names, word, slices.Contains(c.has, word))
			}
		}
	}
}
