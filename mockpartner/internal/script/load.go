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
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// maxFile is the maximum size of a scenario file, in bytes. Larger catalogs have files of their
// own.
const maxFile = 4 << 20

// Load reads a scenario from a YAML file, as Parse does, and the catalog file that it names. Its
// error names the file, or is a *Problems.
func Load(path string) (*Scenario, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	return file.Scenario()
}

// File is a scenario file with its content at the time of reading.
type File struct {
	Path string
	text []byte
}

// Open reads a scenario file without parsing it. Its error names the file.
func Open(path string) (File, error) {
	text, err := yamlfile.Read(path, maxFile)
	if err != nil {
		return File{}, fmt.Errorf("read the scenario: %w", err)
	}
	return File{path, text}, nil
}

// Scenario parses the file's content, as Parse does.
func (f File) Scenario() (*Scenario, error) { return Parse(f.Path, f.text) }

// Parse reads a scenario from YAML, of which JSON is a subset. The name is the file's name:
// messages contain it, and a catalog's path is relative to it.
func Parse(name string, text []byte) (*Scenario, error) { return read(name, text, true) }

// pathBeside returns the path of a file in the scenario's folder, or below it. A scenario may come from
// an untrusted author, so it must not read other files.
func pathBeside(folder, given string) (string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if _, err := root.Stat(given); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", invalid.ErrorAt("catalog", "expected a path inside the scenario's folder; use --catalog for any other path")
	}
	return filepath.Join(folder, given), nil
}

// ParseBody reads a scenario as Parse does, from a caller that may not name files of this machine.
// A catalog must be part of the scenario itself.
func ParseBody(name string, text []byte) (*Scenario, error) { return read(name, text, false) }

// file is the form of a scenario file.
type file struct {
	Catalog catalogSource    `yaml:"catalog"`
	Clock   clockSetting     `yaml:"clock"`
	Seed    *uint64          `yaml:"seed"`
	Policy  *catalog.Policy  `yaml:"policy"`
	HoldFor Span             `yaml:"hold_for"`
	Times   *AnswerTimes     `yaml:"answer_times"`
	Quirks  []platform.Quirk `yaml:"quirks"`
	Faults  []Fault          `yaml:"faults"`
	// Webhooks are validated when they are read, and kept as written.
	Webhooks *Webhooks `yaml:"webhooks"`
}

type clockSetting struct {
	Now    string `yaml:"now"`
	Frozen bool   `yaml:"frozen"`
}

// catalogSource is a catalog, or the path of its file.
type catalogSource struct {
	path string
	own  *catalog.Catalog
}

// UnmarshalYAML reads a path or a catalog.
func (s *catalogSource) UnmarshalYAML(node ast.Node) error {
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
					wrong = append(wrong, prefixPath(key, err))
				}
			}
		}
		switch {
		case f.Catalog.path != "" && !mayName:
			found("", invalid.ErrorAt("catalog", "expected the catalog itself; a path is allowed only in a file"))
		case f.Catalog.path != "":
			var err error
			path, err = pathBeside(filepath.Dir(name), f.Catalog.path)
			found("", err)
		case f.Catalog.own != nil:
			_, err := f.Catalog.own.Index()
			found("catalog.", err)
		}
		if f.Clock.Now != "" {
			var err error
			if s.Now, err = partnerapi.ParseDateTime(f.Clock.Now); err != nil {
				found("", invalid.ErrorAt("clock.now", "%v", err))
			}
		}
		found("faults", checkFaults(f.Faults)...)
		found("quirks", checkQuirks(f.Quirks)...)
		if f.Webhooks != nil {
			_, err := f.Webhooks.WithDefaults()
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

// ParseFaults reads one fault, or a list of faults, in the form that a scenario uses. Its error is
// a *Problems.
func ParseFaults(name string, text []byte) ([]Fault, error) {
	return parseList(name, text, "fault", checkFaults)
}

// ParseQuirks reads one quirk, or a list of quirks, in the form that a scenario uses. Its error is
// a *Problems.
func ParseQuirks(name string, text []byte) ([]platform.Quirk, error) {
	return parseList(name, text, "quirk", checkQuirks)
}

// ParseWebhooks reads and validates webhooks in the form that a scenario uses. Its error is a
// *Problems, and never contains the secret.
func ParseWebhooks(name string, text []byte) (Webhooks, error) {
	return parse(name, text, "expected webhooks with url and secret, received nothing", "#/$defs/webhooks", func(w Webhooks) []error {
		if _, err := w.WithDefaults(); err != nil {
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
			if placed := (*invalid.Error)(nil); errors.As(err, &placed) { // the file has no list, so the path needs no index
				placed.Path = strings.TrimPrefix(placed.Path, "[0].")
			}
		}
		return wrong
	})
	return []T{one}, err
}

// checkFaults returns all problems of faults, each with its location.
func checkFaults(faults []Fault) []error {
	if len(faults) > MaxFaults {
		return []error{fmt.Errorf("%w, %d: remove some", ErrFull, MaxFaults)}
	}
	wrong := duplicates(ErrTaken, map[string]bool{}, faults, func(f *Fault) *string { return &f.Name })
	for i, f := range faults {
		if _, err := compile(f); err != nil {
			wrong = append(wrong, invalid.Item("", i, err))
		}
	}
	return wrong
}

// checkQuirks returns all problems of quirks, each with its location.
func checkQuirks(quirks []platform.Quirk) []error {
	wrong := duplicates(ErrQuirkTaken, map[string]bool{}, quirks, func(q *platform.Quirk) *string { return &q.Name })
	for i, q := range quirks {
		if err := q.Check(); err != nil {
			wrong = append(wrong, invalid.Item("", i, err))
		}
	}
	return wrong
}

// isList reports whether a text is a list that is not nested too deeply to be read.
func isList(text []byte) bool {
	if _, deep := yamlfile.TooLarge(text); deep {
		return false
	}
	tree, err := parser.ParseBytes(text, 0)
	if err != nil || len(tree.Docs) == 0 {
		return false
	}
	_, ok := tree.Docs[0].Body.(*ast.SequenceNode)
	return ok
}

// WatchEvery is the default interval of Watch.
const WatchEvery = 500 * time.Millisecond

// Watch reads a scenario file again whenever its content has changed, until the context ends. It
// calls changed with the new scenario or an error. It compares contents and not modification times,
// which are unreliable with some editors and mounted volumes.
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
		case err != nil && err.Error() != missing: // reported once, not at every interval
			missing = err.Error()
			changed(nil, err)
		case err == nil && (missing != "" || !bytes.Equal(now.text, file.text)):
			missing, file = "", now
			changed(file.Scenario())
		}
	}
}
