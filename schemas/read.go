package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// MaxDepth is the maximum nesting depth of arrays and objects. The contract's own bodies need 9
	// levels; the rest leaves room for unknown fields.
	MaxDepth = 512
	// maxExponent is the maximum decimal exponent of a number. A double ends at 308, and exact
	// arithmetic with 1e999999 would be too expensive.
	maxExponent = 400
	// maxDigits is the maximum length of a number's text.
	maxDigits = 1000
)

// Read decodes one JSON text for ValidateValue, and returns a problem if it is not JSON. Numbers stay
// as they are written.
func Read(raw []byte) (any, *Problem) {
	if wrapping := Wrapping(raw); wrapping != "" {
		return nil, jsonProblem("expected JSON, received %s", wrapping)
	}
	if !utf8.Valid(raw) {
		return nil, jsonProblem("expected JSON in UTF-8, received other bytes at offset %d", invalidOffset(raw))
	}
	decoder := json.NewDecoder(bytes.NewReader(markHalves(raw)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, syntaxProblem(raw, err)
	}
	end := decoder.InputOffset()
	if rest := bytes.TrimLeft(raw[end:], " \t\r\n"); len(rest) > 0 {
		return nil, jsonProblem("expected one JSON text, received more after its end: %s", quoteText(string(rest)))
	}
	return value, nil
}

// Wrapping describes a byte order mark, or a compression that no header declares, by the first bytes of a body; "" if
// there is neither.
func Wrapping(raw []byte) string {
	for _, known := range []struct{ start, words string }{
		{"\xef\xbb\xbf", "a byte order mark (UTF-8) before it"},
		{"\xff\xfe", "a byte order mark (UTF-16)"},
		{"\xfe\xff", "a byte order mark (UTF-16)"},
		{"\x1f\x8b", "a body compressed with gzip that no Content-Encoding declares"},
		{"\x28\xb5\x2f\xfd", "a body compressed with zstd that no Content-Encoding declares"},
		{"x\x01", "a body compressed with deflate that no Content-Encoding declares"},
		{"x\x9c", "a body compressed with deflate that no Content-Encoding declares"},
		{"x\xda", "a body compressed with deflate that no Content-Encoding declares"},
	} {
		if bytes.HasPrefix(raw, []byte(known.start)) {
			return known.words
		}
	}
	return ""
}

// markHalves writes NUL for each half of a surrogate pair. A decoder would write U+FFFD for all of
// them, so that two different ids became equal. No text may have NUL or half a pair.
func markHalves(raw []byte) []byte {
	marked := raw
	for at := bytes.IndexByte(raw, '\\'); at >= 0 && at < len(raw); {
		size := 2
		switch half := surrogate(raw[at:]); {
		case half == 0:
		case half < 0xDC00 && surrogate(raw[min(at+6, len(raw)):]) >= 0xDC00:
			size = 12
		default:
			if size = 6; &marked[0] == &raw[0] {
				marked = bytes.Clone(raw)
			}
			copy(marked[at+2:], "0000")
		}
		next := bytes.IndexByte(raw[min(at+size, len(raw)):], '\\')
		if next < 0 {
			break
		}
		at += size + next
	}
	return marked
}

// surrogate returns the half of a pair that a text starts with, as \uXXXX, or 0.
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

func syntaxProblem(raw []byte, err error) *Problem {
	if len(bytes.TrimSpace(raw)) == 0 {
		return jsonProblem("expected JSON, received nothing")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return jsonProblem("expected JSON, received a text that is cut off after %d bytes", len(raw))
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line, column := position(raw, int(syntax.Offset))
		return jsonProblem("invalid JSON at line %d, column %d: %s", line, column, syntax.Error())
	}
	return jsonProblem("expected JSON: %s", err.Error())
}

// position converts the number of bytes read into a line and a column, both from 1.
func position(raw []byte, read int) (line, column int) {
	before := raw[:min(max(read-1, 0), len(raw))]
	line = 1 + bytes.Count(before, []byte("\n"))
	column = 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return line, column
}

func invalidOffset(raw []byte) int {
	for offset := 0; offset < len(raw); {
		r, size := utf8.DecodeRune(raw[offset:])
		if r == utf8.RuneError && size == 1 {
			return offset
		}
		offset += size
	}
	return len(raw)
}

// misfit is a value that is not validated, and its location. The location is built only once, when
// the value is found. Building text for each level of each bad value would cost quadratic time for
// an untrusted text.
type misfit struct {
	message string
	inside  []string // the names and indexes that lead to it, the innermost first
}

func newMisfit(format string, args ...any) *misfit {
	return &misfit{message: fmt.Sprintf(format, args...)}
}

func (m *misfit) addToken(token string) *misfit {
	m.inside = append(m.inside, token)
	return m
}

func (m *misfit) problem() Problem {
	var pointer strings.Builder
	for _, token := range slices.Backward(m.inside) {
		pointer.WriteString(pointerToken(token))
	}
	return Problem{Pointer: pointer.String(), Keyword: keywordJSON, Message: m.message}
}

// checkValue finds what would make validating value expensive or impossible: depth, extreme
// numbers, and Go values that no JSON decodes to.
func checkValue(value any, depth int) *misfit {
	if depth > MaxDepth {
		return newMisfit("expected at most %d levels of arrays and objects, received more", MaxDepth)
	}
	switch value := value.(type) {
	case nil, bool, string, int, int8, int32, int64, uint, uint8, uint32, uint64:
		return nil
	case json.Number:
		return checkNumber(string(value))
	case float64:
		return checkFloat(value)
	case float32:
		return checkFloat(float64(value))
	case []any:
		for i, item := range value {
			if m := checkValue(item, depth+1); m != nil {
				return m.addToken(strconv.Itoa(i))
			}
		}
	case map[string]any:
		return checkObject(value, depth)
	default:
		return newMisfit("expected a decoded JSON value, received the Go type %T", value)
	}
	return nil
}

// checkObject reports the problem of the first bad name in order, so that the same text always
// gives the same problem.
func checkObject(object map[string]any, depth int) *misfit {
	var first *misfit
	firstName := ""
	for name, member := range object {
		if first != nil && compareTokens(name, firstName) > 0 {
			continue
		}
		if m := checkValue(member, depth+1); m != nil {
			first, firstName = m, name
		}
	}
	if first == nil {
		return nil
	}
	return first.addToken(firstName)
}

func checkFloat(f float64) *misfit {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return newMisfit("expected a number, received %v", f)
	}
	return nil
}

func checkNumber(number string) *misfit {
	if len(number) > maxDigits {
		return newMisfit("expected a number of at most %d characters, received %d", maxDigits, len(number))
	}
	if strings.Trim(number, "0123456789") == "" && number != "" {
		return nil
	}
	if !json.Valid([]byte(number)) {
		return newMisfit("expected a number, received %s", quoteText(number))
	}
	if _, exponent, found := strings.Cut(strings.ToLower(number), "e"); found {
		if n, err := strconv.Atoi(exponent); err != nil || n > maxExponent || n < -maxExponent {
			return newMisfit("expected a number within the range of a double, received %s", quoteText(number))
		}
	}
	return nil
}

func jsonProblem(format string, args ...any) *Problem {
	return &Problem{Keyword: keywordJSON, Message: fmt.Sprintf(format, args...)}
}
