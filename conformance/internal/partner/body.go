package partner

import (
	"encoding/json"

	"partnerkit.dev/conformance/internal/probe"
)

// Body is a form of the bodies of reserve, confirm, release and cancel that every partner must take.
type Body int

// The bodies.
const (
	FullBody      Body = iota // every optional field
	BareBody                  // no optional field; release and cancel have no body
	ForeignGuest              // a contact whose name is of many alphabets
	UnnamedFields             // fields that the contract does not name
	NoReference               // every optional field but one; a contact always has a name and an email address
	NoContact
	NoPhone
)

// Bodies lists the bodies.
func Bodies() []Body {
	return []Body{FullBody, BareBody, ForeignGuest, UnnamedFields, NoReference, NoContact, NoPhone}
}

// String describes the body as the end of a sentence.
func (b Body) String() string {
	return [...]string{
		"with every optional field", "without optional fields", "for a guest whose name is of many alphabets",
		"with fields that the contract does not name", "without a reference", "without a contact", "without the contact's phone number",
	}[b]
}

// Of returns the call with such a body.
func (b Body) Of(call probe.Call) probe.Call {
	if len(call.Body) > 0 {
		call.Body = b.change(call.Body)
	}
	return call
}

func (b Body) change(body []byte) []byte {
	switch b {
	case ForeignGuest:
		return Edit(body, useForeignName)
	case UnnamedFields:
		return Edit(body, addUnnamed)
	case NoReference:
		return Edit(body, func(fields map[string]any) { delete(fields, "resellerReference") })
	case NoContact:
		return Edit(body, func(fields map[string]any) { delete(fields, "contact") })
	case NoPhone:
		return Edit(body, func(fields map[string]any) {
			if contact, ok := fields["contact"].(map[string]any); ok {
				delete(contact, "phoneNumber")
			}
		})
	default:
		return body
	}
}

// guestName is a name with characters that real names have: an apostrophe and a hyphen, several
// alphabets, some of them written right to left, a combining character, and a character of four
// bytes. guestAddress has a tag, as many real addresses do.
const (
	guestName    = "Zoë O'Brien-Ñandú 東京 שלום محمد Анна Ελένη é 🎟"
	guestAddress = "conformance+test@example.com"
)

func useForeignName(fields map[string]any) {
	if guest, ok := fields["contact"].(map[string]any); ok {
		guest["fullName"], guest["emailAddress"] = guestName, guestAddress
	}
}

const unnamedField = "notInTheContract"

// addUnnamed adds fields that the contract does not name: to the body, to each unit of the party, and to the guest.
func addUnnamed(fields map[string]any) {
	more := json.RawMessage(`{"list":[1,null,"x"],"yes":true}`)
	fields[unnamedField] = more
	units, _ := fields["units"].([]any)
	for _, inner := range append(units, fields["contact"]) {
		if object, ok := inner.(map[string]any); ok {
			object[unnamedField] = more
		}
	}
}

// Edit changes the fields of a body that this package has made.
func Edit(body []byte, change func(fields map[string]any)) []byte {
	fields := map[string]any{}
	if err := json.Unmarshal(body, &fields); err != nil {
		panic(err) // Encode made it
	}
	change(fields)
	return Encode(fields)
}
