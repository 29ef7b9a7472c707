package view

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// markedText is a text with a part of it marked.
type markedText struct {
	Before, Marked, After string
	Missing               string // the name of what should be in the text, and is not
}

// Empty reports whether there is no text.
func (m markedText) Empty() bool { return m.Before == "" && m.Marked == "" && m.After == "" }

// mark marks the value at a place, a JSON pointer, of a JSON text, with its name
// where it is a member.
func mark(text, place string) markedText {
	if place == "" {
		return markedText{Before: text}
	}
	from, to, found := find(text, place)
	if !found {
		return markedText{Before: text, Missing: jsontext.Pointer(place).LastToken()}
	}
	return markedText{Before: text[:from], Marked: text[from:to], After: text[to:]}
}

// find returns where in a JSON text the value at a place stands.
func find(text, place string) (from, to int, found bool) {
	dec := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		before := int(dec.InputOffset())
		token, err := dec.ReadToken()
		if err != nil {
			return 0, 0, false
		}
		if string(dec.StackPointer()) != place {
			continue
		}
		from = before + len(text[before:]) - len(strings.TrimLeft(text[before:], ", \t\r\n"))
		switch kind := token.Kind(); {
		case kind == '{' || kind == '[':
			err = leave(dec)
		case isName(dec):
			err = dec.SkipValue()
		}
		return from, int(dec.InputOffset()), err == nil
	}
}

// isName reports whether the token that was just read is the name of a member.
func isName(dec *jsontext.Decoder) bool {
	kind, length := dec.StackIndex(dec.StackDepth())
	return kind == '{' && length%2 == 1
}

// leave reads to the end of the object or array that was just begun.
func leave(dec *jsontext.Decoder) error {
	for within := dec.StackDepth(); dec.StackDepth() >= within; {
		if _, err := dec.ReadToken(); err != nil {
			return err
		}
	}
	return nil
}
