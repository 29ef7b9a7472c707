package discover_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/schemas/partnerapi"
)

func decode(t *testing.T, text string) any {
	t.Helper()
	value, err := discover.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func pointer(n int64) *int64 { return &n }

func TestAProductIsReadAsItStands(t *testing.T) {
	t.Parallel()
	got := discover.ReadProduct(decode(t, `{
		"id": "walk", "timeZone": "Asia/Kathmandu", "allowFreesale": true, "options": [{
			"id": "morning", "units": [{
				"id": "unit-adult", "type": "ADULT", "restrictions": {"minAge": 18, "maxAge": null},
				"pricingFrom": [{"currency": "JPY", "currencyPrecision": 0}, {"currency": "EUR"}]
			}]
		}]
	}`))
	want := discover.Product{ID: "walk", Zone: got.Zone, ZoneKnown: true, AllowFreesale: true, Options: []discover.Option{{
		ID: "morning", Units: []discover.Unit{{
			ID: "unit-adult", Type: partnerapi.Adult, MinAge: pointer(18),
			Prices: []discover.Price{{Currency: "JPY"}, {Currency: "EUR", Precision: partnerapi.DefaultCurrencyPrecision}},
		}},
	}}}
	if !reflect.DeepEqual(got, want) || got.Zone.String() != "Asia/Kathmandu" {
		t.Errorf("want %+v, got %+v in %s", want, got, got.Zone)
	}
}

func TestAProblemInAProductHidesNoOther(t *testing.T) {
	t.Parallel()
	got := discover.ReadProduct(decode(t, `{
		"id": 7, "timeZone": 1, "allowFreesale": "true", "options": [
			null, 3, "x", [],
			{"id": {}, "units": {"id": "unit-adult"}},
			{"id": "good", "units": [
				false,
				{"id": [], "type": 5, "restrictions": "none", "pricingFrom": 12},
				{"id": "unit-child", "type": "CHILD", "restrictions": {"minAge": "4", "maxAge": 12.5}, "pricingFrom": [1, {"currency": 5, "currencyPrecision": "2"}]}
			]}
		]
	}`))
	want := discover.Product{Zone: time.UTC, Options: []discover.Option{
		{},
		{ID: "good", Units: []discover.Unit{
			{},
			{ID: "unit-child", Type: partnerapi.Child, Prices: []discover.Price{{Precision: partnerapi.DefaultCurrencyPrecision}}},
		}},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("want %+v, got %+v", want, got)
	}
	for _, text := range []string{`null`, `[]`, `"a"`, `1`, `{}`} {
		if got := discover.ReadProduct(decode(t, text)); !reflect.DeepEqual(got, discover.Product{Zone: time.UTC}) {
			t.Errorf("%s: want an empty product, got %+v", text, got)
		}
	}
}

func TestAZoneThatDoesNotExistIsUTCAndUnknown(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"", "Local", "Europe/Atlantis", "+02:00", "../../etc/passwd", "/etc/localtime"} {
		got := discover.ReadProduct(map[string]any{"timeZone": zone})
		if got.ZoneKnown || got.Zone != time.UTC {
			t.Errorf("%q: want UTC, not known, got %s, %t", zone, got.Zone, got.ZoneKnown)
		}
	}
}

func TestASlotIsReadAsItStands(t *testing.T) {
	t.Parallel()
	got := discover.ReadSlot(decode(t, `{
		"id": "s-1", "localDateTimeStart": "2026-07-01T09:00:00+05:45", "localDateTimeEnd": "2026-07-01T11:00:00.5Z",
		"status": "LIMITED", "vacancies": 12.0, "capacity": 1.5e1, "unitPricing": [{"unitId": "unit-adult", "price": 5, "original": 2500.0, "currency": "EUR"}, {"unitId": 3}]
	}`))
	if got.ID != "s-1" || got.Status != partnerapi.StatusLimited || !slices.Equal(got.Prices, []discover.SlotPrice{{UnitID: "unit-adult", Amount: 2500, Currency: "EUR"}, {}}) ||
		got.StartText != "2026-07-01T09:00:00+05:45" {
		t.Errorf("want the slot's own values, got %+v", got)
	}
	if start := time.Date(2026, 7, 1, 3, 15, 0, 0, time.UTC); !got.Start.Equal(start) {
		t.Errorf("want the start %s, got %s", start, got.Start)
	}
	if end := time.Date(2026, 7, 1, 11, 0, 0, 500_000_000, time.UTC); !got.End.Equal(end) {
		t.Errorf("want the end %s, got %s", end, got.End)
	}
	if !reflect.DeepEqual(got.Vacancies, pointer(12)) || !reflect.DeepEqual(got.Capacity, pointer(15)) {
		t.Errorf("want 12.0 and 1.5e1 read as the integers they are, got %v and %v", got.Vacancies, got.Capacity)
	}
}

func TestAProblemInASlotHidesNoOther(t *testing.T) {
	t.Parallel()
	got := discover.ReadSlot(decode(t, `{
		"id": "s-1", "localDateTimeStart": "2026-07-01 09:00", "localDateTimeEnd": 5, "status": 1,
		"vacancies": "12", "capacity": 12.5, "unitPricing": {"unitId": "unit-adult"}
	}`))
	if want := (discover.Slot{ID: "s-1", StartText: "2026-07-01 09:00"}); !reflect.DeepEqual(got, want) {
		t.Errorf("want %+v, got %+v", want, got)
	}
	for _, text := range []string{`null`, `[]`, `"a"`, `1`, `{}`} {
		if got := discover.ReadSlot(decode(t, text)); !reflect.DeepEqual(got, discover.Slot{}) {
			t.Errorf("%s: want an empty slot, got %+v", text, got)
		}
	}
}

func TestNumbersBeyondAllSeatsAreNotRead(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"1e19", "9223372036854775808", "-1e300", "1e999", "0.1"} {
		if got := discover.ReadSlot(decode(t, `{"vacancies": `+number+`}`)); got.Vacancies != nil {
			t.Errorf("%s: want no vacancies, got %d", number, *got.Vacancies)
		}
	}
	if got := discover.ReadSlot(decode(t, `{"vacancies": -3}`)); got.Vacancies == nil || *got.Vacancies != -3 {
		t.Errorf("want a negative count read, to be judged, got %v", got.Vacancies)
	}
}

