// Package view draws the reports of a run: HTML, Markdown, JUnit, HTTP archive, badge, and the
// timelines of races.
package view

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"partnerkit.dev/conformance/internal/fileerror"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// Scanner finds secrets that must not be written.
type Scanner interface {
	// Leaks reports whether b contains the auth key, in any encoding.
	Leaks(b []byte) bool
}

type viewFile struct {
	name  string
	write func(io.Writer, *report.Result) error // never splits a piece of the partner's text between two writes
	read  func(string) string                   // undoes the file's escapes, as its reader does; nil: there are none
}

// pageFile is the view that pictures belong to.
const pageFile = "report.html"

func viewFiles() []viewFile {
	return []viewFile{
		{name: "report.json", write: writeWhole(report.JSON)},
		{name: pageFile, write: writeWhole(HTML), read: html.UnescapeString},
		{name: "report.md", write: writeWhole(drawMarkdown), read: unescapeMarkdown},
		{name: "junit.xml", write: writeWhole(drawJUnit), read: html.UnescapeString},
		{name: "run.har", write: drawHAR},
		{name: "badge.svg", write: writeWhole(drawBadge), read: html.UnescapeString},
	}
}

// chooseViews returns the views with these names, or all if there are no names. If the page is among
// them, it adds a file for each picture.
func chooseViews(r *report.Result, names []string) []viewFile {
	wanted := func(v viewFile) bool { return len(names) == 0 || slices.Contains(names, v.name) }
	all := slices.DeleteFunc(viewFiles(), func(v viewFile) bool { return !wanted(v) })
	if !slices.ContainsFunc(all, func(v viewFile) bool { return v.name == pageFile }) {
		return all
	}
	for _, name := range slices.Sorted(maps.Keys(r.Pictures)) {
		picture := func(r *report.Result) ([]byte, error) { return r.Pictures[name], nil }
		all = append(all, viewFile{name: name, write: writeWhole(picture), read: html.UnescapeString})
	}
	return all
}

// Names returns the names of the files that WriteAll writes, except for pictures.
func Names() (names []string) {
	for _, v := range viewFiles() {
		names = append(names, v.name)
	}
	return names
}

func writeWhole(render func(*report.Result) ([]byte, error)) func(io.Writer, *report.Result) error {
	return func(w io.Writer, r *report.Result) error {
		content, err := render(r)
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	}
}

// WriteAll writes the named views of r into dir, or all views if no name is given. Pictures are
// written with the page. It creates dir if it is missing and returns the paths of the files. Each
// file is written completely or not at all. A file in which secrets finds the auth key is not
// written, and the error names it; the other files are still written.
func WriteAll(dir string, r *report.Result, secrets Scanner, names ...string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the report folder %s: %w", dir, fileerror.Reason(err))
	}
	var written, leaking []string
	for _, v := range chooseViews(r, names) {
		path := filepath.Join(dir, v.name)
		err := writeFile(path, func(w io.Writer) error {
			return v.write(guarded{Writer: w, view: v, secrets: secrets}, r)
		})
		switch {
		case errors.Is(err, errLeak):
			leaking = append(leaking, v.name)
		case err != nil:
			return written, fmt.Errorf("write %s into the report folder %s: %w", v.name, dir, fileerror.Reason(err))
		default:
			written = append(written, path)
		}
	}
	if len(leaking) > 0 {
		return written, fmt.Errorf("%s not written: the evidence would contain the auth key; run with a key that can be revoked, and report this as a bug", strings.Join(leaking, ", "))
	}
	return written, nil
}

var errLeak = errors.New("it would contain the auth key")

type guarded struct {
	io.Writer
	view    viewFile
	secrets Scanner
}

// Write implements io.Writer. It also checks the text as a reader sees it, because the file spells
// a key with a plus sign or an ampersand with entities.
func (g guarded) Write(content []byte) (int, error) {
	if g.secrets.Leaks(content) || g.view.read != nil && g.secrets.Leaks([]byte(g.view.read(string(content)))) {
		return 0, errLeak
	}
	return g.Writer.Write(content)
}

// WriteFile writes content to a temporary file and renames it to path. So a reader never sees half
// a file, and an interrupted run leaves the previous report unchanged.
func WriteFile(path string, content []byte) error {
	return writeFile(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

func writeFile(path string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if err := write(file); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil { // only its owner can read it, as it may hold customers' data
		return err
	}
	return os.Rename(file.Name(), path)
}

// FixedText returns the text that reports contain regardless of the partner: the words of the
// views, the page's own files and the rule catalogue. A key that occurs in it (such as "products")
// cannot be searched for in a report. names selects the files, as in WriteAll.
func FixedText(names ...string) ([][]byte, error) {
	r, err := blankResult()
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for _, v := range chooseViews(r, names) {
		var content bytes.Buffer
		if err := v.write(&content, r); err != nil {
			return nil, err
		}
		all = append(all, content.Bytes())
		if v.name == pageFile {
			all = append(all, []byte(style()), []byte(script))
			err = fs.WalkDir(templates, "page", func(name string, file fs.DirEntry, err error) error {
				if err != nil || file.IsDir() {
					return err
				}
				content, err := templates.ReadFile(name)
				all = append(all, content)
				return err
			})
			if err != nil {
				return nil, fmt.Errorf("read the page's files: %w", err)
			}
		}
	}
	return all, nil
}

// blankResult returns a sealed result that contains every field and every outcome, and no text of a partner.
var blankResult = sync.OnceValues(func() (*report.Result, error) {
	at := time.Unix(0, 0).UTC()
	r := &report.Result{Verdict: report.Nonconformant, StartedAt: at, LimitScale: 1, Ledger: "?", NotUndone: []report.Leftover{{Kind: "hold"}, {Kind: "booking"}}, CallerFaults: []report.CallerFault{{}},
		Baseline: &report.Baseline{Stale: []report.StaleEntry{{}}}}
	exchange := report.Exchange{
		StartedAt: at, Request: report.Request{Body: report.Body{Size: 2, Cut: true}},
		Response: &report.Response{Header: http.Header{"Set-Cookie": {"a=b"}}}, Failure: &report.Failure{Kind: report.Timeout},
	}
	r.Calls = []*report.Exchange{&exchange}
	r.Vacancies = []report.SlotVacancies{{Readings: make([]report.SeatsReading, 2)}}
	r.Slots = []report.SlotSeats{{}, {Differs: true}}
	for i, one := range rule.All() {
		r.Rules = append(r.Rules, report.RuleResult{
			ID: one.ID, Title: one.Title, Endpoint: one.Endpoint, Level: one.Level, Clause: one.Clause, Why: one.Why, Fix: one.Fix,
			Outcome: report.Outcomes()[i%len(report.Outcomes())], Exchanges: []report.Exchange{exchange},
		})
	}
	for _, e := range rule.Endpoints() {
		r.Latency = append(r.Latency, report.Latency{Endpoint: e})
	}
	return report.Seal(r)
})
