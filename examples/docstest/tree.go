package docstest

import (
	"maps"
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
	Paths    []string // of files and folders
	Folders  map[string]bool
	Modules  []string                   // their folders
	Made     []string                   // folders that git ignores, because commands make them
	Words    map[string]bool            // of all files but documents
	Quoted   map[string]bool            // names of files in the code
	Tests    map[string]string          // the folder of each test, benchmark and fuzz test
	Targets  map[string]bool            // of make
	Commands map[string]map[string]bool // flags by command, such as "conformance run"; "": of programs without man pages
}

var (
	testName   = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w+)\(`)
	makeTarget = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
	goFlag     = regexp.MustCompile(`\bflags?\.\w+\("([a-z-]+)"`)
	quoted     = regexp.MustCompile(`"([\w.-]+\.[a-z]+)"`)
	manualFlag = regexp.MustCompile(`\\fB(--?[a-z0-9-]+)\\fP`)
)

// ReadTree reads the tree below root, and the man pages of the programs in a folder.
func ReadTree(root, manual string) (*Tree, error) {
	t := &Tree{
		Folders: map[string]bool{".": true}, Words: map[string]bool{}, Quoted: map[string]bool{}, Tests: map[string]string{},
		Targets: map[string]bool{}, Commands: map[string]map[string]bool{"": {}},
	}
	err := filepath.WalkDir(root, func(file string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		return t.add(file, filepath.ToSlash(name), entry)
	})
	if err != nil {
		return nil, err
	}
	pages, err := filepath.Glob(filepath.Join(manual, "*.1"))
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		flags := map[string]bool{"--help": true, "--version": true} // of cobra
		for _, found := range manualFlag.FindAllSubmatch(text, -1) {
			flags[string(found[1])] = true
		}
		t.Commands[strings.ReplaceAll(strings.TrimSuffix(filepath.Base(page), ".1"), "-", " ")] = flags
	}
	return t, nil
}

// add adds a file or folder.
func (t *Tree) add(file, name string, entry os.DirEntry) error {
	t.Paths = append(t.Paths, name)
	switch {
	case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules" || slices.Contains(t.Made, name)):
		return filepath.SkipDir
	case entry.IsDir():
		t.Folders[name] = true
		return nil
	case path.Ext(name) == ".md" || !entry.Type().IsRegular():
		return nil
	}
	text, err := os.ReadFile(file)
	if err == nil && utf8.Valid(text) {
		t.read(name, string(text))
	}
	return err
}

// read adds what a file declares.
func (t *Tree) read(name, text string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		t.Words[word] = true
	}
	switch {
	case name == ".gitignore":
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "/") {
				t.Made = append(t.Made, strings.Trim(line, "/"))
			}
		}
	case name == "Makefile" || path.Ext(name) == ".mk":
		for _, found := range makeTarget.FindAllStringSubmatch(text, -1) {
			t.Targets[found[1]] = true
		}
	case path.Base(name) == "go.mod":
		t.Modules = append(t.Modules, path.Dir(name))
	case path.Ext(name) == ".go":
		for _, found := range testName.FindAllStringSubmatch(text, -1) {
			t.Tests[found[1]] = path.Dir(name)
		}
		for _, found := range goFlag.FindAllStringSubmatch(text, -1) {
			t.Commands[""]["-"+found[1]] = true
		}
		for _, found := range quoted.FindAllStringSubmatch(text, -1) {
			t.Quoted[found[1]] = true
		}
	}
}

// folders returns the folders that a relative name can mean: it is relative to the document's
// folder, to the root or to a module.
func (t *Tree) folders(folder, name string) (found []string) {
	for _, from := range append([]string{folder, "."}, t.Modules...) {
		if place := path.Join(from, name); t.Folders[place] {
			found = append(found, place)
		}
	}
	return found
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
	return slices.ContainsFunc(t.Paths, isEnd) || path.Ext(name) != ".go" && t.Quoted[path.Base(name)]
}

func (t *Tree) isFlag(flag string) bool {
	has := func(flags map[string]bool) bool { return flags[flag] }
	return isForeign(flag) || slices.ContainsFunc(slices.Collect(maps.Values(t.Commands)), has)
}

// isSetting reports whether a variable sets a flag: MARKETPLACE_DATA_DIR sets --data-dir.
func (t *Tree) isSetting(name string) bool {
	program, flag, _ := strings.Cut(strings.ToLower(name), "_")
	for command, flags := range t.Commands {
		if strings.HasPrefix(command+" ", program+" ") && flags["--"+strings.ReplaceAll(flag, "_", "-")] {
			return true
		}
	}
	return false
}
