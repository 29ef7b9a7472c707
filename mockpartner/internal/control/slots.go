package control

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/schemas/partnerapi"
)

const defaultDays = 14

func listSlots(w http.ResponseWriter, r *http.Request) {
	query := query{values: r.URL.Query()}
	days := query.number("days", defaultDays)
	from := query.date("from")
	if query.refused(w, "product", "option", "from", "days") {
		return
	}
	p := sandboxOf(r).Platform()
	product, option := firstOption(p, query.values.Get("product"), query.values.Get("option"))
	slots, err := p.Calendar(product, option, from, int(days))
	if err != nil {
		refuse(w, err)
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"slots": slots})
}

// firstOption puts the catalog's first product, and a product's first option, in
// the place of one that is not named.
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
	ProductID      string `json:"productId"`
	OptionID       string `json:"optionId"`
	AvailabilityID string `json:"availabilityId"`
	client.SlotChange
}

func changeSlot(w http.ResponseWriter, r *http.Request) {
	var request slotRequest
	if !read(w, r, &request) {
		return
	}
	if request.SlotChange == (client.SlotChange{}) {
		reply.Message(w, http.StatusBadRequest, `want what to change: {"status": "SOLD_OUT"}, {"vacancies": 3} or {"capacity": 12}`)
		return
	}
	if refused(w, platform.CheckChange(request.SlotChange)) {
		return
	}
	p := sandboxOf(r).Platform()
	if err := p.SetSlot(request.ProductID, request.OptionID, request.AvailabilityID, request.SlotChange); err != nil {
		refuse(w, err)
		return
	}
	slot, err := p.Slot(request.ProductID, request.OptionID, request.AvailabilityID)
	if err != nil {
		refuse(w, err)
		return
	}
	reply.JSON(w, http.StatusOK, slot)
}

func refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	if refusal := (*platform.Refusal)(nil); errors.As(err, &refusal) && refusal.Kind == platform.UnknownID {
		status = http.StatusNotFound
	}
	reply.Message(w, status, "%v", err)
}

func (q *query) date(name string) time.Time {
	if !q.values.Has(name) {
		return time.Time{}
	}
	date, err := time.Parse(partnerapi.DateLayout, q.values.Get(name))
	if (err != nil || date.Year() < 1970 || date.After(latest)) && q.err == nil {
		q.err = errors.New(name + ": want a date such as 2026-07-01, got " + q.values.Get(name))
	}
	return date
}

func invariants(w http.ResponseWriter, r *http.Request) {
	broken := sandboxOf(r).Platform().Invariants()
	if broken == nil {
		broken = []platform.Violation{}
	}
	reply.JSON(w, http.StatusOK, map[string]any{"ok": len(broken) == 0, "violations": broken})
}

const defaultLimit = 1000

func state(w http.ResponseWriter, r *http.Request) {
	query := query{values: r.URL.Query()}
	limit := query.number("limit", defaultLimit)
	if query.refused(w, "limit") {
		return
	}
	p := sandboxOf(r).Platform()
	inside := p.Inside()
	reply.JSON(w, http.StatusOK, client.State{
		Now:          inside.Now.UTC(),
		Seed:         p.Seed(),
		HoldCount:    len(inside.Holds),
		BookingCount: len(inside.Bookings),
		SlotCount:    len(inside.Slots),
		Holds:        last(inside.Holds, limit),
		Bookings:     last(inside.Bookings, limit),
		Slots:        last(inside.Slots, limit),
	})
}

func last[T any](list []T, n uint64) []T {
	if uint64(len(list)) <= n {
		return list
	}
	return list[uint64(len(list))-n:]
}

// query reads query parameters and keeps the first thing that is wrong with them.
type query struct {
	values url.Values
	err    error
}

func (q *query) number(name string, absent uint64) uint64 {
	if !q.values.Has(name) {
		return absent
	}
	n, err := strconv.ParseUint(q.values.Get(name), 10, 31)
	if err != nil && q.err == nil {
		q.err = fmt.Errorf("%s: want a number of 0 or more, got %q", name, q.values.Get(name))
	}
	return n
}

func (q *query) duration(name string, absent, max time.Duration) time.Duration {
	if !q.values.Has(name) {
		return absent
	}
	d, err := time.ParseDuration(q.values.Get(name))
	if (err != nil || d < 0 || d > max) && q.err == nil {
		q.err = fmt.Errorf("%s: want a duration of at most %s, such as 5s, got %q", name, max, q.values.Get(name))
	}
	return d
}

func (q *query) yes(name string) bool {
	value := q.values.Get(name)
	if q.values.Has(name) && value != "true" && value != "false" && q.err == nil {
		q.err = fmt.Errorf("%s: want true or false, got %q", name, value)
	}
	return value == "true"
}

func word[W ~string](q *query, name string, words []W) W {
	value := W(q.values.Get(name))
	if q.values.Has(name) && !slices.Contains(words, value) && q.err == nil {
		q.err = fmt.Errorf("%s: want one of %v, got %q", name, words, value)
	}
	return value
}

// refused answers what is wrong with the query; a parameter that does not exist
// is wrong too.
func (q *query) refused(w http.ResponseWriter, names ...string) bool {
	for name := range q.values {
		if q.err == nil && !slices.Contains(names, name) {
			q.err = errors.New("there is no parameter " + strconv.Quote(name))
		}
	}
	if q.err != nil {
		reply.Message(w, http.StatusBadRequest, "%v", q.err)
	}
	return q.err != nil
}
