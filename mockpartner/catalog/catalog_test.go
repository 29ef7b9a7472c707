package catalog

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// must ends the test on an error.
var must = errtest.Check

func TestTheDefaultCatalogHasABitOfEverything(t *testing.T) {
	t.Parallel()
	index := indexCatalog(t, Default())
	if n := len(index.Products); n != 8 {
		t.Fatalf("want 8 products, got %d", n)
	}
	kinds, units, zones := map[partnerapi.AvailabilityType]bool{}, map[partnerapi.UnitType]bool{}, map[string]bool{}
	precisions := map[string]int{}
	freesaleProduct, freesaleOption, closedDays, hidden, tiny := false, false, false, false, false
	styles := map[PricingStyle]bool{}
	for _, product := range index.Products {
		zones[product.TimeZone] = true
		freesaleProduct = freesaleProduct || product.AllowFreesale
		for _, wire := range product.Options {
			option, _ := product.Option(wire.ID)
			kinds[option.AvailabilityType] = true
			freesaleOption = freesaleOption || option.Schedule.Freesale
			closedDays = closedDays || len(option.Schedule.ClosedOn) > 0
			hidden = hidden || option.Schedule.HideVacancies
			tiny = tiny || option.HasCount() && option.Schedule.Capacity.Max <= 2
			styles[option.Schedule.UnitPricing] = true
			for _, unit := range option.Units {
				units[unit.Type] = true
				for _, price := range unit.PricingFrom {
					precision := partnerapi.DefaultCurrencyPrecision
					if price.CurrencyPrecision != nil {
						precision = *price.CurrencyPrecision
					}
					precisions[price.Currency] = precision
				}
			}
		}
	}
	for what, has := range map[string]bool{
		"both availability types":                    len(kinds) == 2,
		"all five unit types":                        len(units) == 5,
		"five zones or more":                         len(zones) >= 5,
		"a product that allows freesale":             freesaleProduct,
		"an option of FREESALE slots":                freesaleOption,
		"closed weekdays":                            closedDays,
		"hidden vacancies":                           hidden,
		"a tiny capacity":                            tiny,
		"own, empty, mixed and absent unitPricing":   len(styles) == 4,
		"EUR and USD with 2, JPY with 0, KWD with 3": precisions["EUR"] == 2 && precisions["USD"] == 2 && precisions["JPY"] == 0 && precisions["KWD"] == 3,
	} {
		if !has {
			t.Errorf("want %s in the default catalog", what)
		}
	}
}

func TestTheDefaultCatalogIsTheCallersOwn(t *testing.T) {
	t.Parallel()
	mine := Default()
	mine.Products[0].Options[0].Units[0].PricingFrom[0].Original = 1
	mine.Products[0].Schedules["small-group"] = Schedule{}
	if reflect.DeepEqual(mine, Default()) {
		t.Fatal("want a fresh copy each time")
	}
}

func TestTheListingIsTheCatalogOnTheWire(t *testing.T) {
	t.Parallel()
	index := indexCatalog(t, Default())
	for _, problem := range schemas.Validate(schemas.ProductsAnswer, index.Listing(Filter{})) {
		t.Error(problem)
	}
	var products []partnerapi.Product
	must(t, json.Unmarshal(index.Listing(Filter{}), &products))
	for i, product := range Default().Products {
		if !reflect.DeepEqual(products[i], product.Product) {
			t.Errorf("want %+v, got %+v", product.Product, products[i])
		}
	}
}

