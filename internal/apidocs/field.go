package apidocs

import (
	"cmp"
	"encoding/json"
	"html/template"
	"slices"
	"strings"

	"partnerkit.dev/internal/plural"
)

// field is a parameter, a header, or a value in a body, with the fields in it.
type field struct {
	Name       string // or "Either" and "Or", of values that have several forms
	In         string // where a parameter is
	Kind       string
	Required   bool
	Deprecated bool
	Text       []template.HTML
	Bounds     []bound
	Fields     []field
	Form       bool // one of several forms of a value, which has no name
	Open       bool // the fields in it are shown
}

// bound is what a value must be, such as one of some values.
type bound struct {
	Words  string
	Values []string
}

const (
	// mostNested limits the fields in fields that a page shows.
	mostNested = 12
	// fewFields is how many fields of an object are so few that those in them are shown too.
	fewFields = 3
)

// parameterField describes a parameter or a header.
func (d *document) parameterField(name string, p *parameter) field {
	p = d.parameter(p)
	f := d.field(cmp.Or(p.Name, name), p.Schema, nil)
	f.In, f.Required, f.Deprecated = p.In, p.Required, p.Deprecated
	if p.Description != "" {
		f.Text = append([]template.HTML{markdown(p.Description)}, f.Text...)
	}
	if example := p.sample(); example != nil {
		f.Bounds = append(f.Bounds, bound{"Example:", []string{plain(example)}})
	}
	return f
}

// field describes a value. The components that it is within are not shown in themselves again.
func (d *document) field(name string, s *schema, within []string) field {
	f := field{Name: name}
	if s != nil {
		f.Kind = d.kind(s)
		d.describe(&f, s, "", within)
	}
	for i := range f.Fields {
		f.Fields[i].Open = len(f.Fields) <= fewFields
	}
	return f
}

// describe adds the words and fields of a schema to a field. The prefix each marks those of the items of
// a list.
func (d *document) describe(f *field, s *schema, each string, within []string) {
	component := s.Ref
	s = d.schema(s)
	if s.Description != "" {
		f.Text = append(f.Text, markdown(s.Description))
	}
	f.Bounds = append(f.Bounds, s.bounds(each)...)
	f.Deprecated = f.Deprecated || s.Deprecated
	if component != "" && slices.Contains(within, component) || len(within) > mostNested {
		return
	}
	within = append(within[:len(within):len(within)], component)
	for _, p := range s.Properties {
		one := d.field(p.Name, p.Value, within)
		one.Required = slices.Contains(s.Required, p.Name)
		f.Fields = append(f.Fields, one)
	}
	for i, name := range s.Required { // of a schema that only adds to another
		if s.Properties == nil && !slices.ContainsFunc(f.Fields, func(known field) bool { return known.Name == name }) {
			f.Bounds = append(f.Bounds, bound{Words: each + "Required:", Values: s.Required[i : i+1]})
		}
	}
	if more := s.AdditionalProperties; more != nil && more.closed {
		f.Bounds = append(f.Bounds, bound{Words: "No other fields."})
	} else if more != nil {
		one := d.field("{any name}", more, within)
		if s.PropertyNames != nil {
			one.Bounds = append(s.PropertyNames.bounds("The name: "), one.Bounds...)
		}
		f.Fields = append(f.Fields, one)
	}
	if s.Items != nil {
		d.describe(f, s.Items, "Each: ", within)
	}
	for _, part := range s.AllOf {
		d.describe(f, part, each, within)
	}
	for i, form := range append(s.AnyOf[:len(s.AnyOf):len(s.AnyOf)], s.OneOf...) {
		one := d.field([]string{"Either", "Or"}[min(i, 1)], form, within)
		one.Form = true
		f.Fields = append(f.Fields, one)
	}
}

// kind names the type of a value, and its component.
func (d *document) kind(s *schema) string {
	name := ""
	if s.Ref != "" {
		name = component(s.Ref)
		s = d.schema(s)
	}
	words := strings.Join(s.Type, " or ")
	switch {
	case s.Items != nil && slices.Contains(s.Type, "array"):
		words = strings.Replace(words, "array", "list of "+d.kind(s.Items), 1)
	case words == "" && len(s.AllOf) > 0:
		words = d.kind(s.AllOf[0])
	case words == "" && len(s.AnyOf)+len(s.OneOf) > 0:
		words = "one of several forms"
	case words == "":
		words = "any value"
	}
	if name != "" && words == "object" {
		return name
	}
	return words
}

// bounds returns what a value must be, apart from its type and its fields.
func (s *schema) bounds(each string) (found []bound) {
	add := func(words string, values ...string) {
		found = append(found, bound{each + words, values})
	}
	limits := func(least, most, noun string) {
		switch {
		case least != "" && most != "":
			add(least + " to " + most + noun + ".")
		case least != "":
			add("At least " + least + noun + ".")
		case most != "":
			add("At most " + most + noun + ".")
		}
	}
	limits(s.Minimum.String(), s.Maximum.String(), "")
	limits(number(s.MinLength), number(s.MaxLength), " characters")
	limits(number(s.MinItems), number(s.MaxItems), " items")
	limits(number(s.MinProperties), number(s.MaxProperties), " fields")
	if s.MultipleOf != "" {
		add("A multiple of " + s.MultipleOf.String() + ".")
	}
	if s.Format != "" {
		add("Format:", s.Format)
	}
	if s.Pattern != "" {
		add("Pattern:", s.Pattern)
	}
	if s.Enum != nil {
		add("One of", plains(s.Enum)...)
	}
	if s.Const != nil {
		add("Always", plain(s.Const))
	}
	if s.Default != nil {
		add("Default:", plain(s.Default))
	}
	if scalars := slices.DeleteFunc(slices.Clone(s.Examples), isComposite); len(scalars) > 0 {
		add(map[bool]string{true: "Example:", false: "Examples:"}[len(scalars) == 1], plains(scalars)...)
	}
	if s.Not != nil {
		add("Does not match", plain(s.Not))
	}
	if s.If != nil {
		values := []string{plain(s.If)}
		words := "If it matches the first, it also matches the second:"
		for _, then := range []json.RawMessage{s.Then, s.Else} {
			if then != nil {
				values = append(values, plain(then))
			}
		}
		if s.Else != nil {
			words = "If it matches the first, it also matches the second, otherwise the last:"
		}
		add(words, values...)
	}
	return found
}

func number(n *int) string {
	if n == nil {
		return ""
	}
	return plural.Thousands(*n)
}

// isComposite reports whether a value is an object or a list.
func isComposite(value json.RawMessage) bool { return value[0] == '{' || value[0] == '[' }

// plain returns a value for a text: a string without its quotes.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil && value[0] == '"' {
		if text == "" {
			return `""`
		}
		return text
	}
	return string(value)
}

func plains(values []json.RawMessage) (texts []string) {
	for _, value := range values {
		texts = append(texts, plain(value))
	}
	return texts
}

// sample returns the parameter's example, or nil.
func (p *parameter) sample() json.RawMessage {
	if p.Example != nil {
		return p.Example
	}
	for _, example := range p.Examples {
		return example.Value.Value
	}
	return nil
}
