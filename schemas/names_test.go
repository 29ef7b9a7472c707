package schemas_test

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"partnerkit.dev/schemas"
)

func TestEverySchemaSaysWhatItIsAndShowsLawfulExamples(t *testing.T) {
	t.Parallel()
	for _, name := range schemas.Names() {
		document := source(t, name)
		if document["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("%s: want draft 2020-12, got %v", name, document["$schema"])
		}
		if want := "https://partnerkit.dev/schemas/" + name + ".schema.json"; document["$id"] != want {
			t.Errorf("%s: want $id %s, got %v", name, want, document["$id"])
		}
		for _, keyword := range []string{"title", "description"} {
			if words, _ := document[keyword].(string); words == "" {
				t.Errorf("%s has no %s", name, keyword)
			}
		}
		if len(examples(t, name)) == 0 && !isShared(name) {
			t.Errorf("%s has no example", name)
		}
		for i, example := range examples(t, name) {
			for _, problem := range schemas.ValidateValue(name, example) {
				t.Errorf("%s: example %d: %s", name, i, problem)
			}
		}
	}
}

func TestTheFilesAreValidAsTheyStand(t *testing.T) {
	t.Parallel()
	const base = "https://partnerkit.dev/schemas/"
	c := jsonschema.NewCompiler()
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, errors.New("a schema refers to " + url + ", which does not exist")
	}
	for _, name := range schemas.Names() {
		text, err := schemas.Source(name)
		check(t, err)
		check(t, c.AddResource(base+name+".schema.json", bytes.NewReader(text)))
	}
	for _, name := range schemas.Names() {
		if _, err := c.Compile(base + name + ".schema.json"); err != nil {
			t.Errorf("%s: %#v", name, err)
		}
	}
}

// The compiler of this package takes "items" for the keyword wherever it stands,
// and Decode ignores the case of names.
func TestNoPropertyHasAForbiddenName(t *testing.T) {
	t.Parallel()
	spelling := map[string]string{}
	for _, name := range schemas.Names() {
		walk(source(t, name), "", func(place string, node map[string]any) {
			properties, _ := node["properties"].(map[string]any)
			for property := range properties {
				if property == "items" {
					t.Errorf("%s%s: a property is called items", name, place)
				}
				other, known := spelling[strings.ToLower(property)]
				if known && other != property {
					t.Errorf("%s%s: the property %s is elsewhere called %s", name, place, property, other)
				}
				spelling[strings.ToLower(property)] = property
			}
		})
	}
}

// A constraint that the type and the enumeration do not say needs words.
func TestEveryConstraintHasWords(t *testing.T) {
	t.Parallel()
	for _, name := range schemas.Names() {
		walk(source(t, name), "", func(place string, node map[string]any) {
			if strings.Contains(place, "/examples") {
				return
			}
			for _, keyword := range []string{"format", "pattern", "minLength", "minItems", "minimum", "maximum", "not"} {
				if _, constrained := node[keyword]; constrained && node["x-want"] == nil {
					t.Errorf("%s%s has %s and no x-want", name, place, keyword)
				}
			}
		})
	}
}

func TestSourceOfAnUnknownSchemaIsAnError(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "partner", "partner/nothing", "../go.mod", "partner/product.schema.json"} {
		if text, err := schemas.Source(name); err == nil {
			t.Errorf("Source(%q) returns %q", name, text)
		}
	}
}

func TestTheContractsVersionIsTwelveHexadecimalDigitsAndStable(t *testing.T) {
	t.Parallel()
	version := schemas.ContractVersion()
	if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(version) {
		t.Errorf("want twelve hexadecimal digits, got %q", version)
	}
	if again := schemas.ContractVersion(); again != version {
		t.Errorf("want %s again, got %s", version, again)
	}
}