func TestTheListingIsFilteredByLimitAndModification(t *testing.T) {
	t.Parallel()
	c := Default()
	c.Products[7].UpdatedAt = ""
	index := indexCatalog(t, c)
	since := func(s string) time.Time {
		at, err := partnerapi.ParseDateTime(s)
		must(t, err)
		return at
	}
	for name, f := range map[string]struct {
		filter Filter
		want   []string
	}{
		"the probe":                          {Filter{Limit: 1}, []string{"lisbon-walk"}},
		"modified after, in order":           {Filter{UpdatedSince: since("2026-05-17T09:00:00Z")}, []string{"paris-audio", "st-johns-whales"}},
		"modified at that instant is not it": {Filter{UpdatedSince: since("2026-06-30T23:59:59Z")}, []string{"st-johns-whales"}},
		"a nanosecond before is":             {Filter{UpdatedSince: since("2026-06-30T23:59:58.999999999Z")}, []string{"paris-audio", "st-johns-whales"}},
		"both":                               {Filter{UpdatedSince: since("2026-01-12T08:30:00Z"), Limit: 2}, []string{"new-york-pass", "tokyo-market"}},
		"long after: unknown ones only":      {Filter{UpdatedSince: since("2030-01-01T00:00:00Z")}, []string{"st-johns-whales"}},
	} {
		var products []partnerapi.Product
		must(t, json.Unmarshal(index.Listing(f.filter), &products))
		var got []string
		for _, product := range products {
			got = append(got, product.ID)
		}
		if !slices.Equal(got, f.want) {
			t.Errorf("%s: want %v, got %v", name, f.want, got)
		}
	}
}

func TestAnEmptyListingIsAnArray(t *testing.T) {
	t.Parallel()
	index := indexCatalog(t, Default())
	if got := string(index.Listing(Filter{UpdatedSince: time.Now().AddDate(100, 0, 0)})); got != "[]\n" {
		t.Fatalf("want [], got %q", got)
	}
}

func TestGeneratedCatalogsAreLawfulVariedAndTheSeedsOwn(t *testing.T) {
	t.Parallel()
	c := generateCatalog(t, 1, 300, 3)
	index := indexCatalog(t, c)
	if problems := schemas.Validate(schemas.ProductsAnswer, index.Listing(Filter{})); problems != nil {
		t.Fatalf("want lawful products, got %v", problems)
	}
	if !reflect.DeepEqual(generateCatalog(t, 1, 300, 3), c) {
		t.Fatal("want the same catalog from the same seed")
	}
	if reflect.DeepEqual(generateCatalog(t, 2, 300, 3), c) {
		t.Fatal("want another catalog from another seed")
	}
	if !reflect.DeepEqual(generateCatalog(t, 1, 10, 3).Products, c.Products[:10]) {
		t.Fatal("want products that do not depend on how many follow")
	}
	seen := map[string]bool{}
	for _, product := range index.Products {
		seen["zone "+product.TimeZone] = true
		if product.AllowFreesale {
			seen["freesale product"] = true
		}
		for _, wire := range product.Options {
			option, _ := product.Option(wire.ID)
			seen[string(option.AvailabilityType)] = true
			seen["pricing "+string(option.Schedule.UnitPricing)] = true
			for _, unit := range option.Units {
				seen[string(unit.Type)] = true
				seen["currency "+unit.PricingFrom[0].Currency] = true
			}
		}
	}
	if want := len(places) + 1 + 2 + 4 + 5 + 9; len(seen) != want {
		t.Errorf("want %d kinds of things in 300 products, got %d: %v", want, len(seen), seen)
	}
}

func TestGenerateRefusesNumbersOutOfBounds(t *testing.T) {
	t.Parallel()
	for _, n := range [][2]int{{0, 1}, {-1, 1}, {MaxProducts + 1, 1}, {1, 0}, {1, MaxOptions + 1}, {MaxProducts, 3}} {
		if _, err := Generate(0, n[0], n[1]); err == nil {
			t.Errorf("want %d products of %d options refused", n[0], n[1])
		}
	}
}

