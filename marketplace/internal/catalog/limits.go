package catalog

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// What is stored of one product at most. A product that is beyond this is a mistake of
// its partner, or worse: it is set aside.
const (
	largestProduct = 1 << 20 // as it is written, in bytes
	longestID      = 1000    // in bytes; an index of the database takes a little more than twice as much
	longestText    = 10_000  // in bytes
	mostOptions    = 500     // of a product: each is asked for its slots
	mostUnits      = 100     // of an option
	mostPrices     = 200     // of a unit: more than there are currencies
)

// limits is the version of these bounds and of what is stored of a product: where it
// differs from that of the last pull, an equal body is read again.
const limits = "1"

// tooLarge judges a product before it is decoded, which takes many times its size.
func tooLarge(raw []byte) []schemas.Problem {
	if len(raw) <= largestProduct {
		return nil
	}
	return []schemas.Problem{{Message: fmt.Sprintf("want a product of at most %d bytes, got %d", largestProduct, len(raw))}}
}

// beyond finds what the schema lets pass and the marketplace cannot keep.
func beyond(product *partnerapi.Product, raw []byte) (problems []schemas.Problem) {
	wrong := func(pointer, format string, values ...any) {
		problems = append(problems, schemas.Problem{Pointer: pointer, Message: fmt.Sprintf(format, values...)})
	}
	few := func(pointer, what string, most, got int) {
		if got > most {
			wrong(pointer, "want at most %d %s, got %d", most, what, got)
		}
	}
	halved := lone(raw)
	text := func(pointer, value string, longest int) {
		if wanted := unkept(value, longest, halved); wanted != "" {
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

// unkept says why a text cannot be kept; "" where it can. halved: lone has found
// half a character in what it was read from.
func unkept(text string, longest int, halved bool) string {
	switch {
	case len(text) > longest:
		return fmt.Sprintf("want at most %d bytes, got %d", longest, len(text))
	case strings.Contains(text, "\x00"):
		return "want a text without the character \\u0000"
	case halved && strings.ContainsRune(text, utf8.RuneError):
		return "want whole characters, got half of one: an escape \\uD800 to \\uDFFF without its other half"
	}
	return ""
}

// lone reports whether a JSON text has an escape of half a character, which decodes to
// U+FFFD: two ids that differ would become one.
func lone(raw []byte) bool {
	for {
		at := bytes.Index(raw, []byte(`\u`))
		if at < 0 {
			return false
		}
		escaped := at > 0 && backslashes(raw[:at])%2 == 1 // \\u is no escape
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

// backslashes counts those at the end of a text.
func backslashes(text []byte) int { return len(text) - len(bytes.TrimRight(text, `\`)) }

// surrogate returns the half of a character that the text starts with, as \uXXXX; 0 is
// none.
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
