package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"partnerkit.dev/schemas"
)

// Document is one of our OpenAPI documents, compiled for validation. It is safe for concurrent use.
type Document struct{ operations []*Operation }

// Operation is one method of one path.
type Operation struct {
	ID           string   `json:"operationId"`
	Method, Path string   `json:"-"` // GET, and the template, such as /things/{thing}
	Security     []string `json:"-"` // the accepted security schemes; empty for a public operation
	Parameters   []Parameter
	Body         *Part          `json:"-"` // nil if it takes no body
	Answer       map[string]any `json:"-"` // the schema of the successful JSON answer, as in a Part; nil if there is no such answer

	pattern   *regexp.Regexp      // matches the escaped paths, with a group for each parameter
	responses map[string]response // by status, or default
}

// Part is a parameter, a header or a body.
type Part struct {
	Required bool
	Schema   map[string]any // with references resolved
	judge    *jsonschema.Schema
}

// Parameter is a parameter of an operation.
type Parameter struct {
	Name, In string
	Example  any // nil if the document gives no example
	*Part
}

// response is a response that an operation may give.
type response struct {
	Headers map[string]*Part
	Content map[string]*Part // by media type
}

// operationNode is an operation in the document.
type operationNode struct {
	Operation
	Security    []map[string]any // nil means the document's
	RequestBody struct {
		Required bool
		Content  map[string]*Part
	}
	Responses map[string]response
}

// Read reads a document of schemas.Files, such as Marketplace.
func Read(file string) (*Document, error) {
	text, err := Bundle(file)
	if err == nil {
		text, err = yaml.YAMLToJSON(text)
	}
	r := reader{judges: map[string]*jsonschema.Schema{}}
	if err == nil {
		err = json.Unmarshal(text, &r.root)
	}
	var document struct {
		Security []map[string]any
		Paths    map[string]map[string]*operationNode
	}
	if err == nil {
		text, err = json.Marshal(r.inlineRefs(map[string]any{"security": r.root["security"], "paths": r.root["paths"]}))
	}
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	d := &Document{}
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(document.Paths[path])) {
			node := document.Paths[path][method]
			if node.Security == nil {
				node.Security = document.Security
			}
			node.Method, node.Path = strings.ToUpper(method), path
			d.operations = append(d.operations, r.operation(node))
		}
	}
	if err = errors.Join(err, r.err); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return d, nil
}

// Operations returns all operations, by path and method.
func (d *Document) Operations() []*Operation { return d.operations }

// reader reads a bundle. It collects errors.
type reader struct {
	root   map[string]any
	judges map[string]*jsonschema.Schema // by their text
	err    error
}

// inlineRefs returns a part of the document with references replaced by their targets. Our schemas do
// not refer to themselves. Keywords next to a reference are merged into its target.
func (r *reader) inlineRefs(value any) any {
	switch value := value.(type) {
	case []any:
		made := make([]any, len(value))
		for i, item := range value {
			made[i] = r.inlineRefs(item)
		}
		return made
	case map[string]any:
		made := map[string]any{}
		if ref, ok := value["$ref"].(string); ok {
			node := r.root // a test follows all references
			for _, name := range strings.Split(ref, "/")[1:] {
				node, _ = node[name].(map[string]any)
			}
			made, _ = r.inlineRefs(node).(map[string]any)
		}
		for name, child := range value {
			switch brought, child := made[name], r.inlineRefs(child); {
			case name == "$ref":
			case brought != nil && (name == "properties" || name == "patternProperties"):
				maps.Copy(brought.(map[string]any), child.(map[string]any))
			case brought != nil && name == "required":
				made[name] = append(brought.([]any), child.([]any)...)
			default:
				made[name] = child
			}
		}
		return made
	}
	return value
}

// parameterInPath matches a parameter in a path whose special characters are quoted.
var parameterInPath = regexp.MustCompile(`\\\{(\w+)\\\}`)

func (r *reader) operation(node *operationNode) *Operation {
	op := &node.Operation
	op.pattern = regexp.MustCompile("^" + parameterInPath.ReplaceAllString(regexp.QuoteMeta(op.Path), "(?P<$1>[^/]+)") + "$")
	op.responses = node.Responses
	for _, scheme := range node.Security {
		op.Security = slices.AppendSeq(op.Security, maps.Keys(scheme))
	}
	for _, p := range op.Parameters {
		r.prepare(p.Part)
	}
	if op.Body = node.RequestBody.Content["application/json"]; op.Body != nil {
		op.Body.Required = node.RequestBody.Required
		r.prepare(op.Body)
	}
	for status, response := range op.responses {
		for _, header := range response.Headers {
			r.prepare(header)
		}
		for kind, body := range response.Content {
			r.prepare(body)
			if strings.HasPrefix(status, "2") && kind == "application/json" {
				op.Answer = body.Schema
			}
		}
	}
	return op
}

// prepare compiles the schema of a part.
func (r *reader) prepare(p *Part) {
	text, err := json.Marshal(p.Schema)
	if err == nil && r.judges[string(text)] == nil {
		compiler := jsonschema.NewCompiler()
		compiler.Draft = jsonschema.Draft2020
		compiler.AssertFormat = true
		compiler.Formats = formats()
		if err = compiler.AddResource("part", bytes.NewReader(text)); err == nil {
			r.judges[string(text)], err = compiler.Compile("part")
		}
	}
	p.judge = r.judges[string(text)]
	r.err = errors.Join(r.err, err)
}

var formats = sync.OnceValue(schemas.Formats)
