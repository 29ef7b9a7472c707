package probe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"partnerkit.dev/schemas/partnerapi"
)

// notJSON stands for a body that may name customers, with no way to tell where.
const notJSON = "(not JSON: left out, as it may name customers)"

// maskedLetter stands behind the mark of a value that has letters beyond ASCII: some rules
// are about these.
const maskedLetter = " é"

// Masker removes customers from the bodies of calls. It remembers for each hold and booking
// what its calls said of them, as answers to later ones may repeat it. Use NewMasker.
type Masker struct {
	byCode map[string][]string
	codes  []string // in the order in which they were first seen
}

// NewMasker returns one that remembers nothing yet.
func NewMasker() *Masker { return &Masker{byCode: map[string][]string{}} }

const (
	// mostRemembered bounds the codes and ids that are remembered: the oldest are forgotten.
	mostRemembered = 20_000
	// mostSaid bounds what is remembered of each.
	mostSaid = 20
	// longestSaid bounds how long that may be, in bytes. Longer values are not repeated.
	longestSaid = 200
)

// Masked returns the bodies of a call and of its answer without what they say of customers:
// in the fields about them, and wherever the answer repeats these. What is left is judged as
// the original would be. Named is the code or id that the path names.
func (m *Masker) Masked(of partnerapi.Endpoint, named string, request, answer []byte) ([]byte, []byte) {
	if of == partnerapi.Products || of == partnerapi.Availability {
		return request, answer
	}
	said := &masker{}
	asked, fine := said.read(request)
	told, readable := said.read(answer)
	codes := []string{named, textOf(asked, "reservationConfirmationCode"), textOf(told, "reservationConfirmationCode"), textOf(told, "externalBookingId")}
	for _, code := range codes {
		said.said = append(said.said, m.byCode[code]...)
	}
	for _, code := range codes {
		m.remember(code, said.said)
	}
	return said.written(request, asked, fine), said.written(answer, told, readable)
}

func (m *Masker) remember(code string, said []string) {
	if code == "" || len(said) == 0 {
		return
	}
	if _, known := m.byCode[code]; !known {
		if len(m.codes) == mostRemembered {
			delete(m.byCode, m.codes[0])
			m.codes = m.codes[1:]
		}
		m.codes = append(m.codes, code)
	}
	kept := m.byCode[code]
	for _, value := range said {
		if len(kept) < mostSaid && len(value) <= longestSaid && !slices.Contains(kept, value) {
			kept = append(kept, value)
		}
	}
	m.byCode[code] = kept
}

// textOf is the text of a member of an object, or "" without it.
func textOf(value any, name string) string {
	object, _ := value.(map[string]any)
	text, _ := object[name].(string)
	return text
}

// masker removes customers from the bodies of one call.
type masker struct{ customers }

// read decodes a body, and notes what it says of customers.
func (m *masker) read(raw []byte) (value any, fine bool) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if !json.Valid(raw) || decoder.Decode(&value) != nil {
		return nil, false
	}
	m.collect(value, "")
	return value, true
}

func (m *masker) written(raw []byte, value any, fine bool) []byte {
	if len(raw) == 0 {
		return raw
	}
	if fine {
		if text, err := json.Marshal(m.masked(value, false)); err == nil {
			return text
		}
	}
	return []byte(notJSON)
}

// masked returns a value without what it says of customers. Personal values say nothing else.
func (m *masker) masked(value any, personal bool) any {
	switch value := value.(type) {
	case map[string]any:
		for name, child := range value {
			value[name] = m.masked(child, personal || isPersonal(name))
		}
		return value
	case []any:
		for i, item := range value {
			value[i] = m.masked(item, personal)
		}
		return value
	case json.Number:
		if personal {
			return json.Number("0")
		}
	case string:
		if personal {
			return maskOf(value)
		}
		return m.cleaned(value)
	}
	return value
}

// maskOf returns what stands for a text, of the same kind as far as anybody judges it.
func maskOf(text string) string {
	switch {
	case text == "":
		return ""
	case strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }):
		return Redacted + maskedLetter
	}
	return Redacted
}

// Pseudonyms give the keys of calls names by which they can be told apart, and not found out.
type Pseudonyms struct {
	session string
	names   map[string]string
}

// NewPseudonyms returns names of a session, whose own name no other has.
func NewPseudonyms(session string) *Pseudonyms {
	return &Pseudonyms{session: session, names: map[string]string{}}
}

// mostPseudonyms bounds them: further keys cannot be told apart.
const mostPseudonyms = 1000

// Of returns what stands for an Authorization header.
func (p *Pseudonyms) Of(authorization string) string {
	key, scheme := authorization, ""
	if rest, is := strings.CutPrefix(authorization, bearer+" "); is {
		key, scheme = rest, bearer+" "
	}
	name, has := p.names[key]
	switch {
	case key == "":
		return authorization
	case has:
	case len(p.names) == mostPseudonyms:
		name = Redacted
	default:
		name = fmt.Sprintf("%s-%s-%d", Redacted, p.session, len(p.names)+1)
		p.names[key] = name
	}
	return scheme + name
}
