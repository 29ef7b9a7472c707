package apidocs

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// example returns a value of the schema: an example of the document, or one that is put together of
// the examples of its fields.
func (d *document) example(s *schema, within []string) json.RawMessage {
	if s == nil {
		return nil
	}
	if s.Ref != "" {
		if slices.Contains(within, s.Ref) {
			return nil
		}
		within = append(within[:len(within):len(within)], s.Ref)
	}
	s = d.schema(s)
	switch {
	case len(s.Examples) > 0:
		return s.Examples[0]
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Default != nil && s.Properties == nil:
		return s.Default
	case s.Items != nil:
		return slices.Concat([]byte("["), d.example(s.Items, within), []byte("]"))
	case len(s.AnyOf)+len(s.OneOf) > 0:
		return d.example(append(s.AnyOf[:len(s.AnyOf):len(s.AnyOf)], s.OneOf...)[0], within)
	}
	fields := d.exampleFields(s, within)
	switch {
	case len(fields) > 0:
		return slices.Concat([]byte("{"), bytes.Join(fields, []byte(",")), []byte("}"))
	case len(s.Type) == 0:
		return nil
	}
	return json.RawMessage(map[string]string{"string": `"…"`, "integer": "1", "number": "1.5", "boolean": "true", "array": "[]", "object": "{}"}[s.Type[0]])
}

// exampleFields returns the fields of an object, each as its name and its value.
func (d *document) exampleFields(s *schema, within []string) (fields [][]byte) {
	for _, p := range s.Properties {
		if value := d.example(p.Value, within); value != nil {
			name, _ := json.Marshal(p.Name)
			fields = append(fields, slices.Concat(name, []byte(":"), value))
		}
	}
	for _, part := range s.AllOf {
		fields = append(fields, d.exampleFields(d.schema(part), within)...)
	}
	return fields
}

// indented returns JSON over several lines.
func indented(value json.RawMessage) string {
	var text bytes.Buffer
	if json.Indent(&text, value, "", "  ") != nil {
		return ""
	}
	return text.String()
}

// curl returns the command that sends an operation's request, up to its address and after it.
func (d *document) curl(v *view, tokens []Token) (before, after string) {
	path, query := v.Path, url.Values{}
	for _, given := range v.operation.Parameters {
		p := d.parameter(given)
		value := ""
		if sample := p.sample(); sample != nil {
			value = plain(sample)
		}
		switch {
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
		case p.In == "query" && p.Required:
			query.Set(p.Name, value)
		case p.In == "header" && p.Required:
			after += " \\\n  -H " + quote(p.Name+": "+value)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if v.Method != "GET" && (v.Method != "POST" || v.Body == nil) {
		before = "-X " + v.Method + " "
	}
	for _, token := range tokens {
		if field := d.header(token, v.Security); field != "" {
			after += " \\\n  -H \"" + field + "\""
			break
		}
	}
	if v.Body != nil && len(v.Body.Media) > 0 {
		m := v.Body.Media[0]
		after += " \\\n  -H " + quote("Content-Type: "+m.Type)
		if len(m.Examples) > 0 {
			after += " \\\n  --data-binary " + quote(m.Examples[0].Text)
		}
	}
	return "curl " + before + `"`, path + `"` + after
}

// header returns the header field that carries a token, if the operation accepts it.
func (d *document) header(token Token, accepted []requirement) string {
	for _, all := range accepted {
		if _, ok := all[token.Scheme]; !ok {
			continue
		}
		return strings.Replace(d.Components.SecuritySchemes.get(token.Scheme).Header(), "…", "$"+token.Variable, 1)
	}
	return ""
}

// quote returns a text as one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
