package schemas_test

import (
	"strings"
	"testing"
)

const mockDocument = "openapi/mock.yaml"

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
