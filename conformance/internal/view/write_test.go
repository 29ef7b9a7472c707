package view

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

// secret is a Scanner that knows one key as it is.
type secret string

func (s secret) Leaks(b []byte) bool { return bytes.Contains(b, []byte(s)) }

const noSecret = secret("a key that no report holds")

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

func TestWriteAllMakesTheFolderAndWritesEveryView(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "reports", "partner")
	paths, err := WriteAll(dir, handful(t), noSecret)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range []string{"report.json", "report.html", "report.md", "junit.xml", "run.har", "badge.svg"} {
		want = append(want, filepath.Join(dir, name))
	}
	if !slices.Equal(paths, want) {
		t.Errorf("paths = %v, want %v", paths, want)
	}
	for _, path := range want {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o644 || info.Size() == 0 {
			t.Errorf("%s: mode %v, %d bytes, want 0644 and content", path, info.Mode().Perm(), info.Size())
		}
	}
	if got := names(t, dir); len(got) != len(want) {
		t.Errorf("the folder holds %v, want %d files only", got, len(want))
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
		t.Errorf("a reader of the old report saw it change: %.80q", during)
	}
	if after, _ := os.ReadFile(path); !bytes.Contains(after, []byte("nonconformant")) {
		t.Errorf("the new report is not there: %.80q", after)
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
			dir := t.TempDir()
			r := handful(t)
			ruleOf(t, r, rule.ReserveLimit.ID).Message = "the partner echoed " + key
			r.Calls[0].Response.Body.Text = "the partner echoed " + key
			paths, err := WriteAll(dir, r, secret(key))
			if err == nil || len(paths) != 1 || filepath.Base(paths[0]) != "badge.svg" {
				t.Fatalf("wrote %v, error %v: want nothing written but the badge, in which no text of a partner's stands, and an error", paths, err)
			}
			for _, file := range []string{"report.json", "report.html", "report.md", "junit.xml", "run.har"} {
				if !strings.Contains(err.Error(), file) {
					t.Errorf("the error does not name %s: %v", file, err)
				}
			}
			if strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error shows the key, or has several lines: %v", err)
			}
			if got := names(t, dir); len(got) != 1 {
				t.Errorf("the folder holds %v, want the badge only", got)
			}
		})
	}
}

func TestWriteAllStillWritesTheFilesThatHoldNoKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	paths, err := WriteAll(dir, handful(t), secret("<testsuites"))
	if err == nil || !strings.Contains(err.Error(), "junit.xml not written") {
		t.Errorf("error = %v, want it to say that junit.xml is not written", err)
	}
	if want := []string{"badge.svg", "report.html", "report.json", "report.md", "run.har"}; len(paths) != len(want) || !slices.Equal(names(t, dir), want) {
		t.Errorf("wrote %v, want %v", paths, want)
	}
}

func TestWriteAllSaysInOneLineWhichFolderCannotBeMade(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(file, "reports")
	_, err := WriteAll(dir, handful(t), noSecret)
	if err == nil || !strings.Contains(err.Error(), "report folder "+dir+": not a directory") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error = %v, want one line that names %s", err, dir)
	}
}

func TestWriteAllSaysInOneLineWhichFileCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "report.html", "occupied"), 0o755); err != nil {
		t.Fatal(err)
	}
	paths, err := WriteAll(dir, handful(t), noSecret)
	if err == nil || !strings.Contains(err.Error(), "write report.html into the report folder "+dir) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error = %v, want one line that names the file and %s", err, dir)
	}
	if len(paths) != 1 {
		t.Errorf("wrote %v, want report.json, which was first", paths)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"report.html", "report.json"}) {
		t.Errorf("the folder holds %v: the temporary file was left behind", got)
	}
}

func TestFixedTextHasTheWordsOfEveryReport(t *testing.T) {
	t.Parallel()
	all, err := FixedText()
	if err != nil {
		t.Fatal(err)
	}
	fixed := bytes.Join(all, nil)
	for _, word := range []string{"products", "not_applicable", "suite_version", "duration_ns", "testsuites", "Content-Security-Policy", "scrollIntoView", "Why it matters", "Repeat it", rule.CancelLimit.Title} {
		if !bytes.Contains(fixed, []byte(word)) {
			t.Errorf("FixedText lacks %q, which reports contain", word)
		}
	}
	if bytes.Contains(fixed, []byte("harbour-tours")) {
		t.Error("FixedText holds a partner's words")
	}
}

func TestFixedTextIsThatOfTheNamedFilesAlone(t *testing.T) {
	t.Parallel()
	all, err := FixedText("junit.xml")
	if err != nil {
		t.Fatal(err)
	}
	fixed := bytes.Join(all, nil)
	if !bytes.Contains(fixed, []byte("testsuites")) || bytes.Contains(fixed, []byte("scrollIntoView")) || bytes.Contains(fixed, []byte("duration_ns")) {
		t.Error("want the words of junit.xml, and not those of the page or of report.json")
	}
}

func TestWriteAllWritesThePicturesBesideTheReportUnlessTheyHoldTheKey(t *testing.T) {
	t.Parallel()
	dir, r := t.TempDir(), handful(t)
	r.Pictures = map[string][]byte{"race-b.html": []byte("<p>3 &amp; 4 left</p>"), "race-a.html": []byte("2 left")}
	paths, err := WriteAll(dir, r, secret("3 & 4"))
	if err == nil || !strings.HasPrefix(err.Error(), "race-b.html not written") {
		t.Errorf("want the picture with the key named, got %v", err)
	}
	if !slices.Contains(paths, filepath.Join(dir, "race-a.html")) || slices.Contains(paths, filepath.Join(dir, "race-b.html")) {
		t.Errorf("want the other picture among the files written, got %v", paths)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "race-a.html")); err != nil || string(got) != "2 left" {
		t.Errorf("want the picture as it was drawn, got %q, %v", got, err)
	}
}

func TestEveryViewShowsTheChecksum(t *testing.T) {
	t.Parallel()
	r := seal(t, handful(t))
	for _, v := range views() {
		var out bytes.Buffer
		if err := v.write(&out, r); err != nil || !bytes.Contains(out.Bytes(), []byte(r.Integrity.SHA256)) {
			t.Errorf("%s does not show the checksum (%v)", v.name, err)
		}
	}
}