func TestSeatsAreCountedWhereTheContractCountsThem(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		freesale  bool
		status    partnerapi.SlotStatus
		vacancies *int64
		want      discover.Seats
	}{
		"as many as there are":            {false, partnerapi.StatusAvailable, pointer(7), discover.Seats{Counted: true, Left: 7}},
		"few":                             {false, partnerapi.StatusLimited, pointer(1), discover.Seats{Counted: true, Left: 1}},
		"none":                            {false, partnerapi.StatusSoldOut, pointer(0), discover.Seats{Counted: true}},
		"none where it is sold out":       {false, partnerapi.StatusSoldOut, nil, discover.Seats{Counted: true}},
		"not without vacancies":           {false, partnerapi.StatusAvailable, nil, discover.Seats{}},
		"not where there is no limit":     {false, partnerapi.StatusFreesale, pointer(7), discover.Seats{}},
		"not for a freesale product":      {true, partnerapi.StatusAvailable, pointer(7), discover.Seats{}},
		"not for one that is sold out":    {true, partnerapi.StatusSoldOut, nil, discover.Seats{}},
		"not where it is closed":          {false, partnerapi.StatusClosed, nil, discover.Seats{}},
		"as many as a closed slot counts": {false, partnerapi.StatusClosed, pointer(4), discover.Seats{Counted: true, Left: 4}},
	} {
		slot := discover.Slot{Status: test.status, Vacancies: test.vacancies}
		if got := slot.Seats(discover.Product{AllowFreesale: test.freesale}); got != test.want {
			t.Errorf("%s: want %+v, got %+v", name, test.want, got)
		}
	}
}

func TestAnOptionIsAskedWithItsAdultElseItsFirstUnit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		units []string
		want  string
	}{
		"the adult, wherever it stands": {[]string{"unit-child", "unit-adult"}, "unit-adult"},
		"the first":                     {[]string{"unit-senior", "unit-child"}, "unit-senior"},
		"the first that has an id":      {[]string{"", "unit-child"}, "unit-child"},
		"no unit type":                  {nil, ""},
		"no unit has an id":             {[]string{"", ""}, ""},
	} {
		option := discover.Option{}
		for _, id := range test.units {
			option.Units = append(option.Units, discover.Unit{ID: id})
		}
		if got := option.Lead(); got != test.want {
			t.Errorf("%s: want %q, got %q", name, test.want, got)
		}
	}
}

