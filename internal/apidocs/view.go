package apidocs

import (
	"cmp"
	"encoding/json"
	"html/template"
	"slices"
	"strings"
)

// view is an operation, arranged for display.
type view struct {
	call
	IsWebhook  bool // the service sends the request, to an address of the caller's
	Text       template.HTML
	Security   []requirement
	Access     []string // the header fields that let a caller in; "" if none is needed
	Parameters []field
	Body       *answer
	Answers    []answer

	Before, After string // the curl command around the service's address
}

// answer is an answer of an operation, or the body of its request.
type answer struct {
	Status   string
	Shared   string // the name of an answer that several operations give; it is shown once on the page
	Text     template.HTML
	Required bool
	Open     bool
	Headers  []field
	Media    []content
	Links    []member[string] // operation ids, with what follows
}

// content is a body of one content type.
type content struct {
	Type     string
	Value    field
	Examples []example
}

type example struct{ Name, Text string }

func (d *document) view(op call) view {
	v := view{call: op, Text: markdown(op.Description), Security: op.Security, IsWebhook: !strings.HasPrefix(op.Path, "/")}
	if op.Security == nil {
		v.Security = d.Security
	}
	v.Access = d.access(v.Security)
	for _, p := range op.Parameters {
		v.Parameters = append(v.Parameters, d.parameterField("", p))
	}
	slices.SortStableFunc(v.Parameters, func(a, b field) int {
		return cmp.Compare(slices.Index(places, a.In), slices.Index(places, b.In))
	})
	if op.RequestBody != nil {
		body := d.answer("", op.RequestBody)
		v.Body = &body
	}
	for _, r := range op.Responses {
		v.Answers = append(v.Answers, d.answer(r.Name, r.Value))
	}
	return v
}

// places are the places of parameters, in the order of a request.
var places = []string{"path", "query", "header"}

// access returns the header fields of which a caller sends one.
func (d *document) access(accepted []requirement) (ways []string) {
	for _, all := range accepted {
		way := ""
		for _, scheme := range d.Components.SecuritySchemes {
			if _, ok := all[scheme.Name]; ok {
				way = scheme.Value.Header()
			}
		}
		ways = append(ways, way)
	}
	return ways
}

// answer describes an answer. What several operations share is only named.
func (d *document) answer(status string, r *response) answer {
	if r.Ref != "" {
		name := component(r.Ref)
		return answer{Status: status, Shared: name, Text: markdown(d.Components.Responses.get(name).Description)}
	}
	a := answer{Status: status, Text: markdown(r.Description), Required: r.Required, Open: strings.HasPrefix(status, "2")}
	for _, h := range r.Headers {
		a.Headers = append(a.Headers, d.parameterField(h.Name, h.Value))
	}
	for _, m := range r.Content {
		a.Media = append(a.Media, d.content(m.Name, m.Value, status == "" || a.Open))
	}
	for _, l := range r.Links {
		to := d.link(l.Value)
		a.Links = append(a.Links, member[string]{to.OperationID, to.Description})
	}
	return a
}

// content describes a body. Without an example of its own it is shown with those of its schema, if wanted.
func (d *document) content(kind string, m media, examples bool) content {
	c := content{Type: kind, Value: d.field("", m.Schema, nil)}
	for _, e := range m.Examples {
		c.Examples = append(c.Examples, example{cmp.Or(e.Value.Summary, e.Name), indented(e.Value.Value)})
	}
	var values []json.RawMessage
	switch {
	case len(c.Examples) > 0:
	case m.Example != nil:
		values = []json.RawMessage{m.Example}
	case !examples:
	case m.Schema != nil && len(d.schema(m.Schema).Examples) > 0:
		values = d.schema(m.Schema).Examples
	default:
		values = []json.RawMessage{d.example(m.Schema, nil)}
	}
	for _, value := range values {
		if value != nil && isComposite(value) {
			c.Examples = append(c.Examples, example{"Example", indented(value)})
		}
	}
	return c
}

// shared returns the answers that the operations share, each once.
func (d *document) shared(operations []view) (found []answer) {
	for _, r := range d.Components.Responses {
		used := func(a answer) bool { return a.Shared == r.Name }
		if slices.ContainsFunc(operations, func(v view) bool { return slices.ContainsFunc(v.Answers, used) }) {
			a := d.answer("", r.Value)
			a.Shared = r.Name
			found = append(found, a)
		}
	}
	return found
}
