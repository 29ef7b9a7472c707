package script

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/mockpartner/internal/jq"
)

//go:embed scenario.schema.json
var scenarioSchema []byte

// Schema returns the JSON Schema of a scenario file, draft 2020-12. Editors use it to complete and
// check scenarios.
func Schema() []byte { return bytes.Clone(scenarioSchema) }

// schemas compiles the schema when it is first needed. The keys are its parts: a complete scenario,
// one fault or quirk, a list of them, and webhooks.
var schemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	const name = "scenario.schema.json"
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	if err := compiler.AddResource(name, bytes.NewReader(scenarioSchema)); err != nil {
		panic(err) // the schema is embedded, and tests compile it
	}
	all := map[string]*jsonschema.Schema{}
	for _, part := range []string{"", "#/$defs/fault", "#/properties/faults", "#/$defs/quirk", "#/properties/quirks", "#/$defs/webhooks"} {
		all[part] = compiler.MustCompile(name + part)
	}
	return all
})

// keep reports where the YAML text violates the schema. The strict types find the common mistakes.
// The schema finds what they accept, such as a number in place of a string.
func keep(schema *jsonschema.Schema, text []byte) []yamlfile.Problem {
	var read any
	if err := yaml.Unmarshal(text, &read); err != nil {
		return []yamlfile.Problem{yamlfile.ProblemOf(err)}
	}
	asJSON, err := json.Marshal(read)
	if err != nil {
		return []yamlfile.Problem{{Message: fmt.Sprintf("expected a JSON value: %v", err)}}
	}
	value, err := jq.Decode(asJSON)
	if err != nil {
		return []yamlfile.Problem{{Message: err.Error()}}
	}
	err = schema.Validate(value)
	if broken := (*jsonschema.ValidationError)(nil); errors.As(err, &broken) {
		return leaves(broken)
	}
	if err != nil {
		return []yamlfile.Problem{{Message: err.Error()}}
	}
	return nil
}

// leaves returns the innermost causes of an error.
func leaves(broken *jsonschema.ValidationError) (problems []yamlfile.Problem) {
	if len(broken.Causes) == 0 {
		return []yamlfile.Problem{{Path: dottedPath(broken.InstanceLocation), Message: strings.Replace(broken.Message, ", but got ", ", received ", 1)}}
	}
	for _, cause := range broken.Causes {
		problems = append(problems, leaves(cause)...)
	}
	return problems
}

var index = regexp.MustCompile(`\.([0-9]+)(\.|$)`)

// dottedPath turns a JSON pointer into a path such as faults[0].match.method.
func dottedPath(pointer string) string {
	path := strings.ReplaceAll(pointer, "/", ".")
	return strings.TrimPrefix(index.ReplaceAllString(path, "[$1]$2"), ".")
}

// inBody matches paths at which any value is allowed, even null.
var inBody = regexp.MustCompile(`^\$(\.faults)?(\[\d+\])?\.body`)

// checkPlainYAML finds YAML features that our files do not allow. Aliases can make a small file huge, and
// keys without a value look as if they had an effect. A problem is fatal if the rest cannot be
// read.
func checkPlainYAML(text []byte) (problems []yamlfile.Problem, fatal bool) {
	if !utf8.Valid(text) {
		return []yamlfile.Problem{{Message: "expected text in UTF-8"}}, true
	}
	if problem, bad := yamlfile.TooLarge(text); bad {
		return []yamlfile.Problem{problem}, true
	}
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return []yamlfile.Problem{yamlfile.ProblemOf(err)}, true
	}
	var found finder
	for _, document := range tree.Docs {
		if document.Body != nil {
			ast.Walk(&found, document.Body)
		}
	}
	if len(tree.Docs) > 1 {
		line, column := 0, 0
		if start := tree.Docs[1].Start; start != nil {
			line, column = start.Position.Line, start.Position.Column
		}
		found.fatal = true
		found.add(line, column, "", "expected one document, received a second one")
	}
	return found.problems, found.fatal
}

type finder struct {
	problems []yamlfile.Problem
	fatal    bool
}

// maxPlain is the maximum number of problems that a finder collects.
const maxPlain = 50

func (f *finder) add(line, column int, path, message string) {
	if len(f.problems) < maxPlain {
		f.problems = append(f.problems, yamlfile.Problem{Path: path, Line: line, Column: column, Message: message})
	}
}

func (f *finder) Visit(node ast.Node) ast.Visitor {
	position := node.GetToken().Position
	switch node.Type() {
	case ast.AnchorType, ast.AliasType, ast.MergeKeyType, ast.TagType:
		f.fatal = true
		f.add(position.Line, position.Column, "", "anchors, aliases and tags are not supported here: write the value itself")
	case ast.NullType:
		if path := node.GetPath(); !inBody.MatchString(path) {
			f.add(position.Line, position.Column, strings.TrimPrefix(path, "$."), "the value is missing: give one, or leave out the key")
		}
	}
	return f
}
