package scale

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// platforms answers for any number of partners on one address, partner k below /k. Nothing is stored:
// an answer depends on the seed, the partner, the option, the date and the nights in which the option
// has changed.
type platforms struct {
	seed       uint64
	activities int // of each partner, with two options each
	every      int // days from one slot of an option to the next
	// changes has, for each night, how many of a thousand options change.
	changes atomic.Pointer[[]uint64]
}

const optionsOfEach = 2

// draw returns a number that depends on what is given alone.
func (p *platforms) draw(of ...any) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, append([]any{p.seed}, of...)...)
	return h.Sum64() >> 8 // the lowest bits are the least random
}

// night adds a night in which that many of a thousand options change.
func (p *platforms) night(changed uint64) {
	nights := append([]uint64{}, *p.changes.Load()...)
	nights = append(nights, changed)
	p.changes.Store(&nights)
}

// version returns the last night in which an option has changed; 0: none.
func (p *platforms) version(option string) (version int) {
	for night, changed := range *p.changes.Load() {
		if p.draw(option, night)%1000 < changed {
			version = night + 1
		}
	}
	return version
}

// ServeHTTP answers as the partner with which the path begins.
func (p *platforms) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	partner, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	w.Header().Set("Content-Type", "application/json")
	var answer any
	switch {
	case path == strings.TrimPrefix(partnerapi.ProductsPath, "/") && r.URL.Query().Has("limit"):
		answer = p.products(partner, 1)
	case path == strings.TrimPrefix(partnerapi.ProductsPath, "/"):
		answer = p.products(partner, p.activities)
	case path == strings.TrimPrefix(partnerapi.AvailabilityPath, "/"):
		var asked partnerapi.AvailabilityRequest
		if json.NewDecoder(r.Body).Decode(&asked) == nil {
			answer = p.slots(partner, asked)
		}
	case path == strings.TrimPrefix(partnerapi.ReservePath, "/"):
		answer = map[string]any{"reservationConfirmationCode": fmt.Sprint(time.Now().UnixNano()), "expiresAt": time.Now().AddDate(1, 0, 0).Format(time.RFC3339)}
	default:
		http.NotFound(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (p *platforms) products(partner string, most int) []any {
	list := make([]any, most)
	for i := range list {
		var options []any
		for o := range optionsOfEach {
			options = append(options, map[string]any{"id": fmt.Sprint("option-", o), "internalName": "Morning", "availabilityType": "START_TIME", "units": []any{map[string]any{
				"id": "unit-adult", "internalName": "Adult", "type": "ADULT", "pricingFrom": []any{map[string]any{"original": 1000 + p.draw(partner, i, o)%9000, "currency": "EUR"}}}}})
		}
		list[i] = map[string]any{"id": fmt.Sprint("product-", i), "internalName": fmt.Sprintf("Walk %d of partner %s", i, partner), "locale": "en", "timeZone": zone, "instantConfirmation": true, "options": options}
	}
	return list
}

// zone has no summer time, so that a slot's date is that of its start.
const zone = "Atlantic/Reykjavik"

func (p *platforms) slots(partner string, asked partnerapi.AvailabilityRequest) []any {
	list := []any{}
	from, _ := time.Parse(time.DateOnly, asked.LocalDateStart)
	to, _ := time.Parse(time.DateOnly, asked.LocalDateEnd)
	option := partner + " " + asked.ProductID + " " + asked.OptionID
	version := p.version(option)
	for day := from; !day.After(to) && day.Before(from.AddDate(0, 0, 60)); day = day.AddDate(0, 0, 1) {
		number := int(day.Unix() / 86400)
		if number%p.every != 0 {
			continue
		}
		seats := p.draw(option, number)
		if version > 0 && number%(10*p.every) == 0 { // a tenth of a changed option's slots
			seats += uint64(version)
		}
		date := day.Format(time.DateOnly)
		list = append(list, map[string]any{"id": date, "localDateTimeStart": date + "T10:00:00Z", "localDateTimeEnd": date + "T12:00:00Z", "status": "AVAILABLE", "vacancies": 1 + seats%14, "capacity": 15,
			"unitPricing": []any{map[string]any{"unitId": "unit-adult", "unitType": "ADULT", "original": 1000 + seats%9000, "currency": "EUR"}}})
	}
	return list
}

func newPlatforms(activities, every int) *platforms {
	p := &platforms{seed: 11, activities: activities, every: every}
	p.changes.Store(&[]uint64{})
	return p
}

func TestThePlatformsAnswerByTheContractAndTheSameAgain(t *testing.T) {
	t.Parallel()
	p := newPlatforms(50, 2)
	ask := func(method, path, body string) string {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
		return w.Body.String()
	}
	slots := func(partner, product int) string {
		return ask(http.MethodPost, fmt.Sprintf("/%d%s", partner, partnerapi.AvailabilityPath), fmt.Sprintf(`{"productId":"product-%d","optionId":"option-1","localDateStart":"2026-07-01","localDateEnd":"2026-08-30"}`, product))
	}
	var products, list []json.RawMessage
	errtest.Check(t, json.Unmarshal([]byte(ask(http.MethodGet, "/7"+partnerapi.ProductsPath, "")), &products))
	errtest.Check(t, json.Unmarshal([]byte(slots(7, 1)), &list))
	if len(products) != 50 || len(list) != 30 {
		t.Fatalf("want 50 products and 30 slots, got %d and %d", len(products), len(list))
	}
	for _, problem := range append(schemas.Validate(schemas.Product, products[0]), schemas.Validate(schemas.Slot, list[0])...) {
		t.Error(problem)
	}
	before := slots(7, 1)
	if p.night(0); slots(7, 1) != before || slots(8, 1) == before {
		t.Error("want equal answers after a night without changes, and others from another partner")
	}
	var all []string
	for product := range 50 {
		all = append(all, slots(7, product))
	}
	changed := 0
	p.night(200)
	for product, before := range all {
		if slots(7, product) != before {
			changed++
		}
	}
	if changed < 2 || changed > 25 {
		t.Errorf("want about 10 of 50 options changed, got %d", changed)
	}
}
