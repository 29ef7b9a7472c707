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

	scenario *script.Scenario
}

// Variant is a lawful partner that is unlike most.
type Variant struct {
	Name   string `json:"name"`   // of its file
	Clause string `json:"clause"` // of the contract, that allows it
	Looks  string `json:"looks"`  // what it looks like from outside

	scenario *script.Scenario
}

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
	return load("defects", func(name string, t text, s *script.Scenario) Defect {
		return Defect{Name: name, Rule: t.Rule, Mistake: t.Mistake, Looks: t.Looks, scenario: s}
	})
})

// Variants returns all variants, by name.
var Variants = sync.OnceValue(func() []Variant {
	return load("variants", func(name string, t text, s *script.Scenario) Variant {
		return Variant{Name: name, Clause: t.Clause, Looks: t.Looks, scenario: s}
	})
})

// FindDefect returns the defect of that name. Its error wraps ErrNoDefect and
// names those that are spelled alike.
func FindDefect(name string) (Defect, error) {
	all := Defects()
	if i := slices.IndexFunc(all, func(d Defect) bool { return d.Name == name }); i >= 0 {
		return all[i], nil
	}
	var names []string
	for _, d := range all {
		names = append(names, d.Name)
	}
	return Defect{}, missing(ErrNoDefect, name, names, "mockpartner defects")
}

// FindVariant returns the variant of that name. Its error wraps ErrNoVariant and
// names those that are spelled alike.
func FindVariant(name string) (Variant, error) {
	all := Variants()
	if i := slices.IndexFunc(all, func(v Variant) bool { return v.Name == name }); i >= 0 {
		return all[i], nil
	}
	var names []string
	for _, v := range all {
		names = append(names, v.Name)
	}
	return Variant{}, missing(ErrNoVariant, name, names, "mockpartner variants")
}

// Origin is what the defect's faults and quirks are listed under.
func (d Defect) Origin() string { return "defect " + d.Name }

// Part is what a sandbox plays to have the defect.
func (d Defect) Part() script.Part { return partOf(d.Origin(), d.scenario) }

// Scenario is the defect in the form of a scenario. It must not be changed.
func (d Defect) Scenario() *script.Scenario { return d.scenario }

// Origin is what the variant's faults and quirks are listed under.
func (v Variant) Origin() string { return "variant " + v.Name }

// Part is what a sandbox plays to be the variant.
func (v Variant) Part() script.Part { return partOf(v.Origin(), v.scenario) }

// Scenario is the variant in the form of a scenario. It must not be changed.
func (v Variant) Scenario() *script.Scenario { return v.scenario }

func partOf(origin string, s *script.Scenario) script.Part {
	part, err := script.Compile(origin, s)
	if err != nil {
		panic(err) // load has compiled it
	}
	return part
}

// load reads the files of a folder. They are embedded, and a test loads them all:
// one that is wrong is a mistake of ours.
func load[T any](folder string, made func(name string, t text, s *script.Scenario) T) (all []T) {
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
		all = append(all, made(name, t, scenario))
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
	_, err = script.Compile(name, s)
	return t, s, err
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

// missing says that there is no such name, and which there are that are like it.
func missing(kind error, name string, names []string, lists string) error {
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
