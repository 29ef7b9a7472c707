package openapi_test

import (
	"errors"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"partnerkit.dev/schemas/openapi"
)

// mock describes the control API of the mock.
const mock = "openapi/mock.yaml"

func TestABundleKeepsTheSpecificationAndStandsAlone(t *testing.T) {
	t.Parallel()
	official, err := os.Open("testdata/openapi-3.1.json") // of https://spec.openapis.org/oas/3.1/schema/2022-10-07
	check(t, err)
	defer official.Close()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat = true
	check(t, compiler.AddResource("openapi-3.1.json", official))
	specification, err := compiler.Compile("openapi-3.1.json")
	check(t, err)
	for _, file := range []string{openapi.Marketplace, openapi.Partner, mock} {
		text, err := openapi.Bundle(file)
		check(t, err)
		var bundle map[string]any
		check(t, yaml.Unmarshal(text, &bundle))
		if err := specification.Validate(bundle); err != nil {
			t.Errorf("%s breaks the specification: %#v", file, err)
		}
		references := 0
		for _, found := range regexp.MustCompile(`(?m)^[ -]*\$ref: "?'?([^"'\n]*)`).FindAllStringSubmatch(string(text), -1) {
			references++
			node, names := any(bundle), strings.Split(found[1], "/")
			for _, name := range names[1:] {
				node, _ = node.(map[string]any)[name]
			}
			if _, object := node.(map[string]any); names[0] != "#" || !object {
				t.Errorf("%s: %s leads nowhere", file, found[1])
			}
		}
		if references < 50 {
			t.Errorf("%s: want references, got %d", file, references)
		}
	}
}

// Generators of clients make a type of every component, name it as the component is named,
// and follow a reference to a whole component alone.
func TestABundleIsWhatGeneratorsOfClientsRead(t *testing.T) {
	t.Parallel()
	for _, file := range []string{openapi.Marketplace, openapi.Partner, mock} {
		text, err := openapi.Bundle(file)
		check(t, err)
		var bundle struct {
			Paths      map[string]map[string]any
			Components map[string]map[string]any
		}
		var document any
		check(t, errors.Join(yaml.Unmarshal(text, &bundle), yaml.Unmarshal(text, &document)))
		kindOf := map[string]string{}
		for _, kind := range []string{"schemas", "parameters", "responses", "headers"} {
			for name := range bundle.Components[kind] {
				if !regexp.MustCompile(`^\w+$`).MatchString(name) || kindOf[name] != "" && kind != "headers" {
					t.Errorf("%s: the name %q of %s is no type's name, or also one of %s", file, name, kind, kindOf[name])
				}
				kindOf[name] = kind
			}
		}
		ids := map[any]bool{}
		for path, operations := range bundle.Paths {
			for method, operation := range operations {
				if id := operation.(map[string]any)["operationId"]; id == nil || ids[id] {
					t.Errorf("%s: %s %s has the operationId %v, which is missing or not unique", file, method, path, id)
				} else {
					ids[id] = true
				}
			}
		}
		everyNode(document, func(node map[string]any) {
			if ref, ok := node["$ref"].(string); ok && !regexp.MustCompile(`^#/components/\w+/\w+$`).MatchString(ref) {
				t.Errorf("%s: %s refers to the inside of a component", file, ref)
			}
			if types, ok := node["type"].([]any); ok && (len(types) != 2 || !slices.Contains(types, any("null"))) {
				t.Errorf("%s: a schema has the types %v; expected one type, or one type and null", file, types)
			}
			for _, ours := range []string{"$defs", "$id", "x-want", "x-bounds", "x-maxBytes"} {
				if node[ours] != nil {
					t.Errorf("%s: %s is left in %v", file, ours, node)
				}
			}
			if file != mock && isShapeless(node) { // scenarios and catalogs of the mock are described by their own pages
				t.Errorf("%s: generators make an unknown type of %v", file, node)
			}
		})
	}
}

// isShapeless reports whether a schema of objects names neither their fields nor what a map contains.
// Some are free-form for the contract, and say so.
func isShapeless(schema map[string]any) bool {
	types, _ := schema["type"].([]any)
	if schema["type"] != "object" && !slices.Contains(types, any("object")) {
		return false
	}
	_, isMap := schema["additionalProperties"].(map[string]any)
	words, _ := schema["description"].(string)
	return schema["properties"] == nil && schema["allOf"] == nil && schema["anyOf"] == nil && !isMap && !strings.HasPrefix(words, "Free-form") && words != "An empty object."
}

func everyNode(value any, visit func(map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		visit(value)
		for _, child := range value {
			everyNode(child, visit)
		}
	case []any:
		for _, child := range value {
			everyNode(child, visit)
		}
	}
}

func TestABundleSaysWhatItsFilesSay(t *testing.T) {
	t.Parallel()
	text, err := openapi.Bundle(openapi.Marketplace)
	check(t, err)
	var bundle struct {
		Components struct{ Schemas map[string]map[string]any }
	}
	check(t, yaml.Unmarshal(text, &bundle))
	got := bundle.Components.Schemas["ResellerError"]
	want := map[string]any{"type": "integer", "minimum": uint64(400), "maximum": uint64(599), "description": "The HTTP status."}
	if code := got["properties"].(map[string]any)["code"]; !reflect.DeepEqual(code, want) || got["$id"] != nil {
		t.Errorf("want %v, got %v", want, code)
	}
}

func TestAnOperationIsFoundByItsMethodAndPath(t *testing.T) {
	t.Parallel()
	document, err := openapi.Read(openapi.Marketplace)
	check(t, err)
	op, methods := document.Find("POST", "/api/v1/auth/login")
	if op == nil || op.ID != "login" || len(op.Security) != 0 || len(methods) != 1 {
		t.Fatalf("want the sign-in, got %+v, %v", op, methods)
	}
	if none, methods := document.Find("GET", "/api/v1/auth/login"); none != nil || len(methods) != 1 {
		t.Errorf("want another method known, got %+v, %v", none, methods)
	}
	if op, _ := document.Find("DELETE", "/api/v1/partner-integrations/a%2Fb"); op == nil || op.ID != "deleteIntegration" {
		t.Errorf("want an escaped segment matched, got %+v", op)
	}
}

func TestAMissingDocumentIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := openapi.Read("openapi/nothing.yaml"); err == nil {
		t.Error("want an error")
	}
}

// check ends the test on an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
