package schemas_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func TestDecodeStoresWhatIsLawful(t *testing.T) {
	t.Parallel()
	var product partnerapi.Product
	if problems := schemas.Decode(schemas.Product, []byte(productText), &product); problems != nil {
		t.Fatal(problems)
	}
	want := partnerapi.Product{
		ID: "p", Locale: "en", TimeZone: "UTC", InstantConfirmation: true,
		Options: []partnerapi.Option{{
			ID: "o", AvailabilityType: partnerapi.StartTime,
			Units: []partnerapi.Unit{{
				ID: "unit-adult", Type: partnerapi.Adult,
				PricingFrom: []partnerapi.PricingEntry{{Original: 100, Currency: "EUR"}},
			}},
		}},
	}
	if !reflect.DeepEqual(product, want) {
		t.Errorf("want %+v\ngot  %+v", want, product)
	}
}

func TestDecodeStoresNothingOfWhatIsNot(t *testing.T) {
	t.Parallel()
	entry := partnerapi.PricingEntry{Original: 7}
	problems := schemas.Decode("partner/pricing-entry", []byte(`{"original": 22.5, "currency": "EUR"}`), &entry)
	if len(problems) != 1 || entry != (partnerapi.PricingEntry{Original: 7}) {
		t.Errorf("want one problem and nothing stored, got %v and %+v", problems, entry)
	}
	if problems := schemas.Decode("partner/pricing-entry", []byte(`{`), &entry); len(problems) != 1 {
		t.Errorf("want one problem, got %v", problems)
	}
}

func TestDecodeReadsIntegersHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		`2250`: 2250, `2250.0`: 2250, `2.25e3`: 2250, `225E1`: 2250, `22500e-1`: 2250, `-0`: 0, `-1.0`: -1,
		`9223372036854775807.0`: 9223372036854775807, `9007199254740993.0`: 9007199254740993,
	} {
		var ages struct {
			MinAge int64 `json:"minAge"`
		}
		problems := schemas.Decode("partner/restrictions", []byte(`{"minAge": `+text+`}`), &ages)
		if problems != nil || ages.MinAge != want {
			t.Errorf("%s: want %d, got %d %v", text, want, ages.MinAge, problems)
		}
	}
}

func TestDecodeDistinguishesNamesByCase(t *testing.T) {
	t.Parallel()
	var booking partnerapi.ConfirmAnswer
	problems := schemas.Decode(schemas.ConfirmAnswer,
		[]byte(`{"externalBookingId": "b", "EXTERNALBOOKINGID": "x", "ſtatus": "x", "status": "CONFIRMED", "UUID": "x", "Tickets": 7}`), &booking)
	if want := (partnerapi.ConfirmAnswer{ExternalBookingID: "b", Status: "CONFIRMED"}); problems != nil || !reflect.DeepEqual(booking, want) {
		t.Errorf("want %+v, got %+v %v", want, booking, problems)
	}
}

func TestDecodeSkipsAFieldWhoseTypeIsOpen(t *testing.T) {
	t.Parallel()
	var product partnerapi.Product
	text := strings.Replace(productText, `{"id": "p"`, `{"updatedAt": 1782896400, "id": "p"`, 1)
	if problems := schemas.Decode(schemas.Product, []byte(text), &product); problems != nil || product.ID != "p" || len(product.Options) != 1 {
		t.Errorf("want the product without its time, got %+v %v", product, problems)
	}
}

func TestDecodeReadsTheLimitsOfAPartyThatAreNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]partnerapi.PartyLimits{
		`{"minUnits": 2, "maxUnits": 9.0}`:                         {MinUnits: 2, MaxUnits: 9},
		`{"maxUnits": 9, "minUnits": null, "maxPax": 3}`:           {MaxUnits: 9},
		`{"minUnits": "2", "maxUnits": 9}`:                         {MaxUnits: 9},
		`{"minUnits": 1.5, "maxUnits": [9], "MinUnits": 3}`:        {},
		`{"minUnits": 2, "maxUnits": 100000000000000000000000000}`: {MinUnits: 2},
		`null`: {}, `"two to nine"`: {}, `[2, 9]`: {}, `9`: {}, `{}`: {},
	} {
		var product partnerapi.Product
		body := strings.Replace(productText, `{"id": "o"`, `{"restrictions": `+text+`, "id": "o"`, 1)
		if problems := schemas.Decode(schemas.Product, []byte(body), &product); problems != nil || product.Options[0].Restrictions != want || len(product.Options[0].Units) != 1 {
			t.Errorf("%s: want %+v, got %+v %v", text, want, product.Options, problems)
		}
	}
}

