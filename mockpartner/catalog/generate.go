package catalog

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"time"

	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/schemas/partnerapi"
)

// These are the limits of a generated catalog.
const (
	MaxProducts = 100_000
	MaxOptions  = 200_000 // of all products together
)

// Generated configures a generated catalog in a catalog file.
type Generated struct {
	Products int    `yaml:"products" json:"products"`
	Options  int    `yaml:"options" json:"options"` // of each product; 0 means 1
	Seed     uint64 `yaml:"seed" json:"seed"`
}

func (c *Catalog) generate() (*Catalog, error) {
	made, err := Generate(c.Generate.Seed, c.Generate.Products, cmp.Or(c.Generate.Options, 1))
	if err != nil {
		return nil, c.problems([]yamlfile.Problem{{Path: "generate", Message: err.Error()}})
	}
	made.Policy = c.Policy
	return made, nil
}

// Generate draws a catalog with this many products, and this many options for each, from everything
// that the contract allows. The same arguments give the same catalog. A product does not depend on
// the number of products after it.
func Generate(seed uint64, products, options int) (*Catalog, error) {
	if products < 1 || products > MaxProducts {
		return nil, fmt.Errorf("products: expected a number from 1 to %d, received %d", MaxProducts, products)
	}
	if most := MaxOptions / products; options < 1 || options > most {
		return nil, fmt.Errorf("options: expected a number from 1 to %d for each of %d products, received %d", most, products, options)
	}
	catalog := &Catalog{Products: make([]Product, products)}
	for i := range catalog.Products {
		g := generator{rand.New(rand.NewPCG(seed, uint64(i)))}
		catalog.Products[i] = g.product(i, options)
	}
	return catalog, nil
}

// place is the place of a generated product, with its zone and currency.
type place struct {
	name, zone, locale string
	currency           string
	precision          int
}

var (
	places = []place{
		{"Lisbon", "Europe/Lisbon", "pt-PT", "EUR", 2},
		{"New York", "America/New_York", "en-US", "USD", 2},
		{"Tokyo", "Asia/Tokyo", "ja-JP", "JPY", 0},
		{"Kuwait", "Asia/Kuwait", "ar-KW", "KWD", 3},
		{"Kathmandu", "Asia/Kathmandu", "ne-NP", "USD", 2},
		{"Auckland", "Pacific/Auckland", "en-NZ", "NZD", 2},
		{"St. John's", "America/St_Johns", "en-CA", "CAD", 2},
		{"Reykjavík", "Atlantic/Reykjavik", "is-IS", "ISK", 0},
		{"Santiago", "America/Santiago", "es-CL", "CLP", 0},
		{"Taipei", "Asia/Taipei", "zh-Hant-TW", "TWD", 2},
	}
	activities = []string{"walk", "boat trip", "museum", "food tour", "bike tour", "concert", "kayak tour", "cooking class", "hike", "observatory"}
	variants   = []string{"small group", "private", "with lunch", "by night", "early bird", "with a guide", "self-guided", "for families"}
	weekdays   = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
)

type generator struct{ *rand.Rand }

func (g generator) oneIn(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g generator, from []T) T { return from[g.IntN(len(from))] }

func (g generator) product(number, options int) Product {
	where := pick(g, places)
	modified := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(g.IntN(365*24)) * time.Hour)
	p := Product{
		Product: partnerapi.Product{
			ID:                  fmt.Sprintf("product-%05d", number+1),
			InternalName:        where.name + " " + pick(g, activities),
			Locale:              where.locale,
			TimeZone:            where.zone,
			InstantConfirmation: !g.oneIn(5),
			AllowFreesale:       g.oneIn(10),
			UpdatedAt:           partnerapi.FormatDateTime(modified),
		},
		Schedules: map[string]Schedule{},
	}
	if g.oneIn(2) {
		p.Reference = fmt.Sprintf("REF-%05d", number+1)
	}
	for i := range options {
		option, schedule := g.option(i, where)
		p.Options = append(p.Options, option)
		p.Schedules[option.ID] = schedule
	}
	return p
}

