package control

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

const defaultDays = 14

func listSlots(c *call) (any, error) {
	query := c.query()
	days := query.number("days", defaultDays)
	from := query.date("from")
	p := c.box.Platform()
	product, option := firstOption(p, query.text("product"), query.text("option"))
	if err := query.check(); err != nil {
		return nil, err
	}
	slots, err := p.Calendar(product, option, from, int(days))
	return keys{"slots": slots}, aboutSlot(err)
}

// firstOption fills in an omitted product with the catalog's first product, and an omitted option
// with the product's first option.
func firstOption(p *platform.Platform, product, option string) (string, string) {
	sold := p.Catalog()
	if product == "" {
		product = sold.Products[0].ID
	}
	if found, ok := sold.Product(product); ok && option == "" {
		option = found.Options[0].ID
	}
	return product, option
}

type slotRequest struct {
	notifyRequest
	client.SlotChange
}

func changeSlot(c *call) (any, error) {
	request, err := read[slotRequest](c)
	if err != nil {
		return nil, err
	}
	if request.SlotChange == (client.SlotChange{}) {
		return nil, errors.New(`expected what to change: {"status": "SOLD_OUT"}, {"vacancies": 3} or {"capacity": 12}`)
	}
	if err := platform.CheckChange(request.SlotChange); err != nil {
		return nil, err
	}
	p := c.box.Platform()
	if err := p.SetSlot(request.ProductID, request.OptionID, request.AvailabilityID, request.SlotChange); err != nil {
		return nil, aboutSlot(err)
	}
	slot, err := p.Slot(request.ProductID, request.OptionID, request.AvailabilityID)
	return slot, aboutSlot(err)
}

func invariants(c *call) (any, error) {
	broken := c.box.Platform().Invariants()
	if broken == nil {
		broken = []client.Violation{}
	}
	return keys{"ok": len(broken) == 0, "violations": broken}, nil
}

const defaultLimit = 1000

func state(c *call) (any, error) {
	query := c.query()
	limit := query.number("limit", defaultLimit)
	p := c.box.Platform()
	inside := p.State()
	return client.State{
		Now:          inside.Now.UTC(),
		Seed:         p.Seed(),
		HoldCount:    len(inside.Holds),
		BookingCount: len(inside.Bookings),
		SlotCount:    len(inside.Slots),
		Holds:        lastN(inside.Holds, limit),
		Bookings:     lastN(inside.Bookings, limit),
		Slots:        lastN(inside.Slots, limit),
	}, query.check()
}

func lastN[T any](list []T, n uint64) []T { return list[max(len(list)-int(n), 0):] }

// query reads query parameters. It keeps the first error, and records the names of the known
// parameters.
type query struct {
	values url.Values
	known  []string
	err    error
}

func (c *call) query() *query { return &query{values: c.r.URL.Query()} }

func (q *query) text(name string) string {
	q.known = append(q.known, name)
	return q.values.Get(name)
}

// parameter reads a parameter, with absent as the default. parse reports whether the value is
// valid.
func parameter[T any](q *query, name string, absent T, want string, parse func(text string) (value T, fine bool)) T {
	text := q.text(name)
	if !q.values.Has(name) {
		return absent
	}
	value, fine := parse(text)
	if !fine && q.err == nil {
		q.err = fmt.Errorf("%s: expected %s, received %q", name, want, text)
	}
	return value
}

func (q *query) date(name string) time.Time {
	return parameter(q, name, time.Time{}, "a date such as 2026-07-01", func(text string) (time.Time, bool) {
		date, err := time.Parse(partnerapi.DateLayout, text)
		return date, err == nil && date.Year() >= 1970 && !date.After(latest)
	})
}

func (q *query) number(name string, absent uint64) uint64 {
	return parameter(q, name, absent, "a number of 0 or more", func(text string) (uint64, bool) {
		n, err := strconv.ParseUint(text, 10, 31)
		return n, err == nil
	})
}

func (q *query) duration(name string, absent, most time.Duration) time.Duration {
	return parameter(q, name, absent, fmt.Sprintf("a duration of at most %s, such as 5s", most), func(text string) (time.Duration, bool) {
		d, err := time.ParseDuration(text)
		return d, err == nil && d >= 0 && d <= most
	})
}

func (q *query) yes(name string) bool {
	return word(q, name, "true or false", []string{"true", "false"}) == "true"
}

func word[W ~string](q *query, name, want string, words []W) W {
	return parameter(q, name, "", want, func(text string) (W, bool) { return W(text), slices.Contains(words, W(text)) })
}

// check returns the first error of the query, after all parameters have been read. An unknown
// parameter is also an error.
func (q *query) check() error {
	for name := range q.values {
		if q.err == nil && !slices.Contains(q.known, name) {
			q.err = errors.New("there is no parameter " + strconv.Quote(name))
		}
	}
	return q.err
}
