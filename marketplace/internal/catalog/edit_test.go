package catalog_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

var morning, evening = uuid.MustParse("0197c3a0-5c1e-7d5a-9d55-3f1f6f0c2b11"), uuid.MustParse("0197c3a0-5c1e-7d5a-9d55-3f1f6f0c2b12")

// anActivity returns an activity in US dollars as its first sync stores it.
func anActivity() domain.Activity {
	option := func(name string) partnerapi.Option {
		return partnerapi.Option{ID: name, InternalName: name, Units: []partnerapi.Unit{{PricingFrom: []partnerapi.PricingEntry{{Original: 1, Currency: "USD"}}}}}
	}
	return domain.Activity{
		Title: "Walk", Product: partnerapi.Product{InternalName: "Walk"}, PartnerActive: true, OperatorActive: true,
		Variations: []domain.Variation{
			{ID: morning, Sort: 1, Title: "Morning", Option: option("Morning")},
			{ID: evening, Sort: 2, Title: "Evening", Option: option("Evening")},
		},
	}
}

// applyEdits applies changes in order.
func applyEdits(t *testing.T, changes ...string) domain.Activity {
	t.Helper()
	a := anActivity()
	for _, change := range changes {
		e, err := catalog.ReadEdit([]byte(change))
		if err == nil {
			err = e.Apply(&a)
		}
		if err != nil {
			t.Fatalf("%s: %v", change, err)
		}
	}
	return a
}

func details(t *testing.T, of any) string {
	t.Helper()
	text, err := json.Marshal(of)
	check(t, err)
	return string(text)
}

func TestAbsentFieldsStayAndNullClearsThem(t *testing.T) {
	t.Parallel()
	a := applyEdits(t,
		`{"description":"By the river.","address":"Rua 1","location":{"country":{"id":"PT","name":"Portugal"},"city":"Lisbon"},"categories":["Walks","Food"],"admin_price_percentage":12.5,
			"translation":{"pt":{"activity_title":"Passeio","description":"Junto ao rio."},"de":{"activity_title":"Spaziergang"}},"partner_details":{"companyDetails":{"vat":"PT1","seat":{"city":"Porto","zip":"1"}}}}`,
		`{"address":null,"location":{"city":null,"region":"Lisboa"},"categories":["Food"],"translation":{"pt":{"description":null},"de":null},"partner_details":{"companyDetails":{"seat":{"zip":null}}}}`)
	d := a.Details
	if d.Description != "By the river." || d.Address != "" || d.Location != (domain.Location{Country: domain.Country{ID: "PT", Name: "Portugal"}, Region: "Lisboa"}) ||
		!slices.Equal(d.Categories, []string{"Food"}) || d.AdminPricePercentage.String() != "12.5" {
		t.Errorf("want what was given, and no more, got %s", details(t, d))
	}
	if got := details(t, d.Translation); got != `{"pt":{"activity_title":"Passeio"}}` {
		t.Errorf("want one text left, got %s", got)
	}
	if got := details(t, d.PartnerDetails.CompanyDetails); got != `{"seat":{"city":"Porto"},"vat":"PT1"}` {
		t.Errorf("want the free-form object merged, got %s", got)
	}
	if applyEdits(t, `{"admin_price_percentage":5}`, `{"admin_price_percentage":null}`).Details.AdminPricePercentage != nil {
		t.Error("want the percentage cleared")
	}
}

func TestAClearedTitleIsThePartnersAgain(t *testing.T) {
	t.Parallel()
	a := applyEdits(t, `{"activity_title":"Stroll","variations":[{"_id":"`+morning.String()+`","title":"Dawn"}]}`)
	if a.Title != "Stroll" || a.Variations[0].Title != "Dawn" {
		t.Errorf("want both titles set, got %q and %q", a.Title, a.Variations[0].Title)
	}
	a = applyEdits(t, `{"activity_title":"Stroll"}`, `{"activity_title":null,"variations":[{"_id":"`+morning.String()+`","title":null}]}`)
	if a.Title != "Walk" || a.Variations[0].Title != "Morning" {
		t.Errorf("want the partner's, got %q and %q", a.Title, a.Variations[0].Title)
	}
}

func TestAVariationIsChangedByItsIDAndListedByItsSort(t *testing.T) {
	t.Parallel()
	a := applyEdits(t, `{"variations":[{"_id":"`+morning.String()+`","sort":3,"language":["en","pt-BR"],"duration":{"hours":2.50},"tourGuides":[{"name":"Inês"}],"pickup":{"pick_up_address":{"lat":38.7123456789012345}}}]}`)
	if a.Variations[0].ID != evening || a.Variations[1].ID != morning {
		t.Fatalf("want the evening first, got %+v", a.Variations)
	}
	d := a.Variations[1].Details
	if !slices.Equal(d.Language, []string{"en", "pt-BR"}) || d.Duration.Hours.String() != "2.5" || d.TourGuides[0].Name != "Inês" || d.Pickup.PickUpAddress.Lat.String() != "38.7123456789012345" {
		t.Errorf("want what was given, every digit of it, got %s", details(t, d))
	}
	if got := details(t, a.Variations[0].Details); got != details(t, domain.VariationDetails{}) {
		t.Errorf("want the other left alone, got %s", got)
	}
}

