package offer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/octo"
	"partnerkit.dev/octobridge/internal/offer"
	"partnerkit.dev/schemas/partnerapi"
)

// check ends the test on an error.
var check = errtest.Check

// product returns a product of OCTO with one option, whose units have these types and are called
// like them in small letters.
func product(types ...string) octo.Product {
	p := octo.Product{
		ID: "walk", InternalName: "Walk", Locale: "en", TimeZone: "Europe/Lisbon", InstantConfirmation: true, InstantDelivery: true,
		AvailabilityType: "START_TIME", PricingPer: "UNIT", Options: []octo.Option{{ID: "group", InternalName: "In a group"}},
	}
	for _, kind := range types {
		p.Options[0].Units = append(p.Options[0].Units, octo.Unit{
			ID: strings.ToLower(kind), InternalName: kind, Type: kind, PricingFrom: []octo.Price{price("2500")},
		})
	}
	return p
}

func price(original string) octo.Price {
	return octo.Price{Original: json.Number(original), Currency: "EUR", CurrencyPrecision: new(2)}
}

// translate translates one product.
func translate(t *testing.T, p octo.Product, units offer.Units) *offer.Offer {
	t.Helper()
	text, err := json.Marshal(p)
	check(t, err)
	return (&offer.Translator{Units: units}).Translate([]json.RawMessage{text})
}

// units reads a file of units.
func units(t *testing.T, text string) (offer.Units, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "units.yaml")
	check(t, os.WriteFile(file, []byte(text), 0o600))
	return offer.LoadUnits(file)
}

// sold lists the units that are sold, as id and type.
func sold(o *offer.Offer) (list []string) {
	for _, p := range o.Products {
		for _, option := range p.Options {
			for _, unit := range option.Units {
				list = append(list, unit.ID+" "+string(unit.Type))
			}
		}
	}
	return list
}

func notes(o *offer.Offer) (list []string) {
	for _, note := range o.Notes {
		list = append(list, note.String())
	}
	return list
}

func requireEqual[T any](t *testing.T, what string, want, got []T) {
	t.Helper()
	if fmt.Sprint(want) != fmt.Sprint(got) || len(want) != len(got) {
		t.Errorf("%s: want\n%v\ngot\n%v", what, want, got)
	}
}

func TestUnits_AreSoldAsTheGuestTypesOfTheContract(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file  string
		types       []string
		sold, notes []string
	}{
		{"types that both have need no file", "",
			[]string{"ADULT", "CHILD", "INFANT", "SENIOR", "STUDENT"},
			[]string{"unit-adult ADULT", "unit-child CHILD", "unit-infant INFANT", "unit-senior SENIOR", "student STUDENT"}, nil},
		{"a traveller is an adult", "", []string{"TRAVELLER"}, []string{"unit-adult ADULT"}, nil},
		{"types that the contract lacks are set aside by name", "",
			[]string{"ADULT", "YOUTH", "FAMILY", "OTHER"}, []string{"unit-adult ADULT"}, []string{
				"product walk, option group, unit youth: set aside: the contract has no guest type YOUTH: map it in the file of --units",
				"product walk, option group, unit family: set aside: the contract has no guest type FAMILY: map it in the file of --units",
				"product walk, option group, unit other: set aside: the contract has no guest type OTHER: map it in the file of --units",
			}},
		{"a file maps types, and leaves out without a note", "types: {YOUTH: CHILD, FAMILY: NONE}",
			[]string{"ADULT", "YOUTH", "FAMILY"}, []string{"unit-adult ADULT", "unit-child CHILD"}, nil},
		{"the id of a unit takes precedence over its type", "types: {YOUTH: CHILD}\nunits: {youth: STUDENT}",
			[]string{"ADULT", "YOUTH"}, []string{"unit-adult ADULT", "youth STUDENT"}, nil},
		{"two units are never sold as one", "types: {YOUTH: CHILD}",
			[]string{"CHILD", "YOUTH"}, []string{"unit-child CHILD"}, []string{
				"product walk, option group, unit youth: set aside: unit child is sold as CHILD: map this one to another type in the file of --units; any number may be STUDENT",
			}},
		{"a product without a unit to sell is set aside", "", []string{"FAMILY"}, nil, []string{
			"product walk, option group, unit family: set aside: the contract has no guest type FAMILY: map it in the file of --units",
			"product walk, option group: set aside: none of its units can be sold",
			"product walk: set aside: none of its options can be sold",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			mapped, err := units(t, test.file)
			check(t, err)
			got := translate(t, product(test.types...), mapped)
			requireEqual(t, "sold", test.sold, sold(got))
			requireEqual(t, "notes", test.notes, notes(got))
		})
	}
}

