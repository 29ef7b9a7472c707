package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"time"

	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/schemas/partnerapi"
)

// Index is a validated catalog with indexes for lookups. It is immutable, so that any number of
// platforms can share one.
type Index struct {
	Policy   Policy
	Products []*IndexedProduct
	Shares   []SharedSeats
	Pools    []*Pool // those of Shares

	poolsOf map[[2]string][]*Pool // by the ids of product and option
	byID    map[string]*IndexedProduct
	listing []byte
}

// IndexedProduct is one product of an Index.
type IndexedProduct struct {
	partnerapi.Product
	Location *time.Location
	// Modified is updatedAt as a time; zero if the catalog does not set it.
	Modified time.Time
	// JSON is the product as GET /products shows it.
	JSON []byte

	options map[string]*IndexedOption
}

// IndexedOption is one option of an IndexedProduct.
type IndexedOption struct {
	partnerapi.Option
	Product  *IndexedProduct
	Schedule Schedule
	// Key is a hash of the product's and the option's id. It is the same in every process.
	Key uint64
	// SlotPrefix is the prefix of the ids of the option's slots.
	SlotPrefix string
	// Prices and WeekendPrices are the prices of slots with their own prices: the option's prices,
	// and a fifth more. They must not be changed.
	Prices, WeekendPrices []partnerapi.UnitPricing
	// Starts are the daily starts in order, in minutes after midnight. An OPENING_HOURS option has
	// one, its opening. With a calendar they are all starts in the calendar.
	Starts []int
	// ClosesAt is an OPENING_HOURS option's closing, in minutes after the midnight before its
	// opening. Beyond 24 hours it is on the next day.
	ClosesAt int
	// LimitedAt is the schedule's LimitedAt, or the default.
	LimitedAt int

	calendar *dates // nil if slots are computed
	closedOn [7]bool
	seats    map[string]int
}

// Index validates and indexes the catalog, which must not be changed afterwards. Its error is a
// *yamlfile.Problems, which lists the problems with their locations, or wraps ErrTooLarge.
func (c *Catalog) Index() (*Index, error) {
	if problems := c.check(); len(problems) > 0 {
		return nil, c.problems(problems)
	}
	if c.Generate != nil {
		drawn, err := c.generate()
		if err != nil {
			return nil, err
		}
		return drawn.index() // valid by construction, and possibly large, so not validated
	}
	return c.index()
}

// index indexes a validated catalog.
func (c *Catalog) index() (*Index, error) {
	index := &Index{Policy: c.Policy, Shares: c.Shares}
	for i := range c.Products {
		product, err := indexProduct(&c.Products[i])
		if err != nil {
			return nil, c.problems([]yamlfile.Problem{{Path: fmt.Sprintf("products[%d]", i), Message: err.Error()}})
		}
		index.Products = append(index.Products, product)
	}
	return index.buildIndex()
}

func indexProduct(p *Product) (*IndexedProduct, error) {
	text, err := marshal(p.Product)
	if err != nil {
		return nil, err
	}
	location, err := time.LoadLocation(p.TimeZone)
	if err != nil {
		return nil, err
	}
	product := &IndexedProduct{
		Product:  p.Product,
		Location: location,
		JSON:     text,
		options:  map[string]*IndexedOption{},
	}
	if p.UpdatedAt != "" {
		if product.Modified, err = partnerapi.ParseDateTime(p.UpdatedAt); err != nil {
			return nil, err
		}
	}
	for _, option := range p.Options {
		indexed, err := indexOption(product, option, p.Schedules[option.ID])
		if err != nil {
			return nil, err
		}
		product.options[option.ID] = indexed
	}
	return product, nil
}

func indexOption(product *IndexedProduct, wire partnerapi.Option, schedule Schedule) (*IndexedOption, error) {
	option := &IndexedOption{
		Option:    wire,
		Product:   product,
		Schedule:  schedule,
		Key:       hash(product.ID, wire.ID),
		LimitedAt: DefaultLimitedAt,
		seats:     map[string]int{},
	}
	option.SlotPrefix = fmt.Sprintf("%08x-", uint32(option.Key))
	option.Prices, option.WeekendPrices = slotPrices(wire.Units)
	if schedule.LimitedAt != nil {
		option.LimitedAt = *schedule.LimitedAt
	}
	for _, unit := range wire.Units {
		option.seats[unit.ID] = schedule.seatsOf(unit)
	}
	for _, name := range schedule.ClosedOn {
		day, err := parseWeekday(name)
		if err != nil {
			return nil, err
		}
		option.closedOn[day] = true
	}
	return option, option.setTimes()
}

