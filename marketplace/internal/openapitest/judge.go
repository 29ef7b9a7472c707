// Package openapitest compares HTTP exchanges with their operation's description in an OpenAPI document, for
// tests. It is stricter than a general validator where the marketplace is: an answer may have only the headers
// on which callers act that are described, and the default response describes only what any request may receive.
package openapitest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/openapi"
)

// JudgeRequest lists where a request differs from the operation's description: parameters in query,
// headers and path, and the body.
func JudgeRequest(o *openapi.Operation, u *url.URL, headers http.Header, body []byte) (wrong []string) {
	query := u.Query()
	known := map[string]bool{}
	for _, p := range o.Parameters {
		var given []string
		switch p.In {
		case "query":
			given, known[p.Name] = query[p.Name], true
		case "header":
			given = headers.Values(p.Name)
		case "path":
			given = []string{o.Segment(u.EscapedPath(), p.Name)}
		}
		if len(given) == 0 && p.Required {
			wrong = append(wrong, fmt.Sprintf("the %s parameter %s is missing", p.In, p.Name))
		}
		for _, text := range given {
			if err := judgeText(p.Part, p.Schema["type"], text); err != nil {
				wrong = append(wrong, fmt.Sprintf("the %s parameter %s: %v", p.In, p.Name, err))
			}
		}
	}
	for name := range query {
		if !known[name] {
			wrong = append(wrong, fmt.Sprintf("the query parameter %s is not described", name))
		}
	}
	switch {
	case len(body) == 0 && o.Body != nil && o.Body.Required:
		wrong = append(wrong, "the body is missing")
	case len(body) > 0 && o.Body == nil:
		wrong = append(wrong, "a body is not described")
	case len(body) > 0:
		if err := judgeJSON(o.Body, body); err != nil {
			wrong = append(wrong, fmt.Sprintf("the body: %v", err))
		}
	}
	return wrong
}

// JudgeAnswer lists where an answer differs from the operation's description: the status, the
// headers and the body. The default response covers the statuses 405, 413, 415, 431 and 5xx.
func JudgeAnswer(o *openapi.Operation, status int, headers http.Header, body []byte) (wrong []string) {
	described, ok := o.Responses[strconv.Itoa(status)]
	if !ok {
		switch described, ok = o.Responses["default"]; {
		case !ok, status < http.StatusBadRequest, status < http.StatusInternalServerError && !everywhere[status]:
			return []string{fmt.Sprintf("the status %d is not described", status)}
		}
	}
	for name, h := range described.Headers {
		text := headers.Get(name)
		switch {
		case text == "" && h.Required:
			wrong = append(wrong, fmt.Sprintf("the header %s is missing", name))
		case text != "":
			if err := judgeText(h, "", text); err != nil {
				wrong = append(wrong, fmt.Sprintf("the header %s: %v", name, err))
			}
		}
	}
	for name := range headers {
		if isSignificant(name) && !slices.ContainsFunc(slices.Collect(maps.Keys(described.Headers)), func(known string) bool { return strings.EqualFold(known, name) }) {
			wrong = append(wrong, fmt.Sprintf("the header %s is not described for %d", name, status))
		}
	}
	kind, _, _ := mime.ParseMediaType(headers.Get("Content-Type"))
	content, ok := described.Content[kind]
	switch {
	case len(described.Content) == 0 && len(body) > 0:
		wrong = append(wrong, "a body is not described")
	case len(described.Content) > 0 && !ok:
		wrong = append(wrong, fmt.Sprintf("the content type %q is not described", kind))
	case kind == "application/json":
		body, err := decodeBody(headers, body)
		if err == nil {
			err = judgeJSON(content, body)
		}
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("the body: %v", err))
		}
	}
	return wrong
}

// everywhere are the statuses that any request may receive, as the default response describes.
var everywhere = map[int]bool{
	http.StatusMethodNotAllowed: true, http.StatusRequestEntityTooLarge: true, http.StatusUnsupportedMediaType: true,
	http.StatusRequestHeaderFieldsTooLarge: true,
}

// isSignificant reports whether callers act on a header, so that the document must describe it.
func isSignificant(name string) bool {
	switch name {
	case "Retry-After", "Etag", "Location", "Link":
		return true
	case "X-Content-Type-Options", "X-Robots-Tag": // for browsers and search engines
		return false
	}
	return strings.HasPrefix(name, "X-") || strings.HasPrefix(strings.ToLower(name), "ratelimit")
}

// decodeBody returns a body without its encoding.
func decodeBody(headers http.Header, body []byte) ([]byte, error) {
	if headers.Get("Content-Encoding") != "gzip" {
		return body, nil
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unpacked)
}

// compiled are the compiled schemas, by *openapi.Part.
var compiled sync.Map

// compile returns the compiled schema of a part.
func compile(p *openapi.Part) (*jsonschema.Schema, error) {
	if known, ok := compiled.Load(p); ok {
		return known.(*jsonschema.Schema), nil
	}
	text, err := json.Marshal(p.Schema)
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.Draft, compiler.AssertFormat, compiler.Formats = jsonschema.Draft2020, true, formats()
	if err := compiler.AddResource("part", bytes.NewReader(text)); err != nil {
		return nil, err
	}
	made, err := compiler.Compile("part")
	if err == nil {
		compiled.Store(p, made)
	}
	return made, err
}

var formats = sync.OnceValue(schemas.Formats)

func judgeJSON(p *openapi.Part, text []byte) error {
	schema, err := compile(p)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return err
	}
	return schema.Validate(value)
}

// judgeText validates a value in an address or a header, which has no type of its own.
func judgeText(p *openapi.Part, kind any, text string) error {
	schema, err := compile(p)
	if err != nil {
		return err
	}
	asText := schema.Validate(text)
	if asText == nil || kind == "string" {
		return asText
	}
	switch _, err := strconv.ParseFloat(text, 64); {
	case err == nil && json.Valid([]byte(text)):
		return schema.Validate(json.Number(text))
	case text == "true" || text == "false":
		return schema.Validate(text == "true")
	}
	return asText
}
