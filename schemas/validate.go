package schemas

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Validate validates a JSON text against the schema with that name. It returns nil if the text is
// valid. Otherwise it returns one problem for every wrong location and every missing property, in
// the order of the text, at most MaxProblems.
//
// A text that is not JSON (broken, followed by more, not UTF-8, nested deeper than MaxDepth) is one
// problem with the keyword "json". An integer may be written 10.0, as JSON Schema allows. Decode
// reads such an integer, encoding/json does not.
func Validate(name string, raw []byte) []Problem {
	_, problems := ReadValid(name, raw)
	return problems
}

// ReadValid decodes a JSON text as Read does, and validates it as Validate does.
func ReadValid(name string, raw []byte) (any, []Problem) {
	if problems := CheckSize(name, raw); problems != nil {
		return nil, problems
	}
	value, problem := Read(raw)
	if problem != nil {
		return nil, []Problem{*problem}
	}
	return value, ValidateValue(name, value)
}

// CheckSize returns a problem if a text has more bytes than its schema allows (x-maxBytes). Decoded,
// a text takes many times its size.
func CheckSize(name string, raw []byte) []Problem {
	document, _ := compiled().documents[base+name+suffix].(map[string]any)
	number, _ := document[bytesKeyword].(json.Number)
	if most, err := number.Int64(); err != nil || int64(len(raw)) <= most {
		return nil
	}
	return []Problem{{Keyword: keywordJSON, Message: fmt.Sprintf("expected at most %s bytes, received %d", number, len(raw))}}
}

// ValidateValue validates a value that is already decoded. Numbers should be json.Number
// (json.Decoder.UseNumber), so that none is rounded before validation. It allows a large catalog to
// be decoded once and validated product by product.
func ValidateValue(name string, value any) []Problem {
	schema, ok := compiled().byName[name]
	if !ok {
		return []Problem{{Keyword: keywordSchema, Message: fmt.Sprintf("there is no schema %q: schemas.Names lists all", name)}}
	}
	if unfit := checkValue(value, 0); unfit != nil {
		return []Problem{unfit.problem()}
	}
	err := schema().Validate(value)
	if err == nil {
		return nil
	}
	var broken *jsonschema.ValidationError
	if !errors.As(err, &broken) {
		return []Problem{*jsonProblem("the text cannot be judged: %v", err)}
	}
	return problemsOf(broken, value)
}

// mostLeaves is the maximum number of errors that become messages. Several may concern one
// location.
const mostLeaves = 10 * MaxProblems

// problemsOf lists the leaves of the library's tree of errors, one problem for each location. If
// several keywords fail at one location, the nearest is reported: what a value must be by itself
// before what it must be next to others.
func problemsOf(err *jsonschema.ValidationError, value any) []Problem {
	found := leaves(err, nil)
	if len(found) > mostLeaves {
		slices.SortFunc(found, func(a, b *jsonschema.ValidationError) int {
			return strings.Compare(a.InstanceLocation, b.InstanceLocation)
		})
		found = found[:mostLeaves]
	}
	slices.SortFunc(found, func(a, b *jsonschema.ValidationError) int {
		far := strings.Count(a.KeywordLocation, "/") - strings.Count(b.KeywordLocation, "/")
		return cmp.Or(far, strings.Compare(a.KeywordLocation, b.KeywordLocation))
	})
	var problems []Problem
	for _, leaf := range found {
		problems = append(problems, explain(leaf, value)...)
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return comparePointers(a.Pointer, b.Pointer) })
	problems = slices.CompactFunc(problems, func(a, b Problem) bool { return a.Pointer == b.Pointer })
	return problems[:min(len(problems), MaxProblems)]
}
