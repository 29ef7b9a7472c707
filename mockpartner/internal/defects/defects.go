// Package defects holds partners that are wrong, or unusual, on purpose.
//
// A Defect is one breach of the contract: a file in defects/, in the vocabulary
// of scenarios, that names the one rule it breaks, the real mistake it stands for,
// and what it looks like from outside. A Variant is a partner that is unlike most
// and keeps the contract all the same: a file in variants/.
package defects

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/script"
)

//go:embed defects/*.yaml variants/*.yaml
var files embed.FS

// Defect is one breach of the contract.
type Defect struct {
	Name    string `json:"name"`    // of its file
	Rule    string `json:"rule"`    // the id of the one rule that it breaks
	Mistake string `json:"mistake"` // the real mistake that it stands for
	Looks   string `json:"looks"`   // what it looks like from outside
	played
}

// Variant is a lawful partner that is unlike most.
type Variant struct {
	Name   string `json:"name"`   // of its file
	Clause string `json:"clause"` // of the contract, that allows it
	Looks  string `json:"looks"`  // what it looks like from outside
	played
}

// played is what a sandbox plays to have a defect or to be a variant.
type played struct {
	origin   string
	scenario *script.Scenario
	part     script.Part
}

// Origin is what its faults and quirks are listed under.
func (p played) Origin() string { return p.origin }

// Part is what a sandbox plays.
func (p played) Part() script.Part { return p.part }

// Scenario is the same in the form of a scenario. It must not be changed.
func (p played) Scenario() *script.Scenario { return p.scenario }

// The errors of names.
var (
	ErrNoDefect  = errors.New("there is no such defect")
	ErrNoVariant = errors.New("there is no such variant")
)

// text is what a file says beside the scenario.
type text struct {
	Rule    string `yaml:"rule"`
	Clause  string `yaml:"clause"`
	Mistake string `yaml:"mistake"`
	Looks   string `yaml:"looks"`
}

// Defects returns all defects, by name.
var Defects = sync.OnceValue(func() []Defect {
	return load("defects", "defect ", func(name string, t text, p played) Defect { return Defect{name, t.Rule, t.Mistake, t.Looks, p} })
})

// Variants returns all variants, by name.
var Variants = sync.OnceValue(func() []Variant {
	return load("variants", "variant ", func(name string, t text, p played) Variant { return Variant{name, t.Clause, t.Looks, p} })
})

// FindDefect returns the defect of that name. Its error wraps ErrNoDefect and
// names those that are spelled alike.
func FindDefect(name string) (Defect, error) {
	return find(Defects(), name, func(d Defect) string { return d.Name }, ErrNoDefect, "mockpartner defects")
}

// FindVariant returns the variant of that name. Its error wraps ErrNoVariant and
// names those that are spelled alike.
func FindVariant(name string) (Variant, error) {
	return find(Variants(), name, func(v Variant) string { return v.Name }, ErrNoVariant, "mockpartner variants")
}

func find[T any](all []T, name string, nameOf func(T) string, missing error, lists string) (found T, err error) {
	var names []string
	for _, one := range all {
		if nameOf(one) == name {
			return one, nil
		}
		names = append(names, nameOf(one))
	}
	return found, notFound(missing, name, names, lists)
}

// load reads the files of a folder. They are embedded, and a test loads them all:
// one that is wrong is a mistake of ours.
func load[T any](folder, origin string, made func(name string, t text, p played) T) (all []T) {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		panic(err)
	}
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), ".yaml")
		t, scenario, err := read(path.Join(folder, entry.Name()), name)
		if err != nil {
			panic(err)
		}
		part, err := script.Compile(origin+name, scenario)
		if err != nil {
			panic(err)
		}
		all = append(all, made(name, t, played{origin + name, scenario, part}))
	}
	return all
}

// read reads a file: its own keys come first, the scenario's after a line of
// three dashes.
func read(file, name string) (t text, s *script.Scenario, err error) {
	whole, err := files.ReadFile(file)
	if err != nil {
		return t, nil, err
	}
	head, body, parted := strings.Cut(string(whole), "\n---\n")
	if !parted {
		return t, nil, fmt.Errorf("%s: want a line of three dashes between what is said of it and its scenario", file)
	}
	if problem, bad := yamlfile.Decode([]byte(head), &t, "want rule or clause, and looks"); bad {
		return t, nil, fmt.Errorf("%s: %s: %s", file, problem.Path, problem.Message)
	}
	// Empty lines keep the lines of messages those of the file.
	if s, err = script.Parse(file, []byte(strings.Repeat("\n", strings.Count(head, "\n")+2)+body)); err != nil {
		return t, nil, err
	}
	nameParts(name, s)
	return t, s, nil
}

// nameParts names faults and quirks after the file, so that the journal tells
// what fired and no two files have one name.
func nameParts(name string, s *script.Scenario) {
	numbered := func(i, n int) string {
		if n == 1 {
			return name
		}
		return fmt.Sprintf("%s-%d", name, i+1)
	}
	for i := range s.Faults {
		s.Faults[i].Name = numbered(i, len(s.Faults))
	}
	for i := range s.Quirks {
		s.Quirks[i].Name = numbered(i, len(s.Quirks))
	}
}

// notFound says that there is no such name, and which there are that are like it.
func notFound(kind error, name string, names []string, lists string) error {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' })
	var alike []string
	for _, known := range names {
		if slices.ContainsFunc(words, func(word string) bool { return len(word) > 3 && strings.Contains(known, word) }) {
			alike = append(alike, known)
		}
	}
	if len(alike) == 0 || len(alike) > 10 {
		return fmt.Errorf("%w: %.100q; `%s` lists them", kind, name, lists)
	}
	return fmt.Errorf("%w: %.100q; did you mean %s? `%s` lists them all", kind, name, strings.Join(alike, ", "), lists)
}

// Choice is what a new sandbox is made of to have some defects and be of some
// variants.
type Choice struct {
	Parts   []script.Part    // variants first
	Catalog *catalog.Catalog // of the variant that brings one; nil: none does
}

// Choose finds defects and variants by name. Its error wraps ErrNoDefect or
// ErrNoVariant, or says which two cannot be had together.
func Choose(defects, variants []string) (c Choice, err error) {
	brings := ""
	for _, name := range variants {
		variant, err := FindVariant(name)
		if err != nil {
			return Choice{}, err
		}
		if sold := variant.scenario.Catalog; sold != nil {
			if c.Catalog != nil {
				return Choice{}, fmt.Errorf("the variants %s and %s bring a catalog each: want at most one of them", brings, name)
			}
			brings, c.Catalog = name, sold
		}
		c.Parts = append(c.Parts, variant.Part())
	}
	for _, name := range defects {
		defect, err := FindDefect(name)
		if err != nil {
			return Choice{}, err
		}
		c.Parts = append(c.Parts, defect.Part())
	}
	return c, nil
}
