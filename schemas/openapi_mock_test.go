package schemas_test

import (
	"strings"
	"testing"

	"github.com/pb33f/libopenapi/datamodel"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

const mockDocument = "openapi/mock.yaml"

func TestMockDocumentKeepsTheSpecification(t *testing.T) {
	t.Parallel()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat = true
	if err := compiler.AddResource("openapi-3.1.json", strings.NewReader(datamodel.OpenAPI31SchemaData)); err != nil {
		t.Fatal(err)
	}
	specification, err := compiler.Compile("openapi-3.1.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := specification.Validate(parsed(t, mockDocument)); err != nil {
		t.Errorf("%s breaks the specification: %#v", mockDocument, err)
	}
}

func TestMockDocumentReferencesLeadSomewhere(t *testing.T) {
	t.Parallel()
	document := parsed(t, mockDocument)
	found := 0
	walk(document, "", func(place string, node map[string]any) {
		if ref, ok := node["$ref"].(string); ok {
			found++
			if _, ok := lookup(document, strings.TrimPrefix(ref, "#")).(map[string]any); !ok {
				t.Errorf("%s: %s leads nowhere", place, ref)
			}
		}
	})
	if found < 50 {
		t.Errorf("only %d references were found", found)
	}
}
