package suite

import (
	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
)

// object is a decoded JSON object; nil where an answer is none.
type object map[string]any

// readObject reads an answer leniently.
func readObject(raw []byte) object { return discover.Object(raw) }

// text returns the string under name, or "".
func (o object) text(name string) string {
	s, _ := o[name].(string)
	return s
}

// decoded returns the body of an answer as JSON; nil where it is none.
func decoded(answer *probe.Answer) any {
	value, err := discover.Decode(answer.Raw)
	if err != nil {
		return nil
	}
	return value
}