func hash(ids ...string) uint64 {
	h := fnv.New64a()
	for _, id := range ids {
		io.WriteString(h, id)
		h.Write([]byte{0})
	}
	return h.Sum64()
}

func slotPrices(units []partnerapi.Unit) (plain, weekend []partnerapi.UnitPricing) {
	for _, unit := range units {
		for _, entry := range unit.PricingFrom {
			price := partnerapi.UnitPricing{
				UnitID:            unit.ID,
				UnitType:          unit.Type,
				Original:          entry.Original,
				Currency:          entry.Currency,
				CurrencyPrecision: entry.CurrencyPrecision,
			}
			plain = append(plain, price)
			price.Original += entry.Original / 5
			weekend = append(weekend, price)
		}
	}
	return plain, weekend
}

func (o *IndexedOption) setTimes() error {
	if o.Schedule.Calendar != nil {
		var err error
		if o.calendar, err = o.Schedule.Calendar.compile(o.AvailabilityType); err == nil {
			o.Starts = sortedKeys(o.calendar.at)
		}
		return err
	}
	if o.AvailabilityType == partnerapi.StartTime {
		var err error
		o.Starts, err = parseStarts(o.Schedule.Starts)
		return err
	}
	opens, err := parseTimeOfDay(o.Schedule.Opens)
	if err != nil {
		return err
	}
	closes, err := parseTimeOfDay(o.Schedule.Closes)
	if err != nil {
		return err
	}
	if closes <= opens {
		closes += 24 * 60
	}
	o.Starts, o.ClosesAt = []int{opens}, closes
	return nil
}

// HasCount reports whether the option's seats are counted. They are not if the product or the option
// has no limit (AVL-14).
func (o *IndexedOption) HasCount() bool {
	return !o.Product.AllowFreesale && !o.Schedule.Freesale
}

// Product returns the product with that id.
func (x *Index) Product(id string) (*IndexedProduct, bool) {
	product, ok := x.byID[id]
	return product, ok
}

// Option returns the product's option with that id.
func (p *IndexedProduct) Option(id string) (*IndexedOption, bool) {
	option, ok := p.options[id]
	return option, ok
}

// SeatsOf returns how many seats one guest of the unit takes, and reports whether the option has
// that unit.
func (o *IndexedOption) SeatsOf(unitID string) (int, bool) {
	seats, ok := o.seats[unitID]
	return seats, ok
}

// FromCalendar reports whether the option's slots come from a calendar.
func (o *IndexedOption) FromCalendar() bool { return o.calendar != nil }

// Moment returns the calendar's slot at that day, counted since 1970-01-01, and minute after
// midnight. It is nil if the calendar has no such slot, and must not be changed.
func (o *IndexedOption) Moment(day int64, minute int) *Moment { return o.calendar.moment(day, minute) }

// ClosedOn reports whether the option has no slots on that weekday.
func (o *IndexedOption) ClosedOn(day time.Weekday) bool { return o.closedOn[day] }

// Filter is the filter of GET /products. Its zero value selects the complete catalog.
type Filter struct {
	// UpdatedSince selects the products modified after it, and those without a modification time
	// (PRD-14).
	UpdatedSince time.Time
	// Limit is the maximum number of products; 0 means all (PRD-13).
	Limit int
}

// Listing returns the body of GET /products. The complete catalog is rendered only once: callers
// must not change the bytes.
func (x *Index) Listing(f Filter) []byte {
	if f == (Filter{}) {
		return x.listing
	}
	return join(x.Select(f))
}

// Select returns the products that match the filter, in the catalog's order.
func (x *Index) Select(f Filter) (kept []*IndexedProduct) {
	for _, product := range x.Products {
		if f.Limit > 0 && len(kept) == f.Limit {
			break
		}
		if f.UpdatedSince.IsZero() || product.Modified.IsZero() || product.Modified.After(f.UpdatedSince) {
			kept = append(kept, product)
		}
	}
	return kept
}

func join(products []*IndexedProduct) []byte {
	size := len("[]\n")
	for _, product := range products {
		size += len(product.JSON) + len(",")
	}
	body := append(make([]byte, 0, size), '[')
	for i, product := range products {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, product.JSON...)
	}
	return append(body, "]\n"...)
}

// Render returns products as the body of GET /products.
func Render(products []partnerapi.Product) ([]byte, error) {
	text, err := marshal(products)
	return append(text, '\n'), err
}

// marshal writes value as readable JSON, without escaping &, < and >.
func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(text.Bytes(), "\n"), nil
}