func TestACompanionIsAnotherGuestWithASeatOfTheirOwn(t *testing.T) {
	t.Parallel()
	adult, child := discover.Unit{ID: "unit-adult", Type: partnerapi.Adult}, discover.Unit{ID: "unit-child", Type: partnerapi.Child}
	infant := discover.Unit{ID: "unit-infant", Type: partnerapi.Infant}
	for name, test := range map[string]struct {
		units []discover.Unit
		want  string
	}{
		"the child beside the adult":   {[]discover.Unit{infant, child, adult}, "unit-child"},
		"only the adult":               {[]discover.Unit{adult}, ""},
		"no infant":                    {[]discover.Unit{adult, infant}, ""},
		"no unit without an id":        {[]discover.Unit{adult, {Type: partnerapi.Senior}}, ""},
		"the second where no adult is": {[]discover.Unit{child, {ID: "s", Type: partnerapi.Student}}, "s"},
	} {
		got, ok := discover.Option{Units: test.units}.Companion()
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%s: want %q, got %q, %t", name, test.want, got, ok)
		}
	}
}

func TestFixedIDsAreThoseOfTheirTypesAndOfNoOther(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		id     string
		kind   partnerapi.UnitType
		lawful bool
	}{
		"an adult's":             {"unit-adult", partnerapi.Adult, true},
		"a senior's":             {"unit-senior", partnerapi.Senior, true},
		"another for an adult":   {"adult", partnerapi.Adult, false},
		"none for an adult":      {"", partnerapi.Adult, false},
		"a child's for an adult": {"unit-child", partnerapi.Adult, false},
		"a student's own":        {"with-card", partnerapi.Student, true},
		"a student's by custom":  {"unit-student", partnerapi.Student, true},
		"an adult's for student": {"unit-adult", partnerapi.Student, false},
		"one of an unknown type": {"unit-group", "GROUP", true},
		"an adult's for unknown": {"unit-adult", "GROUP", false},
		"one without a type":     {"unit-adult", "", true}, // the type is missing, not the id wrong
	} {
		option := discover.Option{Units: []discover.Unit{{ID: "unit-infant", Type: partnerapi.Infant}, {ID: test.id, Type: test.kind}}}
		if got := option.FixedIDs(); got != test.lawful {
			t.Errorf("%s: want %t, got %t", name, test.lawful, got)
		}
	}
}

// FuzzProducts reads any bytes as a catalog: nothing panics, and what is cut out
// of it is JSON.
func FuzzProducts(f *testing.F) {
	f.Add([]byte(`{"products": [{"id": "a", "timeZone": "Asia/Kathmandu", "options": [{"id": "b", "units": [{"id": "unit-adult"}]}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		elements, err := discover.Products(raw)
		if err != nil {
			return
		}
		for _, element := range elements {
			value, err := discover.DecodeElement(element)
			if err != nil || !json.Valid(element) || !bytes.Contains(raw, element) {
				t.Fatalf("want parts of the catalog that are JSON, got %q of %q, %v", element, raw, err)
			}
			product := discover.ReadProduct(value)
			if product.Zone == nil {
				t.Fatalf("want a zone in any case, got none of %q", element)
			}
			for _, option := range product.Options {
				lead := option.Lead()
				if companion, ok := option.Companion(); ok && companion == lead {
					t.Fatalf("want a companion other than the lead, got %q twice", lead)
				}
				option.FixedIDs()
			}
		}
	})
}

// FuzzSlots reads any bytes as the slots of a day: nothing panics, and whatever
// is picked can be booked.
func FuzzSlots(f *testing.F) {
	f.Add([]byte(`[{"id": "s", "localDateTimeStart": "2026-07-05T09:00:00Z", "status": "AVAILABLE", "vacancies": 12.0}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		elements, err := discover.Elements(raw)
		if err != nil {
			return
		}
		var offers []discover.Offer
		for _, element := range elements {
			value, err := discover.DecodeElement(element)
			if err != nil {
				t.Fatalf("want parts of the answer that are JSON, got %q, %v", element, err)
			}
			offer := slotIn(0, "")
			offer.Slot = discover.ReadSlot(value)
			offers = append(offers, offer)
			discover.Day(offer.Slot.Start, time.UTC).Contains(offer.Slot.End, time.UTC)
		}
		for _, offer := range discover.Pick(offers, discover.Want{Now: now, Late: true, Fewest: true, Seats: 1}) {
			if left := offer.Slot.Seats(offer.Product); offer.Slot.ID == "" || left.Counted && left.Left < 1 {
				t.Fatalf("want offers that can be booked, got %+v", offer.Slot)
			}
		}
	})
}
