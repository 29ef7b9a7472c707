// Package mask removes keys and customers' data from calls that are judged, shown or recorded. What
// is left is judged as the original would be.
package mask

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"partnerkit.dev/internal/redact"
	"partnerkit.dev/schemas/partnerapi"
)

// notJSON replaces a body that may name customers but is not JSON, so that fields cannot be found.
const notJSON = "(not JSON: left out, as it may name customers)"

// maskedLetter is added to the mask of a value with letters beyond ASCII, because some rules judge
// these.
const maskedLetter = " é"

// Masker removes customers' data from the bodies of calls. It remembers the data for each hold and
// booking, because answers to later calls may repeat it. Use NewMasker.
type Masker struct {
	byCode map[string][]string
	codes  []string // in the order in which they were first seen
}

// NewMasker returns a Masker that remembers nothing yet.
func NewMasker() *Masker { return &Masker{byCode: map[string][]string{}} }

const (
	// mostRemembered is the maximum number of codes and ids that are remembered. The oldest are
	// forgotten.
	mostRemembered = 20_000
	// mostSaid is the maximum number of values remembered for each.
	mostSaid = 20
	// longestSaid is the longest value that is remembered, in bytes. Answers do not repeat longer
	// ones.
	longestSaid = 200
)

// Masked returns the bodies of a call and of its answer without customers' data: in the fields
// about customers, and wherever the answer repeats their values. What is left is judged as the
// original would be. named is the code or id in the path.
func (m *Masker) Masked(of partnerapi.Endpoint, named string, request, answer []byte) ([]byte, []byte) {
	if of == partnerapi.Products || of == partnerapi.Availability {
		return request, answer
	}
	said := &masker{}
	asked, fine := said.read(request)
	received, readable := said.read(answer)
	codes := []string{named, textOf(asked, "reservationConfirmationCode"), textOf(received, "reservationConfirmationCode"), textOf(received, "externalBookingId")}
	for _, code := range codes {
		said.said = append(said.said, m.byCode[code]...)
	}
	for _, code := range codes {
		m.remember(code, said.said)
	}
	return said.written(request, asked, fine), said.written(answer, received, readable)
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

// textOf returns the text of a member of an object, or "".
func textOf(value any, name string) string {
	object, _ := value.(map[string]any)
	text, _ := object[name].(string)
	return text
}

// masker removes customers' data from the bodies of one call.
type masker struct{ Customers }

// read decodes a body and collects its customers' data.
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

// masked returns a value without customers' data. Personal values are masked completely.
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

// maskOf returns the mask of a text. It is of the same kind, as far as rules judge it.
func maskOf(text string) string {
	switch {
	case text == "":
		return ""
	case strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }):
		return redact.Mark + maskedLetter
	}
	return redact.Mark
}