// A file may ask for products to be drawn, with the policy that it names.
func TestAFileCanHaveItsProductsDrawn(t *testing.T) {
	t.Parallel()
	c, err := Parse("c.yaml", []byte("noCancel: true\ngenerate: {products: 3, seed: 7}\n"))
	must(t, err)
	index := indexCatalog(t, c)
	if len(index.Products) != 3 || len(index.Products[0].Options) != 1 || !index.Policy.NoCancel {
		t.Errorf("want 3 products of one option each without cancel, got %+v", index)
	}
	if first := generateCatalog(t, 7, 3, 1).Products[0]; first.InternalName != index.Products[0].InternalName {
		t.Errorf("want those of the seed, got %+v", index.Products[0])
	}
	for text, want := range map[string]string{
		"generate: {products: 0}\n":                      "c.yaml:1:11: generate: products: expected a number from 1 to",
		"generate: {products: 1}\nproducts: [{id: a}]\n": "c.yaml:1:11: generate: use products or generate, not both",
		"generate: {product: 1}\n":                       `c.yaml:1:12: unknown field "product"`,
	} {
		c, err := Parse("c.yaml", []byte(text))
		if err == nil {
			_, err = c.Index()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got %v", text, want, err)
		}
	}
}

func generateCatalog(t *testing.T, seed uint64, products, options int) *Catalog {
	t.Helper()
	c, err := Generate(seed, products, options)
	must(t, err)
	return c
}

func indexCatalog(t *testing.T, c *Catalog) *Index {
	t.Helper()
	index, err := c.Index()
	must(t, err)
	return index
}

func TestAFileIsReadWithItsPolicy(t *testing.T) {
	t.Parallel()
	c, err := Parse("mine.yaml", []byte(small))
	must(t, err)
	index := indexCatalog(t, c)
	if want := (Policy{NoHolds: true, NoCancel: true, NoTickets: true, Codes: AwkwardCodes}); index.Policy != want {
		t.Fatalf("want the policy %+v, got %+v", want, index.Policy)
	}
	product, _ := index.Product("p")
	option, ok := product.Option("o")
	if !ok || !slices.Equal(option.Starts, []int{540, 600}) || option.Schedule.Duration != 90*time.Minute {
		t.Fatalf("want starts at 09:00 and 10:00 of 90 minutes, got %+v", option)
	}
	if seats, ok := option.SeatsOf("unit-adult"); !ok || seats != 2 {
		t.Fatalf("want two seats an adult, got %d", seats)
	}
	if !option.ClosedOn(time.Monday) || option.ClosedOn(time.Tuesday) {
		t.Fatal("want the option closed on Mondays only")
	}
}

const small = `noHolds: true
noCancel: true
noTickets: true
codes: awkward
products:
  - id: p
    internalName: P
    locale: en
    timeZone: Europe/Paris
    instantConfirmation: true
    options:
      - id: o
        internalName: O
        availabilityType: START_TIME
        units:
          - {id: unit-adult, internalName: Adult, type: ADULT, pricingFrom: [{original: 1, currency: EUR}]}
    schedules:
      o:
        starts: ["10:00", "09:00"]
        duration: 1h30m
        closedOn: [monday]
        seats: {unit-adult: 2}
        capacity: {min: 1, max: 2}
`