func TestAGroupPriceIsInItsCurrencyElseTheActivitysOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		changes []string
		want    string
	}{
		{[]string{`{"group_price":180.50}`}, `{"amount":"180.5","currency":"USD"}`},
		{[]string{`{"group_price":180,"currency":"EUR"}`}, `{"amount":"180","currency":"EUR"}`},
		{[]string{`{"group_price":180,"currency":"EUR"}`, `{"group_price":90}`}, `{"amount":"90","currency":"EUR"}`},
		{[]string{`{"group_price":180,"currency":"EUR"}`, `{"currency":"JPY"}`}, `{"amount":"180","currency":"JPY"}`},
		{[]string{`{"group_price":180,"currency":"EUR"}`, `{"currency":null}`}, `{"amount":"180","currency":"USD"}`},
		{[]string{`{"group_price":180}`, `{"group_price":null}`}, `null`},
		{[]string{`{"group_price":180}`, `null`}, `null`},
		{[]string{`{"group_price":1.000000000000000000000000000000000}`}, `{"amount":"1","currency":"USD"}`},
		{[]string{`{"group_price":1e3}`}, `{"amount":"1000","currency":"USD"}`},
		{[]string{`{}`}, `null`},
	} {
		var changes []string
		for _, change := range c.changes {
			changes = append(changes, `{"variations":[{"_id":"`+morning.String()+`","pricing":`+change+`}]}`)
		}
		if got := details(t, applyEdits(t, changes...).Variations[0].Details.GroupPrice); got != c.want {
			t.Errorf("%v: want %s, got %s", c.changes, c.want, got)
		}
	}
}

func TestEveryMistakeOfAChangeIsNamed(t *testing.T) {
	t.Parallel()
	variations := func(list string) string { return `{"variations":[` + list + `]}` }
	for body, want := range map[string][]string{
		`{"activity_titel":"x","currency":"EUR","description":7,"admin_discount_percentage":101,"media":[{"imageUrl":"javascript:alert(1)"}],"translation":{"en_US":{},"pt":{"titulo":"x"}},"location":{"city":17}}`: {
			"activity_titel: unknown field", "currency: unknown field", "description: expected a text", "admin_discount_percentage: expected a percentage from 0 to 100",
			"media[0].imageUrl: expected an http or https URL", "translation.en_US: expected a language", "location.city: expected a line"},
		variations(`{"title":"x"},{"_id":"17"},{"_id":"` + morning.String() + `","sort":-1,"external_sync":{}}`): {
			"variations[0]._id: missing", "variations[1]._id: expected the id of a variation", "variations[2].sort: expected an integer", "variations[2].external_sync: unknown field"},
		variations(`{"_id":"` + morning.String() + `"},{"_id":"` + morning.String() + `"}`):                              {"variations[1]._id: expected each variation once"},
		variations(`{"_id":"` + uuid.NewString() + `"},{"_id":"` + evening.String() + `","pricing":{"currency":"EUR"}}`): {"variations[0]._id: unknown variation of this activity", "variations[1].pricing.currency: requires a group price"},
		variations(`{"_id":"` + morning.String() + `","pricing":{"currency":"EUR"}}`):                                    {"variations[0].pricing.currency: requires a group price"},
		variations(`{"_id":"` + morning.String() + `","pricing":{"group_price":0.12345}}`):                               {"group_price: expected an amount"},
		`{"partner_details":{"companyDetails":{"a":[{"b":"\u0000"}]}}}`:                                                  {"partner_details: expected texts without NUL"},
		`{"translation":{"pt":{"mood":["\u0000"]}}}`:                                                                     {"translation: expected texts without NUL"},
		`{"admin_price_percentage":0.` + strings.Repeat("1", 50) + `}`:                                                   {"expected numbers of at most 40 digits"},
		`{"admin_price_percentage":1e400}`:                                                                               {"admin_price_percentage"},
		`{"partner_details":{"companyDetails":{"a":"` + strings.Repeat("x", 256<<10) + `"}}}`:                            {"the activity: expected at most 262144 bytes"},
		`{"translation":{"pt":{"activity_title":"` + strings.Repeat("x", 301) + `"}}}`:                                   {"translation.pt.activity_title: expected a line of at most 300"},
		`[]`: {"expected an object"},
		`{`:  {"expected JSON"},
		``:   {"expected JSON"},
	} {
		e, err := catalog.ReadEdit([]byte(body))
		if err == nil {
			a := anActivity()
			err = e.Apply(&a)
		}
		var refused *domain.Error
		if !errors.As(err, &refused) || refused.Code != domain.Invalid {
			t.Errorf("%.200s: want it refused, got %v", body, err)
			continue
		}
		if len(refused.Details) != len(want) {
			t.Errorf("%.200s: want %d mistakes, got %q", body, len(want), refused.Details)
		}
		for _, words := range want {
			if !slices.ContainsFunc(refused.Details, func(detail string) bool { return strings.Contains(detail, words) }) {
				t.Errorf("%.200s: want %q among %q", body, words, refused.Details)
			}
		}
	}
}

func FuzzReadEdit(f *testing.F) {
	f.Add([]byte(`{"activity_title":"x","status":null,"location":{"country":null},"variations":[{"_id":"` + morning.String() + `","pricing":{"group_price":1.5},"sort":1}]}`))
	f.Add([]byte(`{"translation":{"pt":{"description":null}},"admin_price_percentage":1e2,"partner_details":{"companyDetails":{"a":[1,{"b":null}]}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := catalog.ReadEdit(body)
		if err != nil {
			return
		}
		a := anActivity()
		if e.Apply(&a) != nil {
			return
		}
		before := details(t, a)
		if err := e.Apply(&a); err != nil {
			t.Fatalf("want a change that can be made again, got %v", err)
		}
		if again := details(t, a); again != before {
			t.Fatalf("want nothing changed by the second time\nbefore %s\nafter  %s", before, again)
		}
		var read domain.Activity
		if err := json.Unmarshal([]byte(before), &read); err != nil {
			t.Fatalf("want what can be read again, got %v", err)
		}
	})
}
