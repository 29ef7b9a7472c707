package suite

import "partnerkit.dev/conformance/discover"

// object is a decoded JSON object; nil where an answer is none.
type object map[string]any

// readObject reads an answer leniently.
func readObject(raw []byte) object { return discover.Object(raw) }

// text returns the string under name, or "".
func (o object) text(name string) string {
	s, _ := o[name].(string)
	return s
}
