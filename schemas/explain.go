package schemas

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// explain turns one leaf of the library's errors into problems: usually one, one for each missing
// property, or no problem for a redundant leaf.
//
// The expected value comes from the schema itself: the x-want text of the violated node, or else
// its enumeration or type. The same text serves for every keyword of the node, and for a missing
// property. A text that is too long, or has what it must not have, is described by x-bounds if there
// is one.
func explain(leaf *jsonschema.ValidationError, value any) []Problem {
	location, keyword := cutLast(leaf.AbsoluteKeywordLocation)
	document, node := compiled().node(location)
	if node["type"] == "null" {
		return nil // the other branch of an optional object describes the problem
	}
	pointer, got := locate(value, leaf.InstanceLocation)
	switch {
	case keyword == "required":
		return explainMissing(document, node, pointer, got)
	case keyword == "additionalProperties":
		return explainUnknown(node, pointer, got)
	case strings.HasSuffix(location, "/propertyNames"):
		got = lastToken(pointer)
	}
	want := compiled().words(document, node)
	if bounds, ok := node["x-bounds"].(string); ok && slices.Contains([]string{"maxLength", bytesKeyword, "pattern"}, keyword) {
		want = bounds
	}
	return []Problem{{
		Pointer: pointer,
		Keyword: keyword,
		Message: fmt.Sprintf("expected %s, received %s", want, describe(got)),
	}}
}

func explainMissing(document string, node map[string]any, pointer string, got any) []Problem {
	object, _ := got.(map[string]any)
	properties, _ := node["properties"].(map[string]any)
	required, _ := node["required"].([]any)
	var problems []Problem
	for _, name := range required {
		name := name.(string)
		if _, ok := object[name]; ok {
			continue
		}
		property, _ := properties[name].(map[string]any)
		problems = append(problems, Problem{
			Pointer: pointer + pointerToken(name),
			Keyword: "required",
			Message: fmt.Sprintf("missing, expected %s", compiled().words(document, property)),
		})
	}
	return problems
}

// explainUnknown names each property that an object may not have.
func explainUnknown(node map[string]any, pointer string, got any) []Problem {
	object, _ := got.(map[string]any)
	properties, _ := node["properties"].(map[string]any)
	known := strings.Join(slices.Sorted(maps.Keys(properties)), ", ")
	var problems []Problem
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if _, ok := properties[name]; ok {
			continue
		}
		problems = append(problems, Problem{
			Pointer: pointer + pointerToken(name),
			Keyword: "additionalProperties",
			Message: "unknown field; expected one of " + known,
		})
	}
	return problems[:min(len(problems), MaxProblems)]
}

func lastToken(pointer string) string {
	tokens := pointerTokens(pointer)
	return tokens[len(tokens)-1]
}

// node finds a location in the schemas: the document's $id and the object there.
func (all *compiledSchemas) node(location string) (document string, node map[string]any) {
	document, pointer, _ := strings.Cut(location, "#")
	_, found := locate(all.documents[document], pointer)
	node, _ = found.(map[string]any)
	return document, node
}

// words describes what a node of a schema expects.
func (all *compiledSchemas) words(document string, node map[string]any) string {
	if want, ok := node["x-want"].(string); ok {
		return want
	}
	if ref, ok := node["$ref"].(string); ok {
		return all.words(all.node(resolve(document, ref)))
	}
	if branches, ok := node["anyOf"].([]any); ok && len(branches) > 0 {
		branch, _ := branches[0].(map[string]any)
		return all.words(document, branch)
	}
	if values, ok := node["enum"].([]any); ok {
		return oneOf(values)
	}
	if value, ok := node["const"]; ok {
		return describe(value)
	}
	return typeWords(node["type"])
}

func resolve(document, ref string) string {
	if strings.HasPrefix(ref, "#") {
		return document + ref
	}
	from, err := url.Parse(document)
	if err != nil {
		return ref
	}
	to, err := from.Parse(ref)
	if err != nil {
		return ref
	}
	return to.String()
}

func oneOf(values []any) string {
	words := make([]string, len(values))
	for i, value := range values {
		words[i] = fmt.Sprint(value)
	}
	last := len(words) - 1
	return "one of " + strings.Join(words[:last], ", ") + " or " + words[last]
}

func typeWords(kind any) string {
	if kinds, ok := kind.([]any); ok && len(kinds) > 0 {
		kind = kinds[0]
	}
	switch kind {
	case "boolean":
		return "true or false"
	case "integer", "object", "array":
		return fmt.Sprintf("an %s", kind)
	case "string", "number":
		return fmt.Sprintf("a %s", kind)
	}
	return "another value"
}

// cutLast splits a location before its last keyword.
func cutLast(location string) (parent, last string) {
	slash := strings.LastIndexByte(location, '/')
	return location[:slash], location[slash+1:]
}

// locate follows a pointer of the library, which escapes every token for URLs in addition to RFC
// 6901. It returns the plain pointer and the value there.
func locate(value any, location string) (pointer string, found any) {
	found = value
	for _, token := range pointerTokens(location) {
		if plain, err := url.PathUnescape(token); err == nil {
			token = plain
		}
		pointer += pointerToken(token)
		switch parent := found.(type) {
		case map[string]any:
			found = parent[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(parent) {
				return pointer, nil
			}
			found = parent[i]
		default:
			return pointer, nil
		}
	}
	return pointer, found
}
