package console

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"partnerkit.dev/mockpartner/internal/reply"
)

// call is a call of the control API, as a form.
type call struct {
	ID      string // of the form, unique on the page
	Label   string // of its button
	Of      string // what it applies to, for screen readers that read only the button
	Method  string
	Path    string // below /_mock
	Fields  []field
	Danger  bool   // it cannot be undone, so the page asks for confirmation
	Off     bool   // it would change nothing now
	Refusal string // the error of the last attempt
}

// kind is how a field's value is written in a body.
type kind string

const (
	textField   kind = "text"
	secretField kind = "secret" // text that the page does not show
	numberField kind = "number"
	flagField   kind = "flag" // true or false
	listField   kind = "list" // a list with one text
	rawField    kind = "raw"  // the complete body
)

// field is a member of a call's body. Empty ones are left out.
type field struct {
	Kind  kind
	Name  string
	Value string
	// Label is the visible label; a field without one is hidden.
	Label   string
	Hint    string   // an example
	Choices []choice // if any, one of them is chosen
	Checked bool     // of a flag
}

type choice struct {
	Value, Label string
	Chosen       bool
}

// Input returns the field's name in the form, which contains its kind.
func (f field) Input() string { return string(f.Kind) + ":" + f.Name }

func (f field) value() string {
	if f.Kind == flagField && f.Label != "" && !f.Checked {
		return ""
	}
	return f.Value
}

func (c call) form() url.Values {
	form := url.Values{}
	for _, f := range c.Fields {
		form.Add(f.Input(), f.value())
	}
	return form
}

// bodyOf returns the body for a form, or "". Its error names the field.
func bodyOf(form url.Values) (string, error) {
	members := map[string]any{}
	for input, values := range form {
		of, name, found := strings.Cut(input, ":")
		if !found || values[0] == "" {
			continue
		}
		if kind(of) == rawField {
			return values[0], nil
		}
		member, err := memberOf(kind(of), values[0])
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		members[name] = member
	}
	if len(members) == 0 {
		return "", nil
	}
	body, err := reply.Marshal(members)
	return strings.TrimSpace(string(body)), err
}

func memberOf(k kind, value string) (any, error) {
	switch k {
	case numberField:
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			return n, nil
		}
		if n, err := strconv.ParseUint(value, 10, 64); err == nil {
			return n, nil // such as a seed
		}
		return nil, fmt.Errorf("expected a whole number, received %q", value)
	case flagField:
		return value == "true", nil
	case listField:
		return []string{value}, nil
	default:
		return value, nil
	}
}
