package apidocs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// document is an OpenAPI document, with what a page shows of it.
type document struct {
	Info struct {
		Title, Version, Summary string
		Description             string
	}
	Security []requirement
	Tags     []tag
	Paths    ordered[ordered[*operation]] // by path and method
	Webhooks ordered[ordered[*operation]] // by name and method

	Components struct {
		Schemas         map[string]*schema
		Parameters      map[string]*parameter
		Responses       ordered[*response]
		Headers         map[string]*parameter
		SecuritySchemes ordered[securityScheme]
		Links           map[string]*link
	}
}

type tag struct{ Name, Description string }

// requirement has the names of security schemes that a request needs together. An empty one needs none.
type requirement map[string][]string

type securityScheme struct {
	Type, Name, Description string
}

// Header returns the header field that the scheme asks for.
func (s securityScheme) Header() string {
	if s.Type == "http" {
		return "Authorization: Bearer …"
	}
	return s.Name + ": …"
}

type operation struct {
	OperationID          string
	Tags                 []string
	Summary, Description string
	Security             []requirement // nil means the document's
	Parameters           []*parameter
	RequestBody          *response
	Responses            ordered[*response]
}

// parameter is a parameter, or a header of an answer, which has no name of its own.
type parameter struct {
	Ref                   string `json:"$ref"`
	Name, In, Description string
	Required, Deprecated  bool
	Schema                *schema
	Example               json.RawMessage
	Examples              ordered[named]
}

// response is an answer or the body of a request.
type response struct {
	Ref         string `json:"$ref"`
	Description string
	Required    bool
	Headers     ordered[*parameter]
	Content     ordered[media]
	Links       ordered[*link]
}

type media struct {
	Schema   *schema
	Example  json.RawMessage
	Examples ordered[named]
}

// named is an example with a name.
type named struct {
	Summary string
	Value   json.RawMessage
}

type link struct {
	Ref         string `json:"$ref"`
	OperationID string
	Description string
}

// schema is a JSON Schema, with the keywords of our documents. A test fails on others.
type schema struct {
	Ref                  string `json:"$ref"`
	Title, Description   string
	Type                 kinds
	Properties           ordered[*schema]
	Required             []string
	Items                *schema
	AdditionalProperties *schema
	PropertyNames        *schema
	AllOf, AnyOf, OneOf  []*schema
	Not, If, Then, Else  json.RawMessage

	Enum                                     []json.RawMessage
	Const, Default                           json.RawMessage
	Examples                                 []json.RawMessage
	Format, Pattern                          string
	Minimum, Maximum, MultipleOf             json.Number
	MinLength, MaxLength, MinItems, MaxItems *int
	MinProperties, MaxProperties             *int
	Deprecated                               bool
	closed                                   bool // no other fields are allowed
}

// UnmarshalJSON also accepts true and false, which allow and forbid everything.
func (s *schema) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "true", "false":
		s.closed = string(text) == "false"
		return nil
	}
	type plain schema
	return json.Unmarshal(text, (*plain)(s))
}

// kinds are the types that a value may have.
type kinds []string

// UnmarshalJSON reads one type or a list.
func (k *kinds) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte(`"`)) {
		*k = kinds{""}
		return json.Unmarshal(text, &(*k)[0])
	}
	return json.Unmarshal(text, (*[]string)(k))
}

// ordered is an object whose members keep their order.
type ordered[T any] []member[T]

type member[T any] struct {
	Name  string
	Value T
}

// UnmarshalJSON reads an object.
func (o *ordered[T]) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		m := member[T]{Name: fmt.Sprint(name)}
		if err := decoder.Decode(&m.Value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		*o = append(*o, m)
	}
	return nil
}

// get returns the member of that name.
func (o ordered[T]) get(name string) (found T) {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return found
}

// readDocument reads a document that refers only to its own components.
func readDocument(text []byte) (*document, error) {
	text, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	d := &document{}
	return d, json.Unmarshal(text, d)
}

// component returns the name of the component that a reference leads to.
func component(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// schema returns the target of a reference, with what stands beside it, or the schema itself.
func (d *document) schema(s *schema) *schema {
	if s == nil || s.Ref == "" {
		return s
	}
	target := d.Components.Schemas[component(s.Ref)]
	if target == nil {
		return &schema{Description: s.Description}
	}
	found := *d.schema(target)
	found.Description = cmp.Or(s.Description, found.Description)
	return &found
}

func (d *document) parameter(p *parameter) *parameter {
	if p.Ref == "" {
		return p
	}
	from := d.Components.Parameters
	if strings.HasPrefix(p.Ref, "#/components/headers/") {
		from = d.Components.Headers
	}
	return cmp.Or(from[component(p.Ref)], p)
}

func (d *document) link(l *link) *link {
	if l.Ref == "" {
		return l
	}
	return cmp.Or(d.Components.Links[component(l.Ref)], l)
}

// call is an operation with its method and path.
type call struct {
	*operation
	Method, Path string
}

// calls returns the operations of a tag, as they stand in the document.
func (d *document) calls(tag string) (found []call) {
	for _, paths := range []ordered[ordered[*operation]]{d.Paths, d.Webhooks} {
		for _, path := range paths {
			for _, method := range path.Value {
				if op := method.Value; len(op.Tags) > 0 && op.Tags[0] == tag {
					found = append(found, call{op, strings.ToUpper(method.Name), path.Name})
				}
			}
		}
	}
	return found
}