func TestOnlyLimitsThatAPartyCanKeepAreUsable(t *testing.T) {
	t.Parallel()
	for limits, want := range map[partnerapi.PartyLimits]partnerapi.PartyLimits{
		{}:                          {},
		{MinUnits: 2, MaxUnits: 2}:  {MinUnits: 2, MaxUnits: 2},
		{MinUnits: 3}:               {MinUnits: 3},
		{MinUnits: -1, MaxUnits: 4}: {MaxUnits: 4},
		{MinUnits: 2, MaxUnits: -4}: {MinUnits: 2},
		{MinUnits: 9, MaxUnits: 2}:  {},
	} {
		if got := limits.Usable(); got != want {
			t.Errorf("%+v: want %+v, got %+v", limits, want, got)
		}
	}
}

func TestDecodeIntoWhatCannotHoldItIsAProblem(t *testing.T) {
	t.Parallel()
	if problems := schemas.Decode(schemas.CancelRequest, []byte(`{}`), partnerapi.CancelRequest{}); len(problems) != 1 {
		t.Errorf("want one problem, got %v", problems)
	}
}

// The Go types and the schemas describe the same fields: what a schema lets pass
// finds its place, and nothing waits for a field that no schema has.
func TestTheGoTypesHaveTheFieldsOfTheSchemas(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{
		schemas.Product: partnerapi.Product{}, "partner/option": partnerapi.Option{}, "partner/unit": partnerapi.Unit{},
		"partner/restrictions": partnerapi.Restrictions{}, "partner/pricing-entry": partnerapi.PricingEntry{},
		schemas.AvailabilityRequest: partnerapi.AvailabilityRequest{}, "partner/unit-quantity": partnerapi.UnitQuantity{},
		schemas.Slot: partnerapi.Slot{}, "partner/contact": partnerapi.Contact{},
		schemas.ReserveRequest: partnerapi.ReserveRequest{}, schemas.ReserveAnswer: partnerapi.ReserveAnswer{},
		schemas.ConfirmRequest: partnerapi.ConfirmRequest{}, schemas.ConfirmAnswer: partnerapi.ConfirmAnswer{},
		"partner/ticket": partnerapi.Ticket{}, schemas.DeliveryOption: partnerapi.DeliveryOption{},
		schemas.ReleaseRequest: partnerapi.ReleaseRequest{}, schemas.ReleaseAnswer: partnerapi.Done{},
		schemas.CancelRequest: partnerapi.CancelRequest{}, schemas.CancelAnswer: partnerapi.Done{},
		schemas.Refusal: partnerapi.Refusal{},
	} {
		goType := reflect.TypeOf(value)
		described := childAt(t, source(t, name), "properties")
		required, _ := source(t, name)["required"].([]any)
		for i := range goType.NumField() {
			member := goType.Field(i)
			property, options, _ := strings.Cut(member.Tag.Get("json"), ",")
			schema, ok := described[property].(map[string]any)
			if !ok {
				t.Errorf("%s.%s: %s has no property %q", goType.Name(), member.Name, name, property)
				continue
			}
			if want, open := jsonKind(schema); !open && want != kindOf(member.Type) {
				t.Errorf("%s.%s is %s, the schema wants %s", goType.Name(), member.Name, kindOf(member.Type), want)
			}
			if slices.Contains(required, any(property)) == strings.HasPrefix(options, "omit") {
				t.Errorf("%s.%s may be left out of either the type or the schema, not of both", goType.Name(), member.Name)
			}
			delete(described, property)
		}
		for property := range described {
			t.Errorf("%s has no field for the property %s of %s", goType.Name(), property, name)
		}
	}
}

// jsonKind is the type that a property wants; open says that it wants none.
func jsonKind(schema map[string]any) (kind string, open bool) {
	if schema["anyOf"] != nil {
		return "object", false
	}
	if kinds, ok := schema["type"].([]any); ok {
		return kinds[0].(string), false
	}
	kind, ok := schema["type"].(string)
	return kind, !ok
}

func kindOf(goType reflect.Type) string {
	switch goType.Kind() {
	case reflect.Pointer:
		return kindOf(goType.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Slice:
		return "array"
	default:
		return "object"
	}
}
