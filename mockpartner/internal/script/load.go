package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// Problems is the error of a scenario, or of a list of faults, that cannot be
// used: each of its lines begins with file, line and column.
type Problems = yamlfile.Problems

// maxFile bounds a scenario file, in bytes. Larger catalogs have files of their
// own.
const maxFile = 4 << 20

// Load reads a scenario from a YAML file, as Parse does, with a catalog file
// that it names. Its error names the file, or is a *Problems.
func Load(path string) (*Scenario, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	return file.Scenario()
}

// File is what a scenario file held when it was read.
type File struct {
	Path string
	text []byte
}

// Open reads a scenario file, whatever it holds. Its error names the file.
func Open(path string) (File, error) {
	text, err := yamlfile.Read(path, maxFile)
	if err != nil {
		return File{}, fmt.Errorf("read the scenario: %w", err)
	}
	return File{path, text}, nil
}

// Scenario returns the scenario that the file held, as Parse does.
func (f File) Scenario() (*Scenario, error) { return Parse(f.Path, f.text) }

// Parse reads a scenario from YAML, of which JSON is a part. The name is the
// file's, in messages and as what a catalog's path begins from.
func Parse(name string, text []byte) (*Scenario, error) {
	problems := plain(text)
	if len(problems) > 0 {
		return nil, &Problems{File: name, List: problems}
	}
	if namesCatalog(text) {
		return read(name, text, func(given string) (*catalog.Catalog, string, error) {
			path, err := within(filepath.Dir(name), given)
			if err != nil {
				return nil, name, fmt.Errorf("%s: %w", name, err)
			}
			sold, err := catalog.Load(path)
			return sold, path, err
		})
	}
	return read(name, text, func(given *catalog.Catalog) (*catalog.Catalog, string, error) { return given, name, nil })
}

// within is the path of a file in the scenario's folder, or below it. A scenario may be a
// stranger's, and reads nothing else.
func within(folder, given string) (string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if _, err := root.Stat(given); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", errOutside
	}
	return filepath.Join(folder, given), nil
}

var errOutside = errors.New("catalog: want a path inside the scenario's folder: --catalog takes any other")

// ParseBody reads a scenario as Parse does, from somebody who may not name files
// of this machine: a catalog stands in the scenario itself.
func ParseBody(name string, text []byte) (*Scenario, error) {
	if namesCatalog(text) {
		list := []yamlfile.Problem{{Path: "catalog", Message: "want the catalog itself: a path is taken in a file only"}}
		yamlfile.Locate(list, text)
		return nil, &Problems{File: name, List: list}
	}
	return Parse(name, text)
}

// file is the form of a scenario file; its catalog is a path or a catalog.
type file[C any] struct {
	Catalog C                `yaml:"catalog"`
	Clock   clockSetting     `yaml:"clock"`
	Seed    *uint64          `yaml:"seed"`
	Policy  *catalog.Policy  `yaml:"policy"`
	HoldFor time.Duration    `yaml:"hold_for"`
	Quirks  []platform.Quirk `yaml:"quirks"`
	Faults  []Fault          `yaml:"faults"`
	// Webhooks are checked when they are read, and kept as they were written.
	Webhooks *Webhooks `yaml:"webhooks"`
}

type clockSetting struct {
	Now    string `yaml:"now"`
	Frozen bool   `yaml:"frozen"`
}

func read[C any](name string, text []byte, sold func(C) (*catalog.Catalog, string, error)) (*Scenario, error) {
	wrong := func(list ...yamlfile.Problem) (*Scenario, error) {
		yamlfile.Locate(list, text)
		return nil, &Problems{File: name, List: list}
	}
	var f file[C]
	if problem, bad := yamlfile.Decode(text, &f, "the scenario is empty: want a mapping with catalog, clock, seed, policy, quirks or faults"); bad {
		return wrong(problem)
	}
	s := &Scenario{
		Frozen: f.Clock.Frozen, Seed: f.Seed, Policy: f.Policy, HoldFor: f.HoldFor, Quirks: f.Quirks, Faults: f.Faults, Webhooks: f.Webhooks,
	}
	var err error
	if f.Clock.Now != "" {
		if s.Now, err = partnerapi.ParseDateTime(f.Clock.Now); err != nil {
			return wrong(yamlfile.Problem{Path: "clock.now", Message: err.Error()})
		}
	}
	if _, err := prepare(nil, f.Faults); err != nil {
		return wrong(problemOf("faults", err))
	}
	if _, err := nameQuirks(nil, f.Quirks); err != nil {
		return wrong(problemOf("quirks", err))
	}
	if f.Webhooks != nil {
		if _, err := f.Webhooks.Ready(); err != nil {
			return wrong(problemOf("webhooks.", err))
		}
	}
	if list := keep(schemas().scenario, text); list != nil {
		return wrong(list...)
	}
	if s.Catalog, err = catalogOf(name, f.Catalog, sold); err != nil {
		if within := (*Problems)(nil); errors.As(err, &within) && within.File == "" {
			return wrong(within.List...)
		}
		return nil, err
	}
	return s, nil
}