func (g generator) option(number int, where place) (partnerapi.Option, Schedule) {
	option := partnerapi.Option{
		ID:               fmt.Sprintf("option-%d", number+1),
		InternalName:     pick(g, variants),
		AvailabilityType: pick(g, []partnerapi.AvailabilityType{partnerapi.StartTime, partnerapi.OpeningHours}),
		Units:            g.units(where),
	}
	if g.oneIn(2) {
		option.CancellationCutoff = "Free of charge until 24 hours before the start"
	}
	return option, g.schedule(option.AvailabilityType)
}

func (g generator) units(where place) []partnerapi.Unit {
	const from, to = 5, 200 // an adult's price in the major unit
	price := int64(from + g.IntN(to-from))
	for range where.precision {
		price *= 10
	}
	if where.precision == 0 {
		price *= 100 // currencies without decimals have small units
	}
	units := []partnerapi.Unit{g.unit(partnerapi.Adult, "unit-adult", "Adult", price, where, nil)}
	if g.oneIn(2) {
		units = append(units, g.unit(partnerapi.Child, "unit-child", "Child", price/2, where, &partnerapi.Restrictions{MinAge: new(3), MaxAge: new(15)}))
	}
	if g.oneIn(3) {
		units = append(units, g.unit(partnerapi.Infant, "unit-infant", "Infant", 0, where, &partnerapi.Restrictions{MaxAge: new(2)}))
	}
	if g.oneIn(3) {
		units = append(units, g.unit(partnerapi.Senior, "unit-senior", "Senior", price*3/4, where, &partnerapi.Restrictions{MinAge: new(65)}))
	}
	if g.oneIn(4) {
		units = append(units, g.unit(partnerapi.Student, "student-card", "Student", price*2/3, where, nil))
	}
	return units
}

func (g generator) unit(kind partnerapi.UnitType, id, name string, price int64, where place, ages *partnerapi.Restrictions) partnerapi.Unit {
	entry := partnerapi.PricingEntry{Original: price, Currency: where.currency, CurrencyPrecision: new(where.precision)}
	if g.oneIn(3) {
		entry.Retail, entry.Net = new(price+price/10), new(price-price/5)
	}
	return partnerapi.Unit{ID: id, InternalName: name, Type: kind, PricingFrom: []partnerapi.PricingEntry{entry}, Restrictions: ages}
}

func (g generator) schedule(kind partnerapi.AvailabilityType) Schedule {
	smallest := 2 + g.IntN(20)
	s := Schedule{
		Capacity:      Seats{Min: smallest, Max: smallest + g.IntN(20)},
		Freesale:      g.oneIn(8),
		HideVacancies: g.oneIn(8),
		SoldOut:       g.IntN(20),
		Closed:        g.IntN(15),
		Limited:       g.IntN(30),
		UnitPricing:   pick(g, []PricingStyle{PricingAbsent, PricingOwn, PricingEmpty, PricingMixed}),
		CutOff:        time.Duration(g.IntN(12)) * time.Hour,
	}
	if g.oneIn(2) {
		s.ClosedOn = []string{pick(g, weekdays)}
	}
	if kind == partnerapi.OpeningHours {
		s.Opens, s.Closes = pick(g, []string{"08:00", "09:30", "11:00"}), pick(g, []string{"17:00", "20:00", "01:00"})
		return s
	}
	s.Duration = time.Duration(1+g.IntN(16)) * 30 * time.Minute
	first := 6*60 + g.IntN(8)*30
	for i := range 1 + g.IntN(3) {
		minute := first + i*150
		s.Starts = append(s.Starts, fmt.Sprintf("%02d:%02d", minute/60, minute%60))
	}
	return s
}
