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

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

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
func Parse(name string, text []byte) (*Scenario, error) { return read(name, text, true) }

// beside is the path of a file in the scenario's folder, or below it. A scenario may be a
// stranger's, and reads nothing else.
func beside(folder, given string) (string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if _, err := root.Stat(given); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", invalid.At("catalog", "expected a path inside the scenario's folder; use --catalog for any other path")
	}
	return filepath.Join(folder, given), nil
}

// ParseBody reads a scenario as Parse does, from somebody who may not name files
// of this machine: a catalog stands in the scenario itself.
func ParseBody(name string, text []byte) (*Scenario, error) { return read(name, text, false) }

// file is the form of a scenario file.
type file struct {
	Catalog soldAs           `yaml:"catalog"`
	Clock   clockSetting     `yaml:"clock"`
	Seed    *uint64          `yaml:"seed"`
	Policy  *catalog.Policy  `yaml:"policy"`
	HoldFor Span             `yaml:"hold_for"`
	Times   *AnswerTimes     `yaml:"answer_times"`
	Quirks  []platform.Quirk `yaml:"quirks"`
	Faults  []Fault          `yaml:"faults"`
	// Webhooks are checked when they are read, and kept as they were written.
	Webhooks *Webhooks `yaml:"webhooks"`
}

type clockSetting struct {
	Now    string `yaml:"now"`
	Frozen bool   `yaml:"frozen"`
}

// soldAs is a catalog, or the path of its file.
type soldAs struct {
	path string
	own  *catalog.Catalog
}

// UnmarshalYAML reads a path or a catalog.
func (s *soldAs) UnmarshalYAML(node ast.Node) error {
	if scalar(node) {
		return yaml.NodeToValue(node, &s.path)
	}
	s.own = &catalog.Catalog{}
	return yaml.NodeToValue(node, s.own, yaml.Strict())
}

func read(name string, text []byte, mayName bool) (*Scenario, error) {
	s := &Scenario{}
	path := "" // of the catalog's file
	f, err := parse(name, text, "the scenario is empty: expected a mapping with catalog, clock, seed, policy, quirks or faults", "", func(f file) (wrong []error) {
		found := func(key string, errs ...error) {
			for _, err := range errs {
				if err != nil {
					wrong = append(wrong, in(key, err))
				}
			}
		}
		switch {
		case f.Catalog.path != "" && !mayName:
			found("", invalid.At("catalog", "expected the catalog itself; a path is allowed only in a file"))
		case f.Catalog.path != "":
			var err error
			path, err = beside(filepath.Dir(name), f.Catalog.path)
			found("", err)
		case f.Catalog.own != nil:
			_, err := f.Catalog.own.Index()
			found("catalog.", err)
		}
		if f.Clock.Now != "" {
			var err error
			if s.Now, err = partnerapi.ParseDateTime(f.Clock.Now); err != nil {
				found("", invalid.At("clock.now", "%v", err))
			}
		}
		found("faults", checkFaults(f.Faults)...)
		found("quirks", checkQuirks(f.Quirks)...)
		if f.Webhooks != nil {
			_, err := f.Webhooks.Ready()
			found("webhooks.", err)
		}
		return wrong
	})
	if err != nil {
		return nil, err
	}
	s.Frozen, s.Seed, s.Policy, s.HoldFor = f.Clock.Frozen, f.Seed, f.Policy, time.Duration(f.HoldFor)
	s.AnswerTimes = f.Times
	s.Quirks, s.Faults, s.Webhooks, s.Catalog = f.Quirks, f.Faults, f.Webhooks, f.Catalog.own
	if path != "" {
		if s.Catalog, err = catalog.Load(path); err == nil {
			_, err = s.Catalog.Index()
		}
	}
	return s, err
}

// ParseFaults reads one fault, or a list of them, in the form that they have in
// a scenario. Its error is a *Problems.
func ParseFaults(name string, text []byte) ([]Fault, error) {
	return parseList(name, text, "fault", checkFaults)
}

// ParseQuirks reads one quirk, or a list of them, in the form that they have in a
// scenario. Its error is a *Problems.
func ParseQuirks(name string, text []byte) ([]platform.Quirk, error) {
	return parseList(name, text, "quirk", checkQuirks)
}

// ParseWebhooks reads webhooks in the form that they have in a scenario, and
// checks them. Its error is a *Problems, and never holds the secret.
func ParseWebhooks(name string, text []byte) (Webhooks, error) {
	return parse(name, text, "expected webhooks with url and secret, received nothing", "#/$defs/webhooks", func(w Webhooks) []error {
		if _, err := w.Ready(); err != nil {
			return []error{err}
		}
		return nil
	})
}

func parseList[T any](name string, text []byte, kind string, check func([]T) []error) ([]T, error) {
	empty := fmt.Sprintf("expected a %s or a list of %ss, received nothing", kind, kind)
	if isList(text) {
		return parse(name, text, empty, "#/properties/"+kind+"s", check)
	}
	one, err := parse(name, text, empty, "#/$defs/"+kind, func(one T) []error {
		wrong := check([]T{one})
		for _, err := range wrong {
			if placed := (*invalid.Error)(nil); errors.As(err, &placed) { // there is no list in the file to name a place in
				placed.Path = strings.TrimPrefix(placed.Path, "[0].")
			}
		}
		return wrong
	})
	return []T{one}, err
}

// checkFaults returns all that is wrong with faults, each with its place.
func checkFaults(faults []Fault) []error {
	if len(faults) > MaxFaults {
		return []error{fmt.Errorf("%w, %d: disarm some", ErrFull, MaxFaults)}
	}
	wrong := duplicates(ErrTaken, map[string]bool{}, faults, func(f *Fault) *string { return &f.Name })
	for i, f := range faults {
		if _, err := compile(f); err != nil {
			wrong = append(wrong, invalid.Item("", i, err))
		}
	}
	return wrong
}

// checkQuirks returns all that is wrong with quirks, each with its place.
func checkQuirks(quirks []platform.Quirk) []error {
	wrong := duplicates(ErrQuirkTaken, map[string]bool{}, quirks, func(q *platform.Quirk) *string { return &q.Name })
	for i, q := range quirks {
		if err := q.Check(); err != nil {
			wrong = append(wrong, invalid.Item("", i, err))
		}
	}
	return wrong
}

// isList reports whether a text, of a depth that can be read, is a list.
func isList(text []byte) bool {
	if _, deep := yamlfile.TooDeep(text); deep {
		return false
	}
	tree, err := parser.ParseBytes(text, 0)
	if err != nil || len(tree.Docs) == 0 {
		return false
	}
	_, ok := tree.Docs[0].Body.(*ast.SequenceNode)
	return ok
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
