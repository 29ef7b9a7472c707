package openapi

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

	"github.com/santhosh-tekuri/jsonschema/v5"
)

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

// JudgeRequest lists where a request differs from the operation's description: parameters in query,
// headers and path, and the body.
func (o *Operation) JudgeRequest(u *url.URL, headers http.Header, body []byte) (wrong []string) {
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
			given = []string{o.segment(u.EscapedPath(), p.Name)}
		}
		if len(given) == 0 && p.Required {
			wrong = append(wrong, fmt.Sprintf("the %s parameter %s is missing", p.In, p.Name))
		}
		for _, text := range given {
			if err := judgeText(p.judge, p.Schema["type"], text); err != nil {
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
		if err := judgeJSON(o.Body.judge, body); err != nil {
			wrong = append(wrong, fmt.Sprintf("the body: %v", err))
		}
	}
	return wrong
}

// segment returns the value of a path parameter.
func (o *Operation) segment(path, name string) string {
	given := o.pattern.FindStringSubmatch(path)
	if i := o.pattern.SubexpIndex(name); i >= 0 && given != nil {
		if value, err := url.PathUnescape(given[i]); err == nil {
			return value
		}
	}
	return ""
}

// JudgeAnswer lists where an answer differs from the operation's description: the status, the
// headers and the body. The default response covers the statuses 405, 413, 415, 431 and 5xx.
func (o *Operation) JudgeAnswer(status int, headers http.Header, body []byte) (wrong []string) {
	described, ok := o.responses[strconv.Itoa(status)]
	if !ok {
		switch described, ok = o.responses["default"]; {
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
			if err := judgeText(h.judge, "", text); err != nil {
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
			err = judgeJSON(content.judge, body)
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

func judgeJSON(schema *jsonschema.Schema, text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return err
	}
	return schema.Validate(value)
}

// judgeText validates a value in an address or a header, which has no type of its own.
func judgeText(schema *jsonschema.Schema, kind any, text string) error {
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
