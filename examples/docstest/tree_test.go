//go:build unix

package docstest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Tree is what documents can name. Its names have slashes.
type Tree struct {
	Paths   []string          // of files and folders
	Made    []string          // folders that git ignores, because commands make them
	Words   map[string]bool   // of all files but documents
	Quoted  map[string]bool   // the first words of strings in Go: flags, subcommands, and files that commands make
	Tests   map[string]string // the folder of each test, benchmark, fuzz test and example
	Targets map[string]bool   // of make
}

var (
	testName   = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w+)\(`)
	makeTarget = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
	madeFolder = regexp.MustCompile(`(?m)^/(.*?)/?$`)
	quoted     = regexp.MustCompile(`["\x60]([\w.-]+)["\x60 ]`)
)

// ReadTree reads the tree below root.
func ReadTree(root string) (*Tree, error) {
	t := &Tree{Words: map[string]bool{}, Quoted: map[string]bool{}, Tests: map[string]string{}, Targets: map[string]bool{}}
	return t, filepath.WalkDir(root, func(file string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		t.Paths = append(t.Paths, name)
		if entry.IsDir() {
			if entry.Name() == ".git" || entry.Name() == "node_modules" || slices.Contains(t.Made, name) {
				return filepath.SkipDir
			}
			return nil
		}
		if path.Ext(name) == ".md" || !entry.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(file)
		if err == nil && utf8.Valid(text) {
			t.read(name, string(text))
		}
		return err
	})
}

// read adds what a file declares.
func (t *Tree) read(name, text string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		t.Words[word] = true
	}
	each := func(pattern *regexp.Regexp, add func(found string)) {
		for _, found := range pattern.FindAllStringSubmatch(text, -1) {
			add(found[1])
		}
	}
	switch {
	case name == ".gitignore":
		each(madeFolder, func(found string) { t.Made = append(t.Made, found) })
	case name == "Makefile" || path.Ext(name) == ".mk":
		each(makeTarget, func(found string) { t.Targets[found] = true })
	case path.Ext(name) == ".go":
		each(testName, func(found string) { t.Tests[found] = path.Dir(name) })
		each(quoted, func(found string) { t.Quoted[found] = true })
	}
}

// hasFile reports whether a name is the end of a path, or below a folder that git ignores. The file
// that a command makes has no path: its name is in quotes in the code.
func (t *Tree) hasFile(name string) bool {
	name = strings.TrimSuffix(name, "/")
	if top, _, _ := strings.Cut(name, "/"); slices.Contains(t.Made, top) {
		return true
	}
	depth := strings.Count(name, "/")
	isEnd := func(known string) bool {
		parts := strings.Split(known, "/")
		matches, _ := path.Match(name, strings.Join(parts[max(len(parts)-depth-1, 0):], "/"))
		return matches
	}
	ext := path.Ext(name)
	return slices.ContainsFunc(t.Paths, isEnd) || ext != "" && ext != ".go" && t.Quoted[path.Base(name)]
}

// isSetting reports whether a variable sets a flag, as MARKETPLACE_DATA_DIR sets --data-dir, or is named in
// the code itself, as keys are that have no flag.
func (t *Tree) isSetting(name string) bool {
	_, flag, _ := strings.Cut(strings.ToLower(name), "_")
	return t.Quoted[strings.ReplaceAll(flag, "_", "-")] || t.Quoted[name]
}
