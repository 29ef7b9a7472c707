package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"html"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// shortestSearched is the length in bytes below which a key is no longer
	// searched for in running text: it would be found inside ordinary words. The
	// Authorization header is redacted whatever the key's length.
	shortestSearched = 6

	// layersRedacted is how many encodings, one inside the other, the key is
	// looked for in. A document adds one to what its parts have, so that fewer
	// are searched in a finished one: what was redacted is never found again.
	layersRedacted = 8
	layersSearched = 6
)

// formsOf returns what a text that holds key holds once its escapes are undone
// and its letters are small.
func formsOf(key string) [][]byte {
	if len(key) < shortestSearched {
		return nil
	}
	forms := []string{
		key,
		strings.ReplaceAll(key, " ", "+"), // a space in a query
		latin1(key),
		hex.EncodeToString([]byte(key)),
	}
	forms = append(forms, base64Forms(key)...)
	for i, form := range forms {
		forms[i] = string(lower([]byte(form)))
	}
	// What looks like an escape in the key itself is undone with those around it.
	for inner := range layers(key, layersRedacted) {
		if len(inner.text) >= shortestSearched {
			forms = append(forms, string(inner.text))
		}
	}
	slices.Sort(forms)
	var unique [][]byte
	for _, form := range slices.Compact(forms) {
		unique = append(unique, []byte(form))
	}
	return unique
}

// latin1 returns key as a server shows it that takes the bytes of a header for
// ISO 8859-1, as several do.
func latin1(key string) string {
	runes := make([]rune, len(key))
	for i := range len(key) {
		runes[i] = rune(key[i])
	}
	return string(runes)
}

// base64Forms returns what any base64 text that contains key must contain:
// three letters hold two bytes and a bit, so the key shows in three ways, by
// the number of bytes before it modulo three ("Bearer " and "user:" included).
func base64Forms(key string) []string {
	var forms []string
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			text := encoding.EncodeToString(append(make([]byte, before), key...))
			// The letters that also hold bits of the bytes around the key vary.
			first := (before*8 + 5) / 6
			last := (before + len(key)) * 8 / 6
			forms = append(forms, text[first:last])
		}
	}
	return forms
}

// span is a part of a text: the bytes from the first up to the second.
type span struct{ from, to int }

// layer is a text with some of its escapes undone, in small letters.
type layer struct {
	text []byte
	at   []int // where each byte of text begins in the original, and where that ends; nil: at its own place
}

// layers returns s and what is inside its escapes, inside theirs, and so on, at
// most so many layers.
func layers(s string, most int) iter.Seq[layer] {
	return func(yield func(layer) bool) {
		l, changed := layer{text: lower([]byte(s))}, true
		for range most {
			if !changed || !yield(l) {
				return
			}
			l, changed = l.unescape()
		}
	}
}

// span returns the part of the original that a part of the layer came from.
func (l layer) span(from, to int) span {
	if l.at == nil {
		return span{from, to}
	}
	return span{l.at[from], l.at[to]}
}

// unescape undoes one layer of escapes; the second result is false if there are
// no escapes.
func (l layer) unescape() (layer, bool) {
	if !bytes.ContainsAny(l.text, `%\&`) {
		return l, false
	}
	inner := layer{text: make([]byte, 0, len(l.text)), at: make([]int, 0, len(l.text)+1)}
	changed := false
	for from := 0; from < len(l.text); {
		char, length := unescapeOne(l.text[from:])
		if length == 0 {
			char, length = l.text[from:from+1], 1
		} else {
			changed = true
		}
		for range char {
			inner.at = append(inner.at, l.span(from, from).from)
		}
		inner.text = append(inner.text, char...)
		from += length
	}
	inner.at = append(inner.at, l.span(len(l.text), len(l.text)).from)
	inner.text = lower(inner.text)
	return inner, changed
}

// unescapeOne undoes the escape that text begins with; the length is that of
// the escape, or 0.
func unescapeOne(text []byte) (char []byte, length int) {
	switch {
	case text[0] == '%':
		return hexadecimal(text, 1, 2)
	case text[0] == '&':
		return entity(text)
	case text[0] != '\\' || len(text) < 2:
		return nil, 0
	case text[1] == 'x':
		return hexadecimal(text, 2, 2)
	case text[1] == 'u':
		return utf16Escape(text)
	case strings.IndexByte(`\/"'`, text[1]) >= 0:
		return text[1:2], 2
	}
	return nil, 0
}

// hexadecimal reads the byte that digits say, behind the mark of an escape.
func hexadecimal(text []byte, mark, digits int) ([]byte, int) {
	number, ok := number(text, mark, digits)
	if !ok {
		return nil, 0
	}
	return []byte{byte(number)}, mark + digits
}

func number(text []byte, from, digits int) (uint64, bool) {
	if len(text) < from+digits {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[from:from+digits]), 16, 32)
	return n, err == nil
}

// utf16Escape reads \u0041, and the two of a surrogate pair.
func utf16Escape(text []byte) ([]byte, int) {
	first, ok := number(text, 2, 4)
	if !ok {
		return nil, 0
	}
	char, length := rune(first), 6
	if second, ok := number(text, 8, 4); ok && utf16.IsSurrogate(char) && text[6] == '\\' && text[7] == 'u' {
		if pair := utf16.DecodeRune(char, rune(second)); pair != utf8.RuneError {
			char, length = pair, 12
		}
	}
	return utf8.AppendRune(nil, char), length
}

// longestEntity is the length in bytes of the longest entity that is undone.
const longestEntity = 10

// entity reads an entity of HTML or XML, such as &amp; or &#x2b;.
func entity(text []byte) ([]byte, int) {
	end := bytes.IndexByte(text[:min(len(text), longestEntity)], ';')
	if end < 0 {
		return nil, 0
	}
	written := string(text[:end+1])
	char := html.UnescapeString(written)
	if char == written {
		return nil, 0
	}
	return []byte(char), len(written)
}

// lower writes the letters of text small, in place; the few whose small letter
// is longer or shorter stay as they are.
func lower(text []byte) []byte {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			if 'A' <= text[i] && text[i] <= 'Z' {
				text[i] += 'a' - 'A'
			}
			i++
			continue
		}
		char, size := utf8.DecodeRune(text[i:])
		small := unicode.ToLower(char)
		if small != char && utf8.RuneLen(small) == size {
			utf8.EncodeRune(text[i:], small)
		}
		i += size
	}
	return text
}