// Otherwise the marketplace would take it for another type (PRD-12).
func TestUnits_AStudentsIDIsNotThatOfAnotherType(t *testing.T) {
	t.Parallel()
	p := product("STUDENT")
	p.Options[0].Units[0].ID = "unit-adult"
	requireEqual(t, "sold", []string{"student-unit-adult STUDENT"}, sold(translate(t, p, offer.Units{})))
}

func TestLoadUnits_NamesTheLineOfAMistake(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"types:\n  YOUTH: CHILDREN": "units.yaml:2: expected one of [ADULT CHILD INFANT SENIOR STUDENT NONE] (did you mean CHILD?)",
		"type:\n  YOUTH: CHILD":     `units.yaml:1: expected types or units, received "type"`,
		"types:\n  - YOUTH":         "units.yaml:2: expected names with values, as in YOUTH: CHILD",
		"units:\n  family: 2":       "units.yaml:2: expected one of [ADULT CHILD INFANT SENIOR STUDENT NONE]",
	} {
		if _, err := units(t, text); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: want %s, got %v", text, want, err)
		}
	}
	if _, err := offer.LoadUnits(filepath.Join(t.TempDir(), "none.yaml")); err == nil {
		t.Error("want an error for a file that does not exist")
	}
}

func TestTranslate_NotesWhatTheContractCannotSay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*octo.Product)
		sold   bool
		note   string // "" for none
	}{
		{"nothing", func(*octo.Product) {}, true, ""},
		{"a zone that nothing knows", func(p *octo.Product) { p.TimeZone = "Europe/Atlantis" }, false,
			`product walk: set aside: its time zone is unknown: "Europe/Atlantis"`},
		{"another separator in the locale", func(p *octo.Product) { p.Locale = "en_GB" }, false, "product walk: set aside: locale: "},
		{"a price for the whole booking", func(p *octo.Product) { p.PricingPer = octo.PricedPerBooking }, false,
			"unit adult: set aside: its option has one price for the whole booking, and the contract has prices for guests only"},
		{"a price for the whole booking of one guest", func(p *octo.Product) {
			p.PricingPer, p.Options[0].PricingFrom, p.Options[0].Restrictions.MaxUnits = octo.PricedPerBooking, []octo.Price{price("9900")}, new(1)
		}, true, ""},
		{"no price", func(p *octo.Product) { p.Options[0].Units[0].PricingFrom = nil }, false,
			"unit adult: set aside: it has no price: does the supplier have the capability octo/pricing?"},
		{"part of a cent", func(p *octo.Product) { p.Options[0].Units[0].PricingFrom[0] = price("2500.5") }, false,
			"unit adult: set aside: the amount 2500.5 is not an integer in the currency's smallest unit"},
		{"an amount that would take long to read", func(p *octo.Product) { p.Options[0].Units[0].PricingFrom[0] = price("1e999999999") }, false,
			"the amount 1e999999999 is not an integer"},
		{"whole cents with a point", func(p *octo.Product) { p.Options[0].Units[0].PricingFrom[0] = price("2500.0") }, true, ""},
		{"bookings that wait for the supplier", func(p *octo.Product) { p.InstantConfirmation = false }, true, "product walk: bookings wait for the supplier"},
		{"tickets that come later", func(p *octo.Product) { p.InstantDelivery = false }, true, "product walk: tickets may come after the confirmation"},
		{"a form of ticket", func(p *octo.Product) { p.DeliveryFormats = []string{"QRCODE", "PKPASS_URL"} }, true, `tickets in the format "PKPASS_URL" are left out`},
		{"data of the guest", func(p *octo.Product) { p.Options[0].RequiredContactFields = []string{"fullName", "country"} }, true,
			"the supplier requires of the guest what the contract does not have, and may refuse: country"},
		{"data of each guest", func(p *octo.Product) { p.Options[0].Units[0].RequiredContactFields = []string{"firstName"} }, true, "unit adult: the supplier requires of each guest"},
		{"a number of one unit", func(p *octo.Product) { p.Options[0].Units[0].Restrictions.MaxQuantity = new(4) }, true,
			"unit adult: the supplier refuses more than 4 of it in a booking"},
		{"company", func(p *octo.Product) { p.Options[0].Units[0].Restrictions.AccompaniedBy = []string{"senior"} }, true, "unit adult: the supplier refuses it without one of senior"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := product("ADULT")
			test.change(&p)
			got := translate(t, p, offer.Units{})
			if isSold := len(got.Products) == 1; isSold != test.sold {
				t.Errorf("want it sold %t, got %t", test.sold, isSold)
			}
			if test.note == "" && len(got.Notes) > 0 || !slices.ContainsFunc(append(notes(got), ""), func(note string) bool { return strings.Contains(note, test.note) }) {
				t.Errorf("want the note %q, got %q", test.note, notes(got))
			}
		})
	}
}

