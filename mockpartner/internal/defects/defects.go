// Package defects defines partners with deliberate defects or unusual behaviour.
//
// A defect is one breach of the contract. It is a file in defects/, in the form of a scenario. It
// names the one rule that it breaks, the real mistake that it stands for, and what it looks like
// from outside. A variant is an unusual partner that keeps the contract: a file in variants/. A
// deep defect breaks a rule only in one instance, such as for one product or at the third repeat.
// The files in deep/ list deep defects by what the instances differ in.
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
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/script"
)

//go:embed defects/*.yaml variants/*.yaml deep/*.yaml
var files embed.FS

// Kind is a kind of partner, named like its folder.
type Kind string

// The kinds of partners.
const (
	Defects  Kind = "defects"
	Variants Kind = "variants"
	Deep     Kind = "deep"
)

// Partner is a defect or a variant.
type Partner struct {
	Name    string `json:"name" yaml:"-"`     // of its file
	Rule    string `json:"rule,omitempty"`    // the id of the one rule that a defect breaks
	Clause  string `json:"clause,omitempty"`  // of the contract, that allows a variant
	Mistake string `json:"mistake,omitempty"` // the real mistake that a defect stands for
	Looks   string `json:"looks"`             // what it looks like from outside
	// Dimension is what distinguishes the faulty instance of a deep defect from the correct ones.
	Dimension string `json:"dimension,omitempty" yaml:"-"`
	// Scarce marks a variant that offers too little for every rule to be judged.
	Scarce bool `json:"scarce,omitempty" yaml:"scarce"`

	origin   string
	scenario *script.Scenario
	part     script.Part
}

// Origin returns the origin under which its faults and quirks are listed.
func (p Partner) Origin() string { return p.origin }

// Part returns the part that gives a sandbox the defect or variant.
func (p Partner) Part() script.Part { return p.part }

// AboutWebhooks reports whether the partner shows in the webhooks that it sends.
func (p Partner) AboutWebhooks() bool { return p.scenario.Webhooks != nil }

// Scenario returns the partner as a scenario. It must not be changed.
func (p Partner) Scenario() *script.Scenario { return p.scenario }

// Find and FindDefect wrap these errors for unknown names.
var (
	ErrNoDefect  = errors.New("there is no defect with this name")
	ErrNoVariant = errors.New("there is no variant with this name")
)

// entry is a partner that is read when it is needed, because reading all of them takes half a second.
type entry struct {
	name string
	read func() Partner
}

var (
	entries = map[Kind]func() []entry{
		Defects:  sync.OnceValue(func() []entry { return list(Defects) }),
		Variants: sync.OnceValue(func() []entry { return list(Variants) }),
		Deep:     sync.OnceValue(loadDeep),
	}
	missing = map[Kind]error{Defects: ErrNoDefect, Variants: ErrNoVariant, Deep: ErrNoDefect}
)

// All returns all partners of the kind, by name.
func (k Kind) All() (all []Partner) {
	for _, one := range entries[k]() {
		all = append(all, one.read())
	}
	return all
}

// Origin returns the origin of the partner with that name.
func (k Kind) Origin(name string) string { return strings.TrimSuffix(string(k), "s") + " " + name }

// FindDefect returns the plain or deep defect with that name. Its error is Find's.
func FindDefect(name string) (Partner, error) {
	plain, err := Defects.Find(name)
	if err == nil {
		return plain, nil
	}
	if deep, err := Deep.Find(name); err == nil {
		return deep, nil
	}
	return Partner{}, err
}

// Find returns the partner with that name. Its error wraps ErrNoDefect or ErrNoVariant, and
// suggests similar names.
func (k Kind) Find(name string) (Partner, error) {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' })
	var alike []string
	for _, one := range entries[k]() {
		if one.name == name {
			return one.read(), nil
		}
		if slices.ContainsFunc(words, func(word string) bool { return len(word) > 3 && strings.Contains(one.name, word) }) {
			alike = append(alike, one.name)
		}
	}
	if len(alike) == 0 || len(alike) > 10 {
		return Partner{}, fmt.Errorf("%w: %.100q; `mockpartner %s` lists them", missing[k], name, k)
	}
	return Partner{}, fmt.Errorf("%w: %.100q; did you mean %s? `mockpartner %s` lists them all", missing[k], name, strings.Join(alike, ", "), k)
}

// list lists the files of a folder. They are embedded, and a test reads them all, so an invalid
// file is a programming error.
func list(k Kind) (all []entry) {
	files, err := fs.ReadDir(files, string(k))
	if err != nil {
		panic(err)
	}
	for _, file := range files {
		all = append(all, entry{strings.TrimSuffix(file.Name(), ".yaml"), sync.OnceValue(func() Partner {
			p, err := k.read(file.Name())
			if err != nil {
				panic(err)
			}
			return p
		})})
	}
	return all
}

