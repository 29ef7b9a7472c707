package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"partnerkit.dev/schemas"
)

// Document is an OpenAPI document of ours, ready to judge by. It is safe for concurrent
// use.
type Document struct{ operations []*Operation }

// Operation is one method of one path.
type Operation struct {
	ID           string
	Method, Path string   // GET, and the template, such as /things/{thing}
	Security     []string // the schemes of which one opens it; none: anybody may come in
	Parameters   []Parameter
	Body         *Body          // nil: it takes none
	Answer       map[string]any // the schema of the good answer's JSON, as it is written, references resolved; nil: it has none

	responses map[string]response // by status, or default
}

// Parameter is one of an operation's.
type Parameter struct {
	Name, In string
	Required bool
	Schema   map[string]any // as it is written, references resolved
	Example  any            // nil: there is none
	judge    *jsonschema.Schema
}

// Body is what an operation takes.
type Body struct {
	Required bool
	Schema   map[string]any // as it is written, references resolved
	judge    *jsonschema.Schema
}

// response is one that an operation may give.
type response struct {
	headers map[string]header
	content map[string]*jsonschema.Schema // by media type
}

type header struct {
	required bool
	judge    *jsonschema.Schema
}

// Read reads a document of schemas.Files, such as Marketplace.
func Read(file string) (*Document, error) {
	text, err := Bundle(file)
	if err != nil {
		return nil, err
	}
	r := reader{compiler: jsonschema.NewCompiler()}
	if text, err = yaml.YAMLToJSON(text); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	if err := json.Unmarshal(text, &r.root); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	r.compiler.Draft = jsonschema.Draft2020
	r.compiler.AssertFormat = true
	r.compiler.Formats = schemas.Formats()
	if err := r.compiler.AddResource(bundleName, bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	d := &Document{}
	paths, at := r.child(r.root, "#", "paths")
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item, at := r.child(paths, at, path)
		for _, method := range slices.Sorted(maps.Keys(item)) {
			op, at := r.child(item, at, method)
			d.operations = append(d.operations, r.operation(strings.ToUpper(method), path, op, at))
		}
	}
	if r.err != nil {
		return nil, fmt.Errorf("read %s: %w", file, r.err)
	}
	return d, nil
}

// Operations returns all of them, by path and method.
func (d *Document) Operations() []*Operation { return d.operations }

// bundleName names a bundle to the compiler; nothing is fetched there.
const bundleName = "https://partnerkit.dev/schemas/openapi/bundle"

// reader reads a bundle. It keeps its first error.
type reader struct {
	root     map[string]any
	compiler *jsonschema.Compiler
	err      error
}

// child goes one step down, and to where a reference there leads: the object, and its
// own place.
func (r *reader) child(node map[string]any, at, name string) (map[string]any, string) {
	return r.resolved(node[name], at+"/"+pointerEscaper.Replace(name))
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func (r *reader) resolved(value any, at string) (map[string]any, string) {
	node, _ := value.(map[string]any)
	for len(node) == 1 && node["$ref"] != nil {
		at, _ = node["$ref"].(string)
		node = r.root
		for _, token := range strings.Split(at, "/")[1:] {
			node, _ = node[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)].(map[string]any)
		}
		if node == nil {
			r.fail(fmt.Errorf("%s leads nowhere", at))
		}
	}
	return node, at
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) operation(method, path string, node map[string]any, at string) *Operation {
	op := &Operation{Method: method, Path: path, responses: map[string]response{}}
	op.ID, _ = node["operationId"].(string)
	security, own := node["security"].([]any)
	if !own {
		security, _ = r.root["security"].([]any)
	}
	for _, scheme := range security {
		for name := range scheme.(map[string]any) {
			op.Security = append(op.Security, name)
		}
	}
	list, _ := node["parameters"].([]any)
	for i, item := range list {
		node, at := r.resolved(item, fmt.Sprintf("%s/parameters/%d", at, i))
		p := Parameter{Example: node["example"], judge: r.schema(node, at)}
		p.Name, _ = node["name"].(string)
		p.In, _ = node["in"].(string)
		p.Required, _ = node["required"].(bool)
		p.Schema = r.inlined(node["schema"])
		op.Parameters = append(op.Parameters, p)
	}
	if body, at := r.child(node, at, "requestBody"); body != nil {
		content, at := r.child(body, at, "content")
		media, at := r.child(content, at, "application/json")
		op.Body = &Body{Schema: r.inlined(media["schema"]), judge: r.schema(media, at)}
		op.Body.Required, _ = body["required"].(bool)
	}
	responses, at := r.child(node, at, "responses")
	for status := range responses {
		node, at := r.child(responses, at, status)
		op.responses[status] = r.response(node, at)
		if strings.HasPrefix(status, "2") {
			content, at := r.child(node, at, "content")
			if media, _ := r.child(content, at, "application/json"); media != nil {
				op.Answer = r.inlined(media["schema"])
			}
		}
	}
	return op
}

func (r *reader) response(node map[string]any, at string) response {
	made := response{headers: map[string]header{}, content: map[string]*jsonschema.Schema{}}
	headers, above := r.child(node, at, "headers")
	for name := range headers {
		node, at := r.child(headers, above, name)
		required, _ := node["required"].(bool)
		made.headers[http.CanonicalHeaderKey(name)] = header{required: required, judge: r.schema(node, at)}
	}
	content, above := r.child(node, at, "content")
	for kind := range content {
		media, at := r.child(content, above, kind)
		made.content[kind] = r.schema(media, at)
	}
	return made
}

// schema compiles the schema of a parameter, a header or a body.
func (r *reader) schema(node map[string]any, at string) *jsonschema.Schema {
	if node["schema"] == nil {
		r.fail(fmt.Errorf("%s has no schema", at))
		return nil
	}
	compiled, err := r.compiler.Compile(bundleName + at + "/schema")
	if err != nil {
		r.fail(fmt.Errorf("%s: %w", at, err))
	}
	return compiled
}

// inlined is a schema with what its references lead to in their place. Ours do not
// refer to themselves.
func (r *reader) inlined(value any) map[string]any {
	node, _ := value.(map[string]any)
	made := map[string]any{}
	if ref, ok := node["$ref"].(string); ok {
		target, _ := r.resolved(map[string]any{"$ref": ref}, "")
		maps.Copy(made, r.inlined(target))
	}
	for keyword, value := range node {
		switch below := value.(type) {
		case map[string]any:
			switch keyword {
			case "items", "additionalProperties":
				made[keyword] = r.inlined(below)
			case "properties", "patternProperties":
				properties := map[string]any{}
				brought, _ := made[keyword].(map[string]any)
				maps.Copy(properties, brought) // by a reference beside it
				for name, property := range below {
					properties[name] = r.inlined(property)
				}
				made[keyword] = properties
			default:
				made[keyword] = below
			}
		default:
			made[keyword] = value
			if keyword == "anyOf" {
				var branches []any
				for _, branch := range value.([]any) {
					branches = append(branches, r.inlined(branch))
				}
				made[keyword] = branches
			}
		}
	}
	delete(made, "$ref")
	return made
}