func TestTranslate_SellsTheOthersIfOneCannotBeRead(t *testing.T) {
	t.Parallel()
	good, err := json.Marshal(product("ADULT"))
	check(t, err)
	got := new(offer.Translator).Translate([]json.RawMessage{json.RawMessage(`{"id": 7}`), good})
	if len(got.Products) != 1 || len(got.Notes) != 1 || !strings.HasPrefix(got.Notes[0].String(), "product number 1: set aside: it is not as OCTO has it: ") {
		t.Errorf("got %+v, %q", got.Products, notes(got))
	}
}

func TestTranslate_AnswersTheSameForTheSameProductsAndSeesAChange(t *testing.T) {
	t.Parallel()
	text := func(change func(*octo.Product)) json.RawMessage {
		p := product("ADULT", "FAMILY")
		change(&p)
		text, err := json.Marshal(p)
		check(t, err)
		return text
	}
	sold, aside := text(func(*octo.Product) {}), text(func(p *octo.Product) { p.ID, p.TimeZone = "moon", "Moon/Base" })
	dearer := text(func(p *octo.Product) { p.Options[0].Units[0].PricingFrom[0].Original = "9900" })
	var translator offer.Translator
	first := translator.Translate([]json.RawMessage{sold, aside})
	if len(first.Products) != 1 || len(first.Notes) < 2 {
		t.Fatalf("Expected one product sold, one set aside and a unit set aside, received %+v and %q", first.Products, notes(first))
	}
	if again := translator.Translate([]json.RawMessage{sold, aside}); !reflect.DeepEqual(again, first) {
		t.Errorf("Expected %+v again, received %+v", first, again)
	}
	if gone := translator.Translate([]json.RawMessage{aside}); len(gone.Products) != 0 {
		t.Errorf("Expected nothing sold, received %+v", gone.Products)
	}
	if changed := translator.Translate([]json.RawMessage{dearer}); len(changed.Products) != 1 || changed.Products[0].Options[0].Units[0].PricingFrom[0].Original != 9900 {
		t.Errorf("Expected the new price, received %+v", changed.Products)
	}
}

func TestOption_PartiesAreRefusedInWordsForTheCustomer(t *testing.T) {
	t.Parallel()
	p := product("ADULT", "CHILD")
	p.Options[0].Restrictions = octo.OptionRestrictions{MinUnits: new(2), MaxUnits: new(4)}
	translated := translate(t, p, offer.Units{})
	option, ok := translated.Option("walk", "group")
	if !ok {
		t.Fatal("want the option")
	}
	if shown := translated.Products[0].Options[0].Restrictions; shown != (partnerapi.PartyLimits{MinUnits: 2, MaxUnits: 4}) {
		t.Errorf("want the limits shown, got %+v", shown)
	}
	for _, test := range []struct {
		adults, children int
		other            string
		refused          string
	}{
		{2, 0, "", ""}, {1, 1, "", ""}, {2, 2, "", ""},
		{1, 0, "", "This can be booked for at least 2 guests."},
		{3, 2, "", "This can be booked for at most 4 guests."},
		{2, 1 << 40, "", "Parties of more than 1,000 guests cannot be booked."},
		{1, 0, "unit-senior", `There is no guest type "unit-senior" here.`},
	} {
		asked := []partnerapi.UnitQuantity{{ID: "unit-adult", Quantity: test.adults}}
		if test.children > 0 {
			asked = append(asked, partnerapi.UnitQuantity{ID: "unit-child", Quantity: test.children})
		}
		if test.other != "" {
			asked = append(asked, partnerapi.UnitQuantity{ID: test.other, Quantity: 1})
		}
		party, err := option.Party(asked)
		var items []octo.UnitItem
		if err == nil {
			items, err = option.Items(party)
		}
		if err != nil && err.Error() != test.refused || err == nil && (test.refused != "" || len(items) != test.adults+test.children) {
			t.Errorf("%+v: want %q, got %v and %d items", test, test.refused, err, len(items))
		}
	}
}
