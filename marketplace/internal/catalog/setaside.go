package catalog

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/redact"
	"partnerkit.dev/internal/safetext"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// SetAside is a product that is invalid and not sold.
type SetAside struct {
	ProductID string    `json:"product_id"` // "": no readable id
	Problems  []Problem `json:"problems"`
}

// Problem is a mistake in a product or slot.
type Problem struct {
	Pointer string `json:"pointer"` // RFC 6901, within the pull's body
	Message string `json:"message"`
}

// The limits of what is kept of a pull's mistakes, which are shown to people.
const (
	mostSetAside     = 1000      // products in the list
	mostProblems     = 10        // of one product
	mostSetAsideSize = 256 << 10 // of all texts, in bytes
	longestWords     = 300       // an id, a pointer or a message, in characters
)

// setAsideList is a bounded list of products that were set aside.
type setAsideList struct {
	list []SetAside
	size int
	more int // products that are not in the list
}

func (a *setAsideList) add(id, at string, problems []schemas.Problem) {
	if a.more > 0 || len(a.list) == mostSetAside {
		a.more++
		return
	}
	aside := SetAside{ProductID: readableText(id), Problems: firstProblems(at, problems)}
	size := len(id)
	for _, problem := range aside.Problems {
		size += len(problem.Pointer) + len(problem.Message)
	}
	if a.size += size; a.size > mostSetAsideSize {
		a.more++
		return
	}
	a.list = append(a.list, aside)
}

// entries returns the list. If it was cut, the last entry says so.
func (a *setAsideList) entries() []SetAside {
	if a.more > 0 {
		return append(a.list, SetAside{Problems: []Problem{{Message: plural.Count(a.more, "more product is set aside", "more products are set aside")}}})
	}
	return a.list
}

// withoutKey removes a partner's key from the catalog's problems. They are stored, and a platform
// may echo what it received.
func (c *Catalog) withoutKey(key string) {
	if len(c.SetAside) == 0 {
		return
	}
	r := redact.New(key)
	for i, aside := range c.SetAside {
		c.SetAside[i].ProductID = r.Redact(aside.ProductID)
		redactProblems(r, aside.Problems)
	}
}

// withoutKey does the same for slots.
func (a *SlotAnswer) withoutKey(key string) {
	if len(a.SetAside) == 0 {
		return
	}
	r := redact.New(key)
	for i, aside := range a.SetAside {
		a.SetAside[i].SlotID = r.Redact(aside.SlotID)
		redactProblems(r, aside.Problems)
	}
}

func redactProblems(r *redact.Redactor, problems []Problem) {
	for i, problem := range problems {
		problems[i] = Problem{Pointer: r.Redact(problem.Pointer), Message: r.Redact(problem.Message)}
	}
}

// firstProblems returns the first problems at a place in the body.
func firstProblems(at string, problems []schemas.Problem) (list []Problem) {
	for _, problem := range problems[:min(len(problems), mostProblems)] {
		list = append(list, Problem{Pointer: readableText(problem.WithPrefix(at).Pointer), Message: readableText(problem.Message)})
	}
	return list
}

// readableText returns a partner's text without control characters and cut to a length, for people and
// for the database.
func readableText(text string) string {
	var short strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > longestWords {
			return short.String() + "…"
		}
		if safetext.Rune(r) != r {
			r = unicode.ReplacementChar
		}
		short.WriteRune(r)
	}
	return short.String()
}

// The limits of one stored product. A larger product is a mistake or an attack, and is set aside.
const (
	largestProduct = 1 << 20 // in bytes of JSON
	longestID      = 1000    // in bytes; an index of the database takes a little more than twice as much
	longestText    = 10_000  // in bytes
	mostOptions    = 500     // of a product; each is pulled
	mostUnits      = 100     // of an option
	mostPrices     = 200     // of a unit; more than there are currencies
)

// limits is the version of these limits and of the stored form. If it differs from that of the last
// pull, an equal body is read again.
const limits = "1"

// tooLarge checks a product before it is decoded, which needs many times its size.
func tooLarge(raw []byte) []schemas.Problem {
	if len(raw) <= largestProduct {
		return nil
	}
	return []schemas.Problem{{Message: fmt.Sprintf("expected a product of at most %d bytes, received %d", largestProduct, len(raw))}}
}

// findUnstorable finds values that the schema allows and the marketplace cannot store.
func findUnstorable(product *partnerapi.Product, raw []byte) (problems []schemas.Problem) {
	wrong := func(pointer, format string, values ...any) {
		problems = append(problems, schemas.Problem{Pointer: pointer, Message: fmt.Sprintf(format, values...)})
	}
	few := func(pointer, what string, most, got int) {
		if got > most {
			wrong(pointer, "expected at most %d %s, received %d", most, what, got)
		}
	}
	surrogates := hasSurrogate(raw)
	text := func(pointer, value string, longest int) {
		if wanted := storageProblem(value, longest, surrogates); wanted != "" {
			wrong(pointer, "%s", wanted)
		}
	}
	text("/id", product.ID, longestID)
	text("/internalName", product.InternalName, longestText)
	text("/locale", product.Locale, longestText)
	text("/timeZone", product.TimeZone, longestText)
	text("/reference", product.Reference, longestText)
	few("/options", "options", mostOptions, len(product.Options))
	for i, option := range product.Options {
		at := "/options/" + strconv.Itoa(i)
		text(at+"/id", option.ID, longestID)
		text(at+"/internalName", option.InternalName, longestText)
		text(at+"/cancellationCutoff", option.CancellationCutoff, longestText)
		few(at+"/units", "units", mostUnits, len(option.Units))
		for j, unit := range option.Units {
			at := at + "/units/" + strconv.Itoa(j)
			text(at+"/id", unit.ID, longestID)
			text(at+"/internalName", unit.InternalName, longestText)
			few(at+"/pricingFrom", "prices", mostPrices, len(unit.PricingFrom))
		}
	}
	return problems
}

// storageProblem says why a text cannot be stored, or returns "". halved: lone found half a character in
// its source.
func storageProblem(text string, longest int, surrogates bool) string {
	switch {
	case len(text) > longest:
		return fmt.Sprintf("expected at most %d bytes, received %d", longest, len(text))
	case strings.Contains(text, "\x00"):
		return "expected a text without the character \\u0000"
	case surrogates && strings.ContainsRune(text, utf8.RuneError):
		return "expected complete characters, received an unpaired surrogate (\\uD800 to \\uDFFF)"
	}
	return ""
}

// hasSurrogate reports whether a JSON text contains half of a surrogate pair. It decodes to U+FFFD, so two
// different ids could become equal.
func hasSurrogate(raw []byte) bool {
	for {
		at := bytes.Index(raw, []byte(`\u`))
		if at < 0 {
			return false
		}
		escaped := at > 0 && backslashes(raw[:at])%2 == 1 // \\u is not an escape
		first := surrogate(raw[at:])
		raw = raw[at+2:]
		switch {
		case escaped || first == 0:
		case first >= 0xDC00 || len(raw) < 10 || surrogate(raw[4:]) < 0xDC00:
			return true
		default:
			raw = raw[10:]
		}
	}
}

// backslashes counts the backslashes at the end of a text.
func backslashes(text []byte) int { return len(text) - len(bytes.TrimRight(text, `\`)) }

// surrogate returns the surrogate at the start of a text, as \uXXXX; 0 without one.
func surrogate(text []byte) uint64 {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	value, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil || value < 0xD800 || value > 0xDFFF {
		return 0
	}
	return value
}
