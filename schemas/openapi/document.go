package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
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

	pattern   *regexp.Regexp      // of the escaped paths that fit, with a group for each parameter
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

// parameterInPath is one in a path whose special characters are quoted.
var parameterInPath = regexp.MustCompile(`\\\{(\w+)\\\}`)

func (r *reader) operation(method, path string, node map[string]any, at string) *Operation {
	op := &Operation{Method: method, Path: path, responses: map[string]response{}}
	op.pattern = regexp.MustCompile("^" + parameterInPath.ReplaceAllString(regexp.QuoteMeta(path), "(?P<$1>[^/]+)") + "$")
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
		p.Schema = r.inlinedObject(node["schema"])
		op.Parameters = append(op.Parameters, p)
	}
	if body, at := r.child(node, at, "requestBody"); body != nil {
		content, at := r.child(body, at, "content")
		media, at := r.child(content, at, "application/json")
		op.Body = &Body{Schema: r.inlinedObject(media["schema"]), judge: r.schema(media, at)}
		op.Body.Required, _ = body["required"].(bool)
	}
	responses, at := r.child(node, at, "responses")
	for status := range responses {
		node, at := r.child(responses, at, status)
		op.responses[status] = r.response(node, at)
		if strings.HasPrefix(status, "2") {
			content, at := r.child(node, at, "content")
			if media, _ := r.child(content, at, "application/json"); media != nil {
				op.Answer = r.inlinedObject(media["schema"])
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

// inlined is a part of a schema with what its references lead to in their place. Our
// schemas do not refer to themselves.
func (r *reader) inlined(value any) any {
	switch value := value.(type) {
	case []any:
		made := make([]any, len(value))
		for i, item := range value {
			made[i] = r.inlined(item)
		}
		return made
	case map[string]any:
		made := map[string]any{}
		if ref, ok := value["$ref"].(string); ok {
			target, _ := r.resolved(map[string]any{"$ref": ref}, "")
			made = r.inlinedObject(target)
		}
		for name, child := range value {
			properties, brought := made[name].(map[string]any) // by the reference
			switch child := r.inlined(child); {
			case name == "$ref":
			case brought && (name == "properties" || name == "patternProperties"):
				maps.Copy(properties, child.(map[string]any))
			default:
				made[name] = child
			}
		}
		return made
	}
	return value
}

func (r *reader) inlinedObject(value any) map[string]any {
	object, _ := r.inlined(value).(map[string]any)
	return object
}
