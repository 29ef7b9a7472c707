package report

import (
	"errors"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Scanner finds what must not leave the run.
type Scanner interface {
	// Leaks reports whether b holds the auth key, in any encoding.
	Leaks(b []byte) bool
}

// view is one file of the report.
type view struct {
	name   string
	render func(*Result) ([]byte, error)
	markup bool // the file's text is escaped as HTML or XML
}

func views() []view {
	return []view{
		{name: "report.json", render: JSON},
		{name: "report.html", render: HTML, markup: true},
		{name: "junit.xml", render: JUnit, markup: true},
	}
}

// withPictures returns the views, and a file for each picture that a rule names.
func withPictures(r *Result) []view {
	all := views()
	for _, name := range slices.Sorted(maps.Keys(r.Pictures)) {
		all = append(all, view{name: name, render: func(r *Result) ([]byte, error) { return r.Pictures[name], nil }, markup: true})
	}
	return all
}

// WriteAll writes report.json, report.html, junit.xml and the pictures into dir,
// which is made where it is missing, and returns the paths of the files written.
// Each appears whole or not at all. A file in which secrets finds the auth key is
// not written; the error names it, the other files are there all the same.
func WriteAll(dir string, r *Result, secrets Scanner) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the report folder %s: %w", dir, reason(err))
	}
	var written, leaking []string
	for _, v := range withPictures(r) {
		content, err := v.render(r)
		if err != nil {
			return written, err
		}
		if v.leaks(content, secrets) {
			leaking = append(leaking, v.name)
			continue
		}
		path := filepath.Join(dir, v.name)
		if err := WriteFile(path, content); err != nil {
			return written, fmt.Errorf("write %s into the report folder %s: %w", v.name, dir, reason(err))
		}
		written = append(written, path)
	}
	if len(leaking) > 0 {
		return written, fmt.Errorf("%s not written: the auth key would stand in the evidence; run with a key that can be revoked, and report this as a bug", strings.Join(leaking, ", "))
	}
	return written, nil
}

// leaks also looks at the text as a reader sees it: a key with a plus sign or
// an ampersand is spelled with entities in the file itself.
func (v view) leaks(content []byte, secrets Scanner) bool {
	return secrets.Leaks(content) || v.markup && secrets.Leaks([]byte(html.UnescapeString(string(content))))
}

// WriteFile writes content beside path and renames, so that a reader never meets
// half a file, and an interrupted run leaves the previous report as it was.
func WriteFile(path string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if _, err := file.Write(content); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := errors.Join(file.Chmod(0o644), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// reason leaves out the operation and the path of a file error: the message
// around it names the folder already, and a temporary name helps nobody.
func reason(err error) error {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		return pathErr.Err
	case errors.As(err, &linkErr):
		return linkErr.Err
	}
	return err
}
