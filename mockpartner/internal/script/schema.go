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

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/mockpartner/internal/fault"
)

//go:embed scenario.schema.json
var scenarioSchema []byte

// Schema returns the JSON Schema of a scenario file, draft 2020-12, by which
// editors complete and check what is written.
func Schema() []byte { return bytes.Clone(scenarioSchema) }

// schemas compiles the schema when it is first needed: of a whole scenario, of
// one fault or quirk, of a list of them, and of webhooks.
var schemas = sync.OnceValue(func() (all struct{ scenario, fault, faults, quirk, quirks, webhooks *jsonschema.Schema }) {
	const name = "scenario.schema.json"
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	if err := compiler.AddResource(name, bytes.NewReader(scenarioSchema)); err != nil {
		panic(err) // the schema is embedded, and tests read it
	}
	all.scenario = compiler.MustCompile(name)
	all.fault = compiler.MustCompile(name + "#/$defs/fault")
	all.faults = compiler.MustCompile(name + "#/properties/faults")
	all.quirk = compiler.MustCompile(name + "#/$defs/quirk")
	all.quirks = compiler.MustCompile(name + "#/properties/quirks")
	all.webhooks = compiler.MustCompile(name + "#/$defs/webhooks")
	return all
})

// keep reports how the YAML text breaks the schema, at most by one problem: the
// strict types have found what people get wrong, this is what they let pass,
// such as a number in the place of a text.
func keep(schema *jsonschema.Schema, text []byte) []yamlfile.Problem {
	var read any
	if err := yaml.Unmarshal(text, &read); err != nil {
		return []yamlfile.Problem{yamlfile.ProblemOf(err)}
	}
	asJSON, err := json.Marshal(read)
	if err != nil {
		return []yamlfile.Problem{{Message: fmt.Sprintf("want what JSON can say: %v", err)}}
	}
	value, err := fault.DecodeJSON(asJSON)
	if err != nil {
		return []yamlfile.Problem{{Message: err.Error()}}
	}
	err = schema.Validate(value)
	if broken := (*jsonschema.ValidationError)(nil); errors.As(err, &broken) {
		for len(broken.Causes) > 0 {
			broken = broken.Causes[0]
		}
		return []yamlfile.Problem{{Path: dotted(broken.InstanceLocation), Message: broken.Message}}
	}
	if err != nil {
		return []yamlfile.Problem{{Message: err.Error()}}
	}
	return nil
}

var index = regexp.MustCompile(`\.([0-9]+)(\.|$)`)

// dotted turns a JSON pointer into a path such as faults[0].match.method.
func dotted(pointer string) string {
	path := strings.ReplaceAll(pointer, "/", ".")
	return strings.TrimPrefix(index.ReplaceAllString(path, "[$1]$2"), ".")
}
