package schemas

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
)

// Decode validates a JSON text as Validate does and, if there is no problem, stores it in the value
// that into points to, such as a *partnerapi.Product.
//
// It handles two cases that encoding/json does not. An integer may be written 10.0 or 1e3, which is
// lawful. An unknown field may differ from a known one only in case (ID and id), and encoding/json
// would take it for the known one. Decode omits such an unknown field, even in a free-form object.
func Decode(name string, raw []byte, into any) []Problem {
	value, problems := ReadValid(name, raw)
	if problems != nil {
		return problems
	}
	text, err := json.Marshal(compiled().plainValue(value))
	if err != nil {
		return []Problem{*jsonProblem("the value cannot be written as JSON: %v", err)}
	}
	err = json.Unmarshal(text, into)
	// If the schema leaves a field's type open, a value that does not fit into's field is skipped.
	// encoding/json has stored all other fields then.
	if open := (*json.UnmarshalTypeError)(nil); err != nil && !errors.As(err, &open) {
		return []Problem{*jsonProblem("the value cannot be stored in a %T: %v", into, err)}
	}
	return nil
}

// plainValue copies a value into a form that encoding/json reads correctly: without the names that it
// would take for others, and with integers without point and exponent.
func (all *compiledSchemas) plainValue(value any) any {
	switch value := value.(type) {
	case map[string]any:
		object := make(map[string]any, len(value))
		for name, member := range value {
			if known := all.properties[foldName(name)]; known == "" || known == name {
				object[name] = all.plainValue(member)
			}
		}
		return object
	case []any:
		array := make([]any, len(value))
		for i, item := range value {
			array[i] = all.plainValue(item)
		}
		return array
	case json.Number:
		return plainNumber(value)
	}
	return value
}

func plainNumber(number json.Number) json.Number {
	if !strings.ContainsAny(string(number), ".eE") {
		return number
	}
	exact, ok := new(big.Rat).SetString(string(number))
	if !ok || !exact.IsInt() {
		return number
	}
	return json.Number(exact.Num().String())
}
