package fault

import (
	"context"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"partnerkit.dev/mockpartner/internal/invalid"
)

// Headers changes the answer's headers.
type Headers struct {
	Set    map[string]string `yaml:"set" json:"set,omitempty"`
	Remove []string          `yaml:"remove" json:"remove,omitempty"`
}

// headerName matches the header names that RFC 9110 allows.
var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

func (h *Headers) compile() (any, error) {
	if len(h.Set) == 0 && len(h.Remove) == 0 {
		return nil, invalid.ErrorAt("headers", "expected set or remove")
	}
	check := func(path, name string) error {
		switch {
		case !headerName.MatchString(name):
			return invalid.ErrorAt(path, "%q is not a valid header name", name)
		case slices.Contains([]string{"Content-Length", "Transfer-Encoding", "Connection"}, textproto.CanonicalMIMEHeaderKey(name)):
			return invalid.ErrorAt(path, "%s follows from how the answer is sent: limit_data and fault break it", name)
		}
		return nil
	}
	for name, value := range h.Set {
		if err := check("headers.set", name); err != nil {
			return nil, err
		}
		if strings.ContainsAny(value, "\r\n\x00") {
			return nil, invalid.ErrorAt("headers.set", "%s: expected a value without line breaks", name)
		}
	}
	for _, name := range h.Remove {
		if err := check("headers.remove", name); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func (h *Headers) transform(_ context.Context, answer *response, _ func() []any) error {
	for _, name := range h.Remove {
		// A nil value keeps net/http from adding its own.
		answer.header[textproto.CanonicalMIMEHeaderKey(name)] = nil
	}
	for name, value := range h.Set {
		answer.header.Set(name, value)
	}
	return nil
}
