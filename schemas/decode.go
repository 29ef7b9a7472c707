package schemas

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
)

// Decode judges a JSON text as Validate does and, when there is no problem,
// stores it in what into points to, such as a *partnerapi.Product.
//
// It reads what encoding/json cannot: an integer written 10.0 or 1e3, which is
// lawful, and an unknown field that differs from a known one only in its
// capitals (ID beside id), which encoding/json would take for the known one.
// Such an unknown field is left out, in a free-form object too.
func Decode(name string, raw []byte, into any) []Problem {
	value, problem := read(raw)
	if problem != nil {
		return []Problem{*problem}
	}
	if problems := ValidateValue(name, value); problems != nil {
		return problems
	}
	text, err := json.Marshal(compiled().plain(value))
	if err != nil {
		return []Problem{*jsonProblem("the value cannot be written as JSON: %v", err)}
	}
	err = json.Unmarshal(text, into)
	// A field whose type the schema leaves open is skipped where it does not
	// fit into's; encoding/json has stored all others then.
	if open := (*json.UnmarshalTypeError)(nil); err != nil && !errors.As(err, &open) {
		return []Problem{*jsonProblem("the value cannot be stored in a %T: %v", into, err)}
	}
	return nil
}

// plain copies a value as encoding/json reads it rightly: without the names that
// it would take for others, and with integers that have no point and no exponent.
func (all *compiledSchemas) plain(value any) any {
	switch value := value.(type) {
	case map[string]any:
		object := make(map[string]any, len(value))
		for name, member := range value {
			if known := all.properties[folded(name)]; known == "" || known == name {
				object[name] = all.plain(member)
			}
		}
		return object
	case []any:
		array := make([]any, len(value))
		for i, item := range value {
			array[i] = all.plain(item)
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
