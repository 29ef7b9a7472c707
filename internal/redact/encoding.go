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
	// shortestSearched is the minimum length, in bytes, of a key that is searched for in running
	// text. A shorter key would be found inside ordinary words. The Authorization header is
	// redacted whatever the key's length.
	shortestSearched = 6

	// layersRedacted is the maximum number of nested encodings in which the key is searched. A
	// document adds one encoding to its parts. Fewer are therefore searched in a finished document,
	// so that what was redacted is never found again.
	layersRedacted = 8
	layersSearched = 6
)

// formsOf returns the forms of key in a text after its escapes are undone and it is in lower case.
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
		forms[i] = string(toLower([]byte(form)))
	}
	// Apparent escapes in the key itself are undone together with those around it.
	if strings.ContainsAny(key, escapes) {
		for inner := range layers(key, layersRedacted) {
			if len(inner.text) >= shortestSearched {
				forms = append(forms, string(inner.text))
			}
		}
	}
	slices.Sort(forms)
	var unique [][]byte
	for _, form := range slices.Compact(forms) {
		unique = append(unique, []byte(form))
	}
	return unique
}

// latin1 returns key as shown by a server that reads header bytes as ISO 8859-1. Several servers do
// this.
func latin1(key string) string {
	runes := make([]rune, len(key))
	for i := range len(key) {
		runes[i] = rune(key[i])
	}
	return string(runes)
}

// base64Forms returns what any base64 text that contains key must contain. Four letters encode
// three bytes, so the key has three forms, by the number of bytes before it modulo three ("Bearer "
// and "user:" included).
func base64Forms(key string) []string {
	var forms []string
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			text := encoding.EncodeToString(append(make([]byte, before), key...))
			// The letters that also encode bits of the neighbouring bytes vary.
			first := (before*8 + 5) / 6
			last := (before + len(key)) * 8 / 6
			forms = append(forms, text[first:last])
		}
	}
	return forms
}

// span is a part of a text: the bytes from the first up to the second.
type span struct{ from, to int }

// layer is a text with some of its escapes undone, in lower case.
type layer struct {
	text []byte
	at   []int // the offset in the original of each byte of text and of its end; nil means the same offset
	// unplaced means that the offsets are not needed. They take eight times as much memory as the text.
	unplaced bool
}

// unplaced returns the first layer of a document in which a key is only searched.
func unplaced(document []byte) layer {
	return layer{text: toLower(bytes.Clone(document)), unplaced: true}
}

// layers returns s, then s with one layer of escapes undone, and so on, at most this many layers.
func layers(s string, most int) iter.Seq[layer] {
	return layer{text: toLower([]byte(s))}.layers(most)
}

func (l layer) layers(most int) iter.Seq[layer] {
	return func(yield func(layer) bool) {
		l, changed := l, true
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

// escapes are the first characters of all escapes.
const escapes = `%\&`

// unescape undoes one layer of escapes. It returns false if there are no escapes.
func (l layer) unescape() (layer, bool) {
	if !bytes.ContainsAny(l.text, escapes) {
		return l, false
	}
	inner := layer{text: make([]byte, 0, len(l.text)), unplaced: l.unplaced}
	changed := false
	for from := 0; from < len(l.text); {
		rest := l.text[from:]
		if char, length := unescapeOne(rest); length > 0 {
			inner.add(char, func(int) int { return l.span(from, from).from })
			from, changed = from+length, true
			continue
		}
		length := len(rest)
		if next := bytes.IndexAny(rest[1:], escapes); next >= 0 {
			length = 1 + next
		}
		inner.add(rest[:length], func(i int) int { return l.span(from+i, from+i).from })
		from += length
	}
	if !inner.unplaced {
		inner.at = append(inner.at, l.span(len(l.text), len(l.text)).from)
	}
	inner.text = toLower(inner.text)
	return inner, changed
}

// add appends bytes, each with its offset in the original.
func (l *layer) add(text []byte, offset func(i int) int) {
	l.text = append(l.text, text...)
	if !l.unplaced {
		for i := range text {
			l.at = append(l.at, offset(i))
		}
	}
}

// unescapeOne undoes the escape at the beginning of text. The length is that of the escape, or 0.
func unescapeOne(text []byte) (char []byte, length int) {
	switch {
	case text[0] == '%':
		return decodeHex(text, 1, 2)
	case text[0] == '&':
		return entity(text)
	case text[0] != '\\' || len(text) < 2:
		return nil, 0
	case text[1] == 'x':
		return decodeHex(text, 2, 2)
	case text[1] == 'u':
		return utf16Escape(text)
	case strings.IndexByte(`\/"'`, text[1]) >= 0:
		return text[1:2], 2
	}
	return nil, 0
}

// decodeHex reads the byte that the digits after the mark of an escape encode.
func decodeHex(text []byte, mark, digits int) ([]byte, int) {
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

// utf16Escape reads an escape such as \u0041, or the two of a surrogate pair.
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

// longestEntity is the length of the longest entity that is undone, in bytes.
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

// toLower converts text to lower case, in place. Letters whose lower case has another length stay
// unchanged.
func toLower(text []byte) []byte {
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
