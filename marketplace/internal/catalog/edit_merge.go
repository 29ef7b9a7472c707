package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// largestEdit bounds what operators say of one activity, or of one variation, in bytes.
const largestEdit = 256 << 10

const tooLong = "want numbers of at most 40 digits, and whole ones without a point"

func invalidEdit(mistakes ...string) *marketplace.Error {
	return &marketplace.Error{Code: marketplace.Invalid, Message: "the change is not as it should be", Details: mistakes}
}

// mergeInto puts a change over details.
func mergeInto[T any](details *T, change map[string]any, place string) error {
	if len(change) == 0 {
		return nil
	}
	before, err := json.Marshal(details)
	if err != nil {
		return err
	}
	fields, err := decoded(before)
	if err != nil {
		return err
	}
	merged, err := json.Marshal(patched(fields, change))
	if err != nil {
		return err
	}
	if len(merged) > largestEdit {
		return invalidEdit(fmt.Sprintf("%s: want at most %d bytes in all, got %d", place, largestEdit, len(merged)))
	}
	var after T
	if err := json.Unmarshal(merged, &after); err != nil {
		return invalidEdit(place + ": " + tooLong)
	}
	*details = after
	return nil
}

// patched is the merge patch of RFC 7396.
func patched(target any, change map[string]any) map[string]any {
	fields, ok := target.(map[string]any)
	if !ok {
		fields = map[string]any{}
	}
	for name, value := range change {
		switch value := value.(type) {
		case nil:
			delete(fields, name)
		case map[string]any:
			fields[name] = patched(fields[name], value)
		default:
			fields[name] = value
		}
	}
	return fields
}

// decoded reads an object, numbers as they are written.
func decoded(text []byte) (fields map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return fields, decoder.Decode(&fields)
}

// hasNUL reports whether a text or a name has one, which PostgreSQL cannot store.
func hasNUL(value any) bool {
	switch value := value.(type) {
	case string:
		return strings.ContainsRune(value, 0)
	case []any:
		for _, one := range value {
			if hasNUL(one) {
				return true
			}
		}
	case map[string]any:
		for name, one := range value {
			if hasNUL(name) || hasNUL(one) {
				return true
			}
		}
	}
	return false
}
