package fieldrule_test

import (
	"encoding/json"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// ofTheRest names the places that the last rule of their list owns on purpose.
var ofTheRest = map[string]string{
	"products /updatedAt":              "the contract does not name it: only the partner reads it",
	"products /options/0/restrictions": "no value of it costs the marketplace anything: a rule of its own reads it",
}

func TestEveryPropertyOfTheSchemasBelongsToARuleOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, walk := range []struct {
		endpoint partnerapi.Endpoint
		schema   string
		places   int // at least
	}{
		{partnerapi.Products, schemas.Product, 25},
		{partnerapi.Availability, schemas.Slot, 15},
		{partnerapi.Reserve, schemas.ReserveAnswer, 2},
		{partnerapi.Confirm, schemas.ConfirmAnswer, 14},
	} {
		rest := fieldrule.Owner(walk.endpoint, schemas.Problem{Pointer: "/not/a/field"})
		places := placesOf(t, walk.schema, "")
		if len(places) < walk.places {
			t.Errorf("%s: want the schemas walked to their leaves, got only %q", walk.endpoint, places)
		}
		for _, place := range places {
			got := fieldrule.Owner(walk.endpoint, schemas.Problem{Pointer: place, Keyword: "type"})
			_, meant := ofTheRest[string(walk.endpoint)+" "+place]
			if (got.ID == rest.ID) != meant {
				t.Errorf("%s: want a problem at %s to break a rule of its own, or the reason why not, got %s", walk.endpoint, place, got.ID)
			}
			if got.Endpoint != walk.endpoint {
				t.Errorf("%s: want a rule of that endpoint for %s, got %s", walk.endpoint, place, got.ID)
			}
		}
	}
}

func TestAProblemBelongsToTheRuleOfItsPlace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name             string
		of               partnerapi.Endpoint
		pointer, keyword string
		want             rule.Rule
	}{
		{"a missing id", partnerapi.Products, "/options/12/units/3/id", "required", rule.UnitID},
		{"an adult of another id", partnerapi.Products, "/options/0/units/0/id", "const", rule.UnitFixedID},
		{"a student of an adult's id", partnerapi.Products, "/options/0/units/0/id", "not", rule.UnitFixedID},
		{"an unknown type", partnerapi.Products, "/options/0/units/0/type", "enum", rule.UnitType},
		{"a product that is not an object", partnerapi.Products, "", "type", rule.ProductsFields},
		{"an option that is not an object", partnerapi.Products, "/options/0", "type", rule.ProductsFields},
		{"an age", partnerapi.Products, "/options/0/units/0/restrictions/minAge", "type", rule.UnitRestrictions},
		{"restrictions that are none", partnerapi.Products, "/options/0/units/0/restrictions", "type", rule.UnitRestrictions},
		{"a name like an index", partnerapi.Products, "/options/x/id", "type", rule.ProductsFields},
		{"a price that is not an object", partnerapi.Availability, "/unitPricing/0", "type", rule.SlotUnitPricing},
		{"a slot that is not an object", partnerapi.Availability, "", "type", rule.SlotFields},
		{"a hold that is not an object", partnerapi.Reserve, "", "type", rule.ReserveJSON},
		{"a booking that is not an object", partnerapi.Confirm, "", "type", rule.ConfirmJSON},
		{"an unknown field", partnerapi.Confirm, "/extra/0", "type", rule.ConfirmFields},
		{"tickets that are due", partnerapi.Confirm, "/tickets", "required", rule.ConfirmTickets},
		{"a guest's name", partnerapi.Confirm, "/contact/fullName", "type", rule.ConfirmOptional},
	} {
		if got := fieldrule.Owner(test.of, schemas.Problem{Pointer: test.pointer, Keyword: test.keyword}); got.ID != test.want.ID {
			t.Errorf("%s, %s: want %s, got %s", test.name, test.pointer, test.want.ID, got.ID)
		}
	}
}

// placesOf walks a schema and returns the place of each property, with the index
// 0 for the elements of arrays.
func placesOf(t *testing.T, name, below string) []string {
	t.Helper()
	source, err := schemas.Source(name)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]struct {
			Ref   string `json:"$ref"`
			AnyOf []struct {
				Ref string `json:"$ref"`
			} `json:"anyOf"`
			Items *struct {
				Ref string `json:"$ref"`
			} `json:"items"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(source, &schema); err != nil {
		t.Fatal(err)
	}
	var places []string
	into := func(ref, place string) {
		if file, of := strings.CutSuffix(ref, ".schema.json"); of {
			places = append(places, placesOf(t, "partner/"+file, place)...)
		}
	}
	for property, of := range schema.Properties {
		place := below + "/" + property
		places = append(places, place)
		into(of.Ref, place)
		for _, one := range of.AnyOf {
			into(one.Ref, place)
		}
		if of.Items != nil {
			into(of.Items.Ref, place+"/0")
		}
	}
	return places
}