func TestEveryMistakeInAFileIsNamedWithItsPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, new, want string }{
		"no YAML":               {"noHolds: true", "noHolds: [", "mine.yaml:1:"},
		"an unknown key":        {"noTickets: true", "noTicket: true", `mine.yaml:3:1: unknown field "noTicket"`},
		"a key twice":           {"noCancel: true", "noHolds: false", "mine.yaml:2:1: "},
		"a wrong type":          {"noHolds: true", "noHolds: perhaps", "mine.yaml:1:10: "},
		"a bad duration":        {"1h30m", "soon", "mine.yaml:20:19: "},
		"a wrong code style":    {"codes: awkward", "codes: odd", "mine.yaml:4:8: codes: expected plain or awkward"},
		"no products":           {small[strings.Index(small, "products:"):], "products: []", "mine.yaml:5:11: products: expected at least one"},
		"a breach of contract":  {"timeZone: Europe/Paris", "timeZone: Mars/Olympus", "mine.yaml:9:15: products[0].timeZone: expected an IANA time zone"},
		"something missing":     {"    internalName: P\n", "", "products[0].internalName: "},
		"a deep breach":         {"original: 1", "original: 1, currencyPrecision: 99", "mine.yaml:16:111: products[0].options[0].units[0].pricingFrom[0].currencyPrecision: "},
		"a wrong unit id":       {"id: unit-adult", "id: adult", "products[0].options[0].units[0].id: expected unit-adult"},
		"a bad updatedAt":       {"internalName: P", "internalName: P\n    updatedAt: yesterday", "mine.yaml:8:16: products[0].updatedAt: "},
		"no schedule":           {"      o:\n", "      other:\n", `products[0].schedules: expected a schedule for option "o"`},
		"a schedule of nothing": {"      o:\n", "      x: {starts: [\"01:00\"], duration: 1h, capacity: {min: 1, max: 1}}\n      o:\n", `products[0].schedules.x: the product has no option "x"`},
		"a time of day":         {`"10:00"`, `"25:00"`, "mine.yaml:19:17: products[0].schedules.o.starts: expected a time of day"},
		"a start twice":         {`"10:00"`, `"09:00"`, "is listed twice"},
		"no starts":             {`starts: ["10:00", "09:00"]`, "starts: []", "starts: expected at least one start time"},
		"no duration":           {"        duration: 1h30m\n", "", "products[0].schedules.o.duration: expected a duration"},
		"hours of a start time": {"duration: 1h30m", `duration: 1h30m` + "\n        opens: \"09:00\"", "opens and closes are for OPENING_HOURS"},
		"starts of hours":       {"START_TIME", "OPENING_HOURS", "starts and duration are for START_TIME"},
		"no hours":              {"START_TIME", "OPENING_HOURS", "schedules.o.opens: expected a time of day"},
		"a weekday":             {"[monday]", "[Montag]", "mine.yaml:21:20: products[0].schedules.o.closedOn[0]: expected a weekday"},
		"a negative cut-off":    {"duration: 1h30m", "duration: 1h30m\n        cutOff: -1h", "cutOff: expected a duration of 0 or more"},
		"no capacity":           {"        capacity: {min: 1, max: 2}\n", "", "schedules.o.capacity: expected 1 <= min <= max"},
		"a reversed capacity":   {"min: 1, max: 2", "min: 3, max: 2", "schedules.o.capacity: expected 1 <= min <= max"},
		"a capacity too large":  {"max: 2", "max: 1000001", "schedules.o.capacity: expected 1 <= min <= max"},
		"a negative limit":      {"duration: 1h30m", "duration: 1h30m\n        limitedAt: -1", "limitedAt: expected a number of seats"},
		"limited at none":       {"duration: 1h30m", "duration: 1h30m\n        limitedAt: 0\n        limited: 5", "no slot can begin LIMITED"},
		"a share beyond 100":    {"duration: 1h30m", "duration: 1h30m\n        soldOut: 101", "soldOut: expected a share from 0 to 100"},
		"shares beyond 100":     {"duration: 1h30m", "duration: 1h30m\n        soldOut: 60\n        closed: 60", "at most 100 percent, received 120"},
		"seats of no unit":      {"unit-adult: 2", "unit-child: 2", `option "o" has no unit "unit-child"`},
		"too many seats":        {"unit-adult: 2", "unit-adult: 101", "expected a number of seats from 0 to 100, received 101"},
		"an unknown pricing":    {"duration: 1h30m", "duration: 1h30m\n        unitPricing: dear", "unitPricing: expected absent, own, empty or mixed"},
		"shares of no option":   {"noTickets: true", "noTickets: true\nshares: [{name: s, options: [p/x], over: day, seats: 4}]", "mine.yaml:4:30: shares[0].options[0]: expected product/option or the id of a product"},
		"shares of no options":  {"noTickets: true", "noTickets: true\nshares: [{name: s, options: [], over: day, seats: 4}]", "shares[0].options: expected at least one"},
		"shares twice":          {"noTickets: true", "noTickets: true\nshares: [{name: s, options: [p, p/o], over: day, seats: 4}]", "shares[0].options[1]: \"p/o\" already shares these seats"},
		"a span":                {"noTickets: true", "noTickets: true\nshares: [{name: s, options: [p], over: week, seats: 4}]", "shares[0].over: expected time, day or season"},
		"no shared seats":       {"noTickets: true", "noTickets: true\nshares: [{name: s, options: [p], over: day}]", "shares[0].seats: expected a number of seats from 1"},
		"half a vehicle":        {"noTickets: true", "noTickets: true\nshares: [{name: s, options: [p], over: time, seats: 10, by: 4}]", "shares[0].by: expected a number of which seats is a multiple"},
		"a nameless share":      {"noTickets: true", "noTickets: true\nshares: [{options: [p], over: time, seats: 4}]", "shares[0].name: expected a name"},
		"two shares of a name":  {"noTickets: true", "noTickets: true\nshares: [{name: s, options: [p], over: time, seats: 4}, {name: s, options: [p], over: day, seats: 4}]", "shares[1].name: \"s\" is already the name of shares[0]"},
		"shares of no limit":    {"max: 2}\n", "max: 2}\n        freesale: true\nshares: [{name: s, options: [p], over: day, seats: 4}]\n", "has no limit, so it cannot share seats"},
		"no units":              {small[strings.Index(small, "        units:"):strings.Index(small, "    schedules:")], "        units: []\n", "expected at least one unit; without one the option cannot be booked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(small, c.old, c.new, 1)
			if text == small {
				t.Fatalf("the case changes nothing: %q is not in the file", c.old)
			}
			parsed, err := Parse("mine.yaml", []byte(text))
			if err == nil {
				_, err = parsed.Index()
			}
			var problems *yamlfile.Problems
			if !errors.As(err, &problems) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "mine.yaml:") {
				t.Fatalf("want %q, got\n%v", c.want, err)
			}
		})
	}
}

