package catalog

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"partnerkit.dev/internal/yamlfile"
)

//go:embed default.yaml
var defaultYAML []byte

// Default returns a fresh copy of the catalog in default.yaml: eight products with an example of
// everything that the contract allows. The caller may change it.
func Default() *Catalog {
	catalog, err := Parse("default.yaml", defaultYAML)
	if err != nil {
		panic(err) // the file is embedded, and a test reads it
	}
	catalog.source = nil // the caller may change it, so the lines may no longer be right
	return catalog
}

// DefaultIndex returns the index of Default. All mocks in a process share it, because reading and
// validating the catalog takes most of the time of starting one.
var DefaultIndex = sync.OnceValues(func() (*Index, error) { return Default().Index() })

// maxFile is the maximum size of a catalog file, in bytes.
const maxFile = 64 << 20

// Load reads a catalog from a YAML file, as Parse does. Its error names the file, or is a
// *yamlfile.Problems.
func Load(path string) (*Catalog, error) {
	text, err := yamlfile.Read(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("read the catalog: %w", err)
	}
	return Parse(path, text)
}

// Parse reads a catalog from YAML, of which JSON is a subset. An unknown key is an error. Index
// validates the catalog itself, and its problems then have line numbers. The name is the file's
// name in messages.
func Parse(name string, text []byte) (*Catalog, error) {
	catalog := Catalog{source: &source{name: name, text: text}}
	if err := decode(name, text, &catalog, "the catalog is empty: expected a mapping with products"); err != nil {
		return nil, err
	}
	return &catalog, nil
}

// ParseProduct reads and validates one product in the form of a catalog file. Its error is a
// *yamlfile.Problems.
func ParseProduct(name string, text []byte) (*Product, error) {
	var product Product
	if err := decode(name, text, &product, "expected a product with its schedules, received nothing"); err != nil {
		return nil, err
	}
	if problems := product.check(); len(problems) > 0 {
		yamlfile.Locate(problems, text)
		return nil, &yamlfile.Problems{File: name, List: problems}
	}
	return &product, nil
}

func decode(name string, text []byte, value any, empty string) error {
	problem, bad := yamlfile.Decode(text, value, empty)
	if !bad {
		return nil
	}
	if strings.Contains(problem.Message, "duration") && problem.Line == 0 {
		if found, ok := badDuration(text); ok {
			problem = found
		}
	}
	return &yamlfile.Problems{File: name, List: []yamlfile.Problem{problem}}
}

// badDuration finds the first invalid duration, because the decoder's error does not contain its
// location.
func badDuration(text []byte) (yamlfile.Problem, bool) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return yamlfile.Problem{}, false
	}
	for _, node := range ast.FilterFile(ast.MappingValueType, file) {
		pair, ok := node.(*ast.MappingValueNode)
		if !ok {
			continue
		}
		key, value := pair.Key.GetToken(), pair.Value.GetToken()
		if key.Value != "duration" && key.Value != "cutOff" {
			continue
		}
		if _, err := time.ParseDuration(value.Value); err != nil {
			return yamlfile.Problem{
				Line: value.Position.Line, Column: value.Position.Column,
				Message: fmt.Sprintf("%s: expected a duration such as 2h30m, received %q", key.Value, value.Value),
			}, true
		}
	}
	return yamlfile.Problem{}, false
}

// problems returns the problems as an error, with line numbers if the catalog came from a file.
func (c *Catalog) problems(list []yamlfile.Problem) error {
	if c.source == nil {
		return &yamlfile.Problems{List: list}
	}
	yamlfile.Locate(list, c.source.text)
	return &yamlfile.Problems{File: c.source.name, List: list}
}