// read reads a file. Its own keys come first, and the scenario after a line of three dashes.
func (k Kind) read(file string) (p Partner, err error) {
	whole, err := files.ReadFile(path.Join(string(k), file))
	if err != nil {
		return p, err
	}
	head, body, parted := strings.Cut(string(whole), "\n---\n")
	if !parted {
		return p, fmt.Errorf("%s: expected a line of three dashes between the header and the scenario", file)
	}
	if problem, bad := yamlfile.Decode([]byte(head), &p, "expected rule or clause, and looks"); bad {
		return p, fmt.Errorf("%s: %s: %s", file, problem.Path, problem.Message)
	}
	p.Name = strings.TrimSuffix(file, ".yaml")
	// Empty lines keep the line numbers in messages equal to those of the file.
	return p, p.plays(k, file, strings.Repeat("\n", strings.Count(head, "\n")+2)+body)
}

// plays compiles the partner's scenario. Errors name the file.
func (p *Partner) plays(k Kind, file, scenario string) (err error) {
	p.origin = k.Origin(p.Name)
	if p.scenario, err = script.Parse(file, []byte(scenario)); err != nil {
		return err
	}
	nameParts(p.Name, p.scenario)
	p.part, err = script.Compile(p.origin, p.scenario)
	return err
}

// deepFile is a file in deep/: a list of defects, each with its scenario.
type deepFile []struct {
	Name, Rule, Mistake, Looks string
	Scenario                   text
}

// text is the YAML source.
type text string

// UnmarshalYAML keeps the YAML source.
func (t *text) UnmarshalYAML(yaml []byte) error {
	*t = text(yaml)
	return nil
}

// loadDeep reads the files of deep defects. They are embedded, and a test loads them all.
func loadDeep() (all []entry) {
	names, err := fs.Glob(files, string(Deep)+"/*.yaml")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		some, err := readDeep(name)
		if err != nil {
			panic(err)
		}
		for _, p := range some {
			all = append(all, entry{p.Name, func() Partner { return p }})
		}
	}
	return all
}

func readDeep(name string) (all []Partner, err error) {
	whole, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list deepFile
	if problem, bad := yamlfile.Decode(whole, &list, "expected a list of deep defects"); bad {
		return nil, fmt.Errorf("%s:%d: %s: %s", name, problem.Line, problem.Path, problem.Message)
	}
	for _, one := range list {
		p := Partner{Name: one.Name, Rule: one.Rule, Mistake: one.Mistake, Looks: one.Looks, Dimension: strings.TrimSuffix(path.Base(name), ".yaml")}
		if err := p.plays(Deep, name+" "+one.Name, string(one.Scenario)); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// nameParts names faults and quirks after the file. The journal then shows what fired, and names
// are unique across files.
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
	if s.Webhooks != nil {
		for i := range s.Webhooks.Faults {
			s.Webhooks.Faults[i].Name = numbered(i, len(s.Webhooks.Faults))
		}
	}
}

// Choice is what gives a new sandbox some defects and variants.
type Choice struct {
	Parts   []script.Part    // variants first
	hooks   []Partner        // those about webhooks, variants first
	Catalog *catalog.Catalog // of the variant that has one; nil if no variant does
}

// Choose finds defects and variants by name. Its error wraps ErrNoDefect or ErrNoVariant, or names
// two that cannot be combined.
func Choose(defects, variants []string) (c Choice, err error) {
	brings := ""
	for _, name := range variants {
		variant, err := Variants.Find(name)
		if err != nil {
			return Choice{}, err
		}
		if sold := variant.scenario.Catalog; sold != nil {
			if c.Catalog != nil {
				return Choice{}, fmt.Errorf("the variants %s and %s each have a catalog; use at most one of them", brings, name)
			}
			brings, c.Catalog = name, sold
		}
		c.add(variant)
	}
	for _, name := range defects {
		defect, err := FindDefect(name)
		if err != nil {
			return Choice{}, err
		}
		c.add(defect)
	}
	return c, nil
}

func (c *Choice) add(p Partner) {
	c.Parts = append(c.Parts, p.part)
	if p.AboutWebhooks() {
		c.hooks = append(c.hooks, p)
	}
}

// ErrNoWebhooks is returned for a defect or variant that shows in webhooks only, if none are sent.
var ErrNoWebhooks = errors.New("shows in webhooks only")

// Webhooks returns configured webhooks with what the chosen defects and variants change about them.
// Its error wraps ErrNoWebhooks if nothing is configured and one of them is about webhooks.
func (c Choice) Webhooks(configured *script.Webhooks) (*script.Webhooks, error) {
	if len(c.hooks) == 0 {
		return configured, nil
	}
	if configured == nil {
		return nil, fmt.Errorf("%s %w: configure where the mock sends them, such as with --webhook-url", c.hooks[0].origin, ErrNoWebhooks)
	}
	changed := *configured
	for _, p := range c.hooks {
		changed = changed.With(*p.scenario.Webhooks)
	}
	return &changed, nil
}
