package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// NearCode is an unknown code or booking id that is similar to a live one.
type NearCode struct {
	Form string // how it differs
	Code string
}

// longCode is the length of the longest near code: as long as the codes that the marketplace
// stores.
const longCode = 1000

// NearCodes returns codes that are similar to a live one. They must not belong to another customer.
// Forms that might be another live code, such as the next one in a sequence, are left out. others
// is further codes of the partner, which show whether codes are sequential.
func NearCodes(live string, others []string, random *rand.Rand) []NearCode {
	runes := []rune(live)
	if len(runes) == 0 {
		return nil
	}
	last := len(runes) - 1
	all := []NearCode{
		{"with extra characters after it", live + "-x"},
		{"with extra characters before it", "x-" + live},
		{"with a space after it", live + " "},
		{"with a space before it", " " + live},
		{"with a first character that no code has", "~" + string(runes[1:])},
		{"with a middle character that no code has", changedAt(runes, len(runes)/2)},
		{"with a last character that no code has", string(runes[:last]) + "~"},
		{"with a percent sign after it", live + "%"},
		{"with its first character percent-encoded", fmt.Sprintf("%%%02X%s", string(runes[0]), string(runes[1:]))},
		{"with every character percent-encoded", percentEncode(live)},
		{"without its punctuation", lettersAndDigits(live)},
		{"with a slash and extra characters after it", live + "/x"},
		{"with an apostrophe after it", live + "'"},
		{"with a letter of another alphabet after it", live + "é"},
		{"with very many characters after it", live + strings.Repeat("x", max(1, longCode-len(live)))},
	}
	if letters(runes) >= 4 {
		all = append(all, NearCode{"with upper and lower case swapped", swapCase(live)})
	}
	if areRandom(runes, others) {
		all = append(all,
			NearCode{"without its last character", string(runes[:last])},
			NearCode{"without its first character", string(runes[1:])},
			NearCode{"cut in half", string(runes[:len(runes)/2])},
			NearCode{"of the same format", similarCode(live, random)})
	}
	seen := map[string]bool{live: true, "": true}
	return slices.DeleteFunc(all, func(c NearCode) bool {
		known := seen[c.Code]
		seen[c.Code] = true
		return known
	})
}

// StrangeCodes returns codes that are like no live one, in forms that servers treat apart: they
// parse them, or route by them.
func StrangeCodes(random *rand.Rand) []NearCode {
	digits := func(n int) string {
		return strings.Map(func(rune) rune { return '1' + random.Int32N(9) }, strings.Repeat("0", n))
	}
	return []NearCode{
		{"a UUID", fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", random.Uint32(), random.Uint32()&0xffff, random.Uint32()&0xfff, random.Uint32()&0xfff, random.Uint64()&0xffffffffffff)},
		{"of digits only", digits(18)},
		{"of other alphabets, with an emoji", "неизвестно-未知-🎟-" + digits(12)},
		{"with a question mark and a number sign", "no?such#code-" + digits(12)},
	}
}

// percentEncode returns a code with each byte percent-encoded.
func percentEncode(code string) string {
	var all strings.Builder
	for _, b := range []byte(code) {
		fmt.Fprintf(&all, "%%%02X", b)
	}
	return all.String()
}

// lettersAndDigits returns the letters and digits of a code.
func lettersAndDigits(code string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, code)
}

func changedAt(code []rune, at int) string {
	return string(code[:at]) + "~" + string(code[at+1:])
}

func letters(code []rune) (n int) {
	for _, r := range code {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// leastDrawn is the minimum number of characters in which two random codes differ. Sequential codes
// differ in one or two.
const leastDrawn = 6

// areRandom reports whether codes are random. There are then so many possible codes that one similar to
// a live one belongs to no hold or booking. others is further codes that the partner made.
func areRandom(code []rune, others []string) bool {
	for _, other := range others {
		differ := 0
		for i, r := range []rune(other) {
			if i < len(code) && code[i] != r {
				differ++
			}
		}
		if differ < leastDrawn {
			return false
		}
	}
	return len(others) > 0
}

// similarCode returns a code of the same form as the live one: it keeps the first part, and replaces each
// further letter and digit by another of its kind.
func similarCode(live string, random *rand.Rand) string {
	kept := strings.IndexAny(live, "-_.:") + 1
	if len(live)-kept < 8 {
		kept = 0
	}
	return live[:kept] + strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			return '0' + random.Int32N(10)
		case r >= 'a' && r <= 'f':
			return 'a' + random.Int32N(6) // it may be hexadecimal
		case r >= 'a' && r <= 'z':
			return 'a' + random.Int32N(26)
		case r >= 'A' && r <= 'F':
			return 'A' + random.Int32N(6)
		case r >= 'A' && r <= 'Z':
			return 'A' + random.Int32N(26)
		default:
			return r
		}
	}, live[kept:])
}

func swapCase(code string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r > unicode.MaxASCII:
			return r
		case unicode.IsUpper(r):
			return unicode.ToLower(r)
		default:
			return unicode.ToUpper(r)
		}
	}, code)
}