func TestDuplicateIDsAreNamed(t *testing.T) {
	t.Parallel()
	c := Default()
	c.Products[1].ID = c.Products[0].ID
	c.Products[0].Options[1].ID = c.Products[0].Options[0].ID
	units := c.Products[0].Options[0].Units
	c.Products[0].Options[0].Units = append(units, units[0])
	_, err := c.Index()
	for _, want := range []string{"products[1].id: ", "products[0].options[1].id: ", "products[0].options[0].units[4].id: "} {
		if err == nil || !strings.Contains(err.Error(), want+"\"") {
			t.Errorf("want %s, got\n%v", want, err)
		}
	}
}

func TestTheListOfProblemsIsBounded(t *testing.T) {
	t.Parallel()
	c, err := Parse("mine.json", []byte(`{"products":[`+strings.Repeat(`{"id":"a"},`, 1_000)+`{}]}`))
	must(t, err)
	_, err = c.Index()
	if lines := strings.Count(err.Error(), "\n"); lines < maxProblems-1 || lines > maxProblems+20 {
		t.Fatalf("want about %d problems, got %d", maxProblems, lines)
	}
}

func TestAnEmptyFileIsAMistake(t *testing.T) {
	t.Parallel()
	if _, err := Parse("mine.yaml", nil); err == nil || !strings.Contains(err.Error(), "mine.yaml: the catalog is empty") {
		t.Fatalf("want the empty file named, got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add(defaultYAML)
	f.Add([]byte(`{"products":[{"id":"x"}]}`))
	f.Add([]byte("a: &a [*a]\nproducts: *a"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse("fuzz.yaml", text)
		if err != nil {
			return
		}
		if index, err := c.Index(); err == nil {
			index.Listing(Filter{Limit: 1})
		}
	})
}
