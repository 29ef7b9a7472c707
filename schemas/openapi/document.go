package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// Document is one of our OpenAPI documents. It is safe for concurrent use.
type Document struct{ operations []*Operation }

// Operation is one method of one path.
type Operation struct {
	ID           string   `json:"operationId"`
	Method, Path string   `json:"-"` // GET, and the template, such as /things/{thing}
	Security     []string `json:"-"` // the accepted security schemes; empty for a public operation
	Parameters   []Parameter
	Body         *Part          `json:"-"` // nil if it takes no body
	Answer       map[string]any `json:"-"` // the schema of the successful JSON answer, as in a Part; nil if there is no such answer

	Responses map[string]Response // by status, or default

	pattern *regexp.Regexp // matches the escaped paths, with a group for each parameter
}

// Part is a parameter, a header or a body.
type Part struct {
	Required bool
	Schema   map[string]any // with references resolved
}

// Parameter is a parameter of an operation.
type Parameter struct {
	Name, In string
	Example  any // nil if the document gives no example
	*Part
}

// Response is a response that an operation may give.
type Response struct {
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
}

// Read reads a document of schemas.Files, such as Marketplace.
func Read(file string) (*Document, error) {
	text, err := Bundle(file)
	if err == nil {
		text, err = yaml.YAMLToJSON(text)
	}
	var whole root
	if err == nil {
		err = json.Unmarshal(text, &whole)
	}
	var document struct {
		Security []map[string]any
		Paths    map[string]map[string]*operationNode
	}
	if err == nil {
		text, err = json.Marshal(whole.inlineRefs(map[string]any{"security": whole["security"], "paths": whole["paths"]}))
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
			d.operations = append(d.operations, node.operation())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return d, nil
}

// Operations returns all operations, by path and method.
func (d *Document) Operations() []*Operation { return d.operations }

// Find returns the operation for a method and an escaped path, or nil if the document does not have
// it. The result methods lists the document's methods for the path.
func (d *Document) Find(method, path string) (found *Operation, methods []string) {
	for _, op := range d.operations { // a literal segment comes before a parameter
		if op.pattern.MatchString(path) {
			methods = append(methods, op.Method)
			if op.Method == method && found == nil {
				found = op
			}
		}
	}
	return found, methods
}

// Segment returns the value of a parameter in an escaped path, or "" if the path has none.
func (o *Operation) Segment(path, name string) string {
	given := o.pattern.FindStringSubmatch(path)
	if i := o.pattern.SubexpIndex(name); i >= 0 && given != nil {
		if value, err := url.PathUnescape(given[i]); err == nil {
			return value
		}
	}
	return ""
}

// root is a bundle.
type root map[string]any

// inlineRefs returns a part of the document with references replaced by their targets. Our schemas do
// not refer to themselves. Keywords next to a reference are merged into its target.
func (r root) inlineRefs(value any) any {
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
			node := map[string]any(r) // a test follows all references
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

func (n *operationNode) operation() *Operation {
	op := &n.Operation
	op.pattern = regexp.MustCompile("^" + parameterInPath.ReplaceAllString(regexp.QuoteMeta(op.Path), "(?P<$1>[^/]+)") + "$")
	for _, scheme := range n.Security {
		op.Security = slices.AppendSeq(op.Security, maps.Keys(scheme))
	}
	if op.Body = n.RequestBody.Content["application/json"]; op.Body != nil {
		op.Body.Required = n.RequestBody.Required
	}
	for status, response := range op.Responses {
		if body := response.Content["application/json"]; body != nil && strings.HasPrefix(status, "2") {
			op.Answer = body.Schema
		}
	}
	return op
}
