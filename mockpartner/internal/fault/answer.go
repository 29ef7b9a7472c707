package fault

import (
	"context"
	"encoding/json"
	"net/http"
	"net/textproto"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/reply"
)

// Answer replaces the partner's answer.
type Answer struct {
	// Status is the answer's status. With a body it may be omitted and is then 200.
	Status int `yaml:"status" json:"status,omitempty"`
	// Body is sent as JSON, a string unchanged. If absent, a message names the fault.
	Body any `yaml:"body" json:"body,omitempty"`
}

func (a Answer) compile() (any, error) {
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	if err := invalid.Within("status", a.Status, 200, 599); err != nil {
		return nil, err
	}
	if _, err := json.Marshal(a.Body); err != nil {
		return nil, invalid.At("body", "expected a JSON value: %v", err)
	}
	return a, nil
}

func (a Answer) replace(fault string) *response {
	answer := refusal(a.Status, "This is the fault "+fault+".")
	switch body := a.Body.(type) {
	case nil:
	case string:
		answer.body = []byte(body)
	default:
		answer.body, _ = reply.Marshal(body) // compile has validated it
	}
	if a.Status == http.StatusNoContent || a.Status == http.StatusNotModified {
		answer.body = nil
	}
	return answer
}

// Admit accepts the request whatever key it presents. With when: after and a status of 401, the
// partner acts before it checks the key.
type Admit bool

type admitted struct{}

// Admitted reports whether a fault accepts the request with this context, whatever key it presents.
func Admitted(ctx context.Context) bool {
	is, _ := ctx.Value(admitted{}).(Admit)
	return bool(is)
}

// SetStatus changes the status of the partner's answer.
type SetStatus int

func (s SetStatus) compile() (any, error) {
	return s, invalid.Within("set_status", int(s), 200, 599)
}

func (s SetStatus) transform(_ context.Context, answer *response, _ func() []any) error {
	answer.status = int(s)
	return nil
}

// Answered is a status of the partner's own answers, such as 200, or a class of statuses, such as
// 2xx.
type Answered string

var answeredForm = regexp.MustCompile(`^[1-5](xx|[0-9][0-9])$`)

// UnmarshalYAML reads a status or a class of statuses.
func (a *Answered) UnmarshalYAML(node ast.Node) error {
	text := node.GetToken().Value
	if _, isScalar := node.(ast.ScalarNode); !isScalar || !answeredForm.MatchString(text) {
		return yamlfile.At(node, "expected a status such as 200, or a class such as 2xx, received %q", text)
	}
	*a = Answered(text)
	return nil
}

// fits reports whether the status matches; an empty Answered matches any.
func (a Answered) fits(status int) bool {
	text := strconv.Itoa(status)
	return a == "" || string(a) == text || a[1:] == "xx" && a[0] == text[0]
}

// When says whether a fault applies before or after the request takes effect.
type When string

const (
	Before When = "before" // the answer is replaced, and the request has no effect
	After  When = "after"  // the request takes effect, and its answer is late or lost
)

// Whens lists the values of When.
func Whens() []When { return []When{Before, After} }

// Headers changes the answer's headers.
type Headers struct {
	Set    map[string]string `yaml:"set" json:"set,omitempty"`
	Remove []string          `yaml:"remove" json:"remove,omitempty"`
}

// headerName matches the header names that RFC 9110 allows.
var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

func (h *Headers) compile() (any, error) {
	if len(h.Set) == 0 && len(h.Remove) == 0 {
		return nil, invalid.At("headers", "expected set or remove")
	}
	check := func(path, name string) error {
		switch {
		case !headerName.MatchString(name):
			return invalid.At(path, "%q is not a valid header name", name)
		case slices.Contains([]string{"Content-Length", "Transfer-Encoding", "Connection"}, textproto.CanonicalMIMEHeaderKey(name)):
			return invalid.At(path, "%s follows from how the answer is sent: limit_data and fault break it", name)
		}
		return nil
	}
	for name, value := range h.Set {
		if err := check("headers.set", name); err != nil {
			return nil, err
		}
		if strings.ContainsAny(value, "\r\n\x00") {
			return nil, invalid.At("headers.set", "%s: expected a value without line breaks", name)
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
