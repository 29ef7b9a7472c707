// Package anonymize removes keys and customers' data from calls that are judged, shown or recorded. What
// is left is judged as the original would be.
package anonymize

import (
	"encoding/json"
	"slices"

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

// mostRemembered is the maximum number of codes and ids that are remembered. The oldest are
// forgotten.
const mostRemembered = 20_000

// Mask returns the bodies of a call and of its answer without customers' data: in the fields
// about customers, and wherever the answer repeats their values. What is left is judged as the
// original would be. named is the code or id in the path.
func (m *Masker) Mask(of partnerapi.Endpoint, named string, request, answer []byte) ([]byte, []byte) {
	if of == partnerapi.Products || of == partnerapi.Availability {
		return request, answer
	}
	found, asked, replied := m.read(named, request, answer)
	return found.maskBody(request, asked), found.maskBody(answer, replied)
}

// Remove returns the bodies of a call and of its answer without customers' data, as Masked does,
// but leaves what is not JSON unchanged, for judging.
func (m *Masker) Remove(of partnerapi.Endpoint, named string, request, answer []byte) ([]byte, []byte) {
	if of == partnerapi.Products || of == partnerapi.Availability {
		return request, answer
	}
	found, asked, replied := m.read(named, request, answer)
	return found.removed(request, asked.value, asked.fine), found.removed(answer, replied.value, replied.fine)
}

// body is a decoded body, if it is JSON.
type body struct {
	value any
	fine  bool
}

// read decodes the bodies of a call and returns its customers' data, including what is remembered of
// the same hold or booking.
func (m *Masker) read(named string, request, answer []byte) (found *customers, asked, replied body) {
	found = &customers{}
	asked.value, asked.fine = found.read(request)
	own := slices.Clone(found.values)
	replied.value, replied.fine = found.read(answer)
	codes := []string{named, textOf(asked.value, "reservationConfirmationCode"), textOf(replied.value, "reservationConfirmationCode"), textOf(replied.value, "externalBookingId")}
	for _, code := range codes {
		for _, value := range m.byCode[code] {
			own = append(own, value)
			if !slices.Contains(found.values, value) {
				found.values = append(found.values, value)
			}
		}
	}
	found.markStrangers(own)
	for _, code := range codes {
		m.remember(code, found.values)
	}
	return found, asked, replied
}

func (m *Masker) remember(code string, values []string) {
	if code == "" || len(values) == 0 {
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
	for _, value := range values {
		if len(kept) < mostValues && len(value) <= longestValue && !slices.Contains(kept, value) {
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

func (c *customers) maskBody(raw []byte, of body) []byte {
	if len(raw) == 0 {
		return raw
	}
	if of.fine {
		if text, err := json.Marshal(c.cleanValue(of.value, true, false)); err == nil {
			return text
		}
	}
	return []byte(notJSON)
}
