package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// marshal is json.Marshal for answers. The client's types, which have zero values where an answer has
// null, say with the tag wire how their fields are encoded:
//
//	wire:"null"    the zero value is null
//	wire:"offset"  the time has an offset also in UTC: +00:00, not Z
func marshal(v any) ([]byte, error) {
	var to bytes.Buffer
	err := encode(&to, reflect.ValueOf(v))
	return to.Bytes(), err
}

func encode(to *bytes.Buffer, v reflect.Value) error {
	if !v.IsValid() {
		to.WriteString("null")
		return nil
	}
	if !isTagged(v.Type()) || v.Kind() == reflect.Slice && v.IsNil() {
		text, err := json.Marshal(v.Interface())
		to.Write(text)
		return err
	}
	switch v.Kind() {
	case reflect.Struct:
		return encodeStruct(to, v)
	case reflect.Slice:
		to.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				to.WriteByte(',')
			}
			if err := encode(to, v.Index(i)); err != nil {
				return err
			}
		}
		to.WriteByte(']')
		return nil
	default: // a pointer or an interface
		return encode(to, v.Elem())
	}
}

func encodeStruct(to *bytes.Buffer, v reflect.Value) error {
	separator := byte('{')
	for _, m := range membersOf(v.Type()) {
		value := v.FieldByIndex(m.index)
		if m.omits && isZero(value) {
			continue
		}
		to.WriteByte(separator)
		separator = ','
		to.WriteString(m.name)
		switch {
		case m.wire == "null" && isZero(value):
			value = reflect.Value{}
		case m.wire == "offset":
			value = reflect.ValueOf(partnerapi.FormatDateTime(value.Interface().(time.Time)))
		}
		if err := encode(to, value); err != nil {
			return err
		}
	}
	to.WriteByte('}')
	return nil
}

// isZero reports whether a value is zero. A zero time may be in any zone.
func isZero(v reflect.Value) bool {
	if at, ok := v.Interface().(time.Time); ok {
		return at.IsZero()
	}
	return v.IsZero()
}

// member is a field of a struct, as JSON has it.
type member struct {
	index []int
	name  string // in quotes, with a colon
	omits bool   // the zero value
	wire  string
}

// The types that were encoded before: whether they are tagged, and their members.
var tagged, members sync.Map

// isTagged reports whether the tag wire occurs in a type, or may occur in what an interface contains.
func isTagged(t reflect.Type) bool {
	if known, ok := tagged.Load(t); ok {
		return known.(bool)
	}
	found := false
	switch {
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
	case t.Kind() == reflect.Interface:
		found = true
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice:
		found = isTagged(t.Elem())
	case t.Kind() == reflect.Struct:
		for _, field := range reflect.VisibleFields(t) {
			found = found || field.Tag.Get("wire") != "" || field.IsExported() && isTagged(field.Type)
		}
	}
	tagged.Store(t, found)
	return found
}

func membersOf(t reflect.Type) []member {
	if known, ok := members.Load(t); ok {
		return known.([]member)
	}
	var list []member
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.IsExported() && !field.Anonymous && name != "-" {
			list = append(list, member{field.Index, `"` + name + `":`, options != "", field.Tag.Get("wire")})
		}
	}
	members.Store(t, list)
	return list
}