// catalogOf returns the scenario's catalog, checked, and nil where it has none.
// The problems of one that stands in the scenario itself name no file.
func catalogOf[C any](name string, given C, sold func(C) (*catalog.Catalog, string, error)) (*catalog.Catalog, error) {
	own, from, err := sold(given)
	if err != nil || own == nil {
		return nil, err
	}
	_, err = own.Index()
	if problems := (*Problems)(nil); from == name && errors.As(err, &problems) {
		for i := range problems.List {
			problems.List[i].Path = "catalog." + problems.List[i].Path
		}
	}
	return own, err
}

// ParseFaults reads one fault, or a list of them, in the form that they have in
// a scenario. Its error is a *Problems.
func ParseFaults(name string, text []byte) ([]Fault, error) {
	return parseList(name, text, "fault", schemas().fault, schemas().faults, func(faults []Fault) error {
		_, err := prepare(nil, faults)
		return err
	})
}

// ParseQuirks reads one quirk, or a list of them, in the form that they have in a
// scenario. Its error is a *Problems.
func ParseQuirks(name string, text []byte) ([]platform.Quirk, error) {
	return parseList(name, text, "quirk", schemas().quirk, schemas().quirks, func(quirks []platform.Quirk) error {
		_, err := nameQuirks(nil, quirks)
		return err
	})
}

func parseList[T any](name string, text []byte, kind string, one, many *jsonschema.Schema, check func([]T) error) (list []T, err error) {
	wrong := func(found ...yamlfile.Problem) ([]T, error) {
		yamlfile.Locate(found, text)
		return nil, &Problems{File: name, List: found}
	}
	if problems := plain(text); len(problems) > 0 {
		return wrong(problems...)
	}
	empty := fmt.Sprintf("want a %s or a list of %ss, got nothing", kind, kind)
	schema, alone := many, !isList(text)
	var problem yamlfile.Problem
	var bad bool
	if alone {
		schema, list = one, make([]T, 1)
		problem, bad = yamlfile.Decode(text, &list[0], empty)
	} else {
		problem, bad = yamlfile.Decode(text, &list, empty)
	}
	if bad {
		return wrong(problem)
	}
	if err := check(list); err != nil {
		found := problemOf("", err)
		if alone { // there is no list in the file to name a place in
			found.Path = strings.TrimPrefix(found.Path, "[0].")
		}
		return wrong(found)
	}
	if found := keep(schema, text); found != nil {
		return wrong(found...)
	}
	return list, nil
}

func problemOf(path string, err error) yamlfile.Problem {
	if placed := (*invalid.Error)(nil); errors.As(err, &placed) {
		return yamlfile.Problem{Path: path + placed.Path, Message: placed.Message}
	}
	return yamlfile.Problem{Path: path, Message: err.Error()}
}

// root returns what a text consists of, nil where it is empty.
func root(text []byte) ast.Node {
	tree, err := parser.ParseBytes(text, 0)
	if err != nil || len(tree.Docs) == 0 {
		return nil
	}
	return tree.Docs[0].Body
}

func isList(text []byte) bool {
	_, ok := root(text).(*ast.SequenceNode)
	return ok
}

func namesCatalog(text []byte) bool {
	mapping, ok := root(text).(*ast.MappingNode)
	if !ok {
		return false
	}
	for _, pair := range mapping.Values {
		if pair.Key.GetToken().Value == "catalog" {
			return scalar(pair.Value)
		}
	}
	return false
}

// ParseWebhooks reads webhooks in the form that they have in a scenario, and
// checks them. Its error is a *Problems, and never holds the secret.
func ParseWebhooks(name string, text []byte) (Webhooks, error) {
	wrong := func(found ...yamlfile.Problem) (Webhooks, error) {
		yamlfile.Locate(found, text)
		return Webhooks{}, &Problems{File: name, List: found}
	}
	if problems := plain(text); len(problems) > 0 {
		return wrong(problems...)
	}
	var w Webhooks
	if problem, bad := yamlfile.Decode(text, &w, "want webhooks with url and secret, got nothing"); bad {
		return wrong(problem)
	}
	if _, err := w.Ready(); err != nil {
		return wrong(problemOf("", err))
	}
	if found := keep(schemas().webhooks, text); found != nil {
		return wrong(found...)
	}
	return w, nil
}

// WatchEvery is how often Watch looks, unless told otherwise.
const WatchEvery = 500 * time.Millisecond

// Watch reads a scenario file again whenever what it holds is no longer what it
// held, until the context ends. It tells changed the new scenario, or what is
// wrong with it. It compares contents and not times, which editors and mounted
// volumes play tricks with.
func Watch(ctx context.Context, file File, every time.Duration, changed func(*Scenario, error)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	missing := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now, err := Open(file.Path)
		switch {
		case err != nil && err.Error() != missing: // told once, not at every look
			missing = err.Error()
			changed(nil, err)
		case err == nil && (missing != "" || !bytes.Equal(now.text, file.text)):
			missing, file = "", now
			changed(file.Scenario())
		}
	}
}
