package main_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/sandbox"
	"partnerkit.dev/schemas/partnerapi"
)

// A lawful partner differs from the mock as it is, and keeps the contract.
type lawfulPartner struct {
	name    string
	catalog func(*catalog.Catalog)
	options func(*mockpartner.Options)
	hook    hook
	below   string   // a path below the mock's address
	args    []string // nil: those of a mock that is judged in full
	warned  []string // SHOULD rules that it breaks
	open    []string // rules for which it has nothing to test with
	code    int
}

func TestNoLawfulPartnerIsAccused(t *testing.T) {
	t.Parallel()
	for _, partner := range slices.Concat(lawfulCatalogs(), lawfulFeatures(), lawfulAnswers()) {
		t.Run(partner.name, func(t *testing.T) {
			t.Parallel()
			url := startLawful(t, partner) + partner.below
			args := partner.args
			if args == nil {
				args = ofMock(url)
			}
			r := judge(t, url, args...)
			if failed := r.outcomes(report.Failed); len(failed) > 0 {
				t.Errorf("want nothing failed, got %v\n%s", failed, r.said())
			}
			if warned := r.outcomes(report.Warned); !slices.Equal(warned, partner.warned) {
				t.Errorf("want %v warned, got %v\n%s", partner.warned, warned, r.said())
			}
			if open := r.outcomes(report.Inconclusive); partner.code == 0 && !slices.Equal(open, partner.open) {
				t.Errorf("want %v inconclusive, got %v\n%s", partner.open, open, r.said())
			}
			if blocked := r.outcomes(report.Blocked); len(blocked) > 0 {
				t.Errorf("want nothing blocked, got %v\n%s", blocked, r.said())
			}
			if r.code != partner.code {
				t.Errorf("want exit %d, got %d: %s", partner.code, r.code, r.result.Reason)
			}
		})
	}
}

// startLawful starts the partner. When the test ends nothing must be held or
// booked, where it could be undone, and the ledger must agree.
func startLawful(t *testing.T, partner lawfulPartner) string {
	t.Helper()
	sold := catalog.Default()
	if partner.catalog != nil {
		partner.catalog(sold)
	}
	b := newBroken()
	options := mockpartner.Options{Catalog: sold, Around: b.around(partner.hook)}
	if partner.options != nil {
		partner.options(&options)
	}
	mock, url := startMock(t, options, b.take)
	if _, err := mock.Create(sandbox.Spec{Name: "another"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if violations := mock.Default().Platform().Invariants(); len(violations) > 0 {
			t.Errorf("want the mock's ledger to agree, got %v", violations)
		}
		booked := 0
		for _, booking := range mock.Default().Platform().Bookings() {
			if booking.State != "CANCELLED" {
				booked++
			}
		}
		if sold.NoCancel && booked > 2 || !sold.NoCancel && booked > 0 {
			t.Errorf("want nothing left booked, or two bookings without cancel, got %d", booked)
		}
		for _, hold := range mock.Default().Platform().Holds() {
			if hold.State == "HELD" {
				t.Errorf("want nothing left held, got %+v", hold)
			}
		}
	})
	return url
}

// eachSchedule changes the schedule of every option.
func eachSchedule(change func(*catalog.Schedule)) func(*catalog.Catalog) {
	return func(c *catalog.Catalog) {
		for _, product := range c.Products {
			for id, schedule := range product.Schedules {
				change(&schedule)
				product.Schedules[id] = schedule
			}
		}
	}
}

func lawfulCatalogs() []lawfulPartner {
	single := func(c *catalog.Catalog) {
		for i := range c.Products {
			c.Products[i].AllowFreesale = false
		}
		eachSchedule(func(s *catalog.Schedule) {
			s.Capacity = catalog.Seats{Min: 1, Max: 1}
			s.Freesale, s.HideVacancies = false, false
		})(c)
	}
	return []lawfulPartner{
		{name: "products in reverse order", catalog: func(c *catalog.Catalog) { slices.Reverse(c.Products) }},
		{name: "one product with one option", catalog: func(c *catalog.Catalog) {
			c.Products = c.Products[:1]
			c.Products[0].Options = c.Products[0].Options[:1]
			delete(c.Products[0].Schedules, "private-sunset")
		}},
		{name: "a single seat in every slot", catalog: single, open: []string{"reserve.vacancies.many", "release.vacancies.many"}},
		{name: "slots without limit only", catalog: eachSchedule(func(s *catalog.Schedule) { s.Freesale = true })},
		{name: "slots that tell no vacancies", catalog: eachSchedule(func(s *catalog.Schedule) { s.HideVacancies = true })},
		{name: "products that allow freesale only", catalog: func(c *catalog.Catalog) {
			for i := range c.Products {
				c.Products[i].AllowFreesale = true
			}
		}},
		{name: "most slots are sold out or closed, the first ones among them", catalog: eachSchedule(func(s *catalog.Schedule) { s.SoldOut, s.Closed, s.Limited = 45, 45, 0 })},
		{name: "every slot is sold out", catalog: eachSchedule(func(s *catalog.Schedule) {
			s.SoldOut, s.Closed, s.Limited, s.Freesale = 100, 0, 0, false
			s.Capacity = catalog.Seats{Min: 5, Max: 5}
		}), code: 3},
		{name: "nothing is sold", hook: on(partnerapi.Products, func(e *exchange) { e.answer = []byte("[]") }), code: 3},
		{name: "a slot on every day", catalog: eachSchedule(func(s *catalog.Schedule) { s.ClosedOn = nil }), open: []string{"availability.empty"}},
		{name: "prices that slots do not change", catalog: eachSchedule(func(s *catalog.Schedule) { s.UnitPricing = catalog.PricingEmpty })},
		{name: "a catalog drawn from a seed", catalog: func(c *catalog.Catalog) {
			if drawn, err := catalog.Generate(7, 30, 2); err == nil {
				*c = *drawn
			}
		}},
	}
}

func lawfulFeatures() []lawfulPartner {
	return []lawfulPartner{
		{name: "no holds", catalog: func(c *catalog.Catalog) { c.NoHolds = true }},
		{name: "no cancel", catalog: func(c *catalog.Catalog) { c.NoCancel = true }},
		{name: "no tickets", catalog: func(c *catalog.Catalog) { c.NoTickets = true }, args: []string{}},
		{name: "awkward codes", catalog: func(c *catalog.Catalog) { c.Codes = catalog.AwkwardCodes }},
		{name: "the key alone", options: func(o *mockpartner.Options) { o.AuthType = partnerapi.APIKey }, args: []string{"--auth-type", "api_key", "--handles-ticket-delivery"}},
		{name: "a base URL with a path and a slash", below: "/s/another/", args: []string{"--handles-ticket-delivery"}},
		{name: "holds of 15 minutes", options: func(o *mockpartner.Options) { o.HoldFor = 15 * time.Minute }},
		{name: "holds of 30 minutes", options: func(o *mockpartner.Options) { o.HoldFor = 30 * time.Minute }},
		{name: "holds of an hour", options: func(o *mockpartner.Options) { o.HoldFor = time.Hour }, warned: []string{"reserve.expires-window"}},
		{name: "a clock that stands at another day", options: func(o *mockpartner.Options) { o.Now = time.Date(2031, 3, 29, 23, 50, 0, 0, time.UTC) }},
	}
}

func lawfulAnswers() []lawfulPartner {
	always := func(change func(*exchange)) hook { return hook{after: change} }
	eachSlot := func(change func(map[string]any)) hook {
		return on(partnerapi.Availability, func(e *exchange) {
			e.slots(func(slots []any) []any {
				for _, slot := range slots {
					change(slot.(map[string]any))
				}
				return slots
			})
		})
	}
	repeated := func(status int) hook {
		return on(partnerapi.Confirm, func(e *exchange) {
			if e.isConfirmed(e.code()) {
				e.reply(status, nil)
			}
		})
	}
	refused := func(wanted func(partnerapi.ReserveRequest) bool) hook {
		return hook{before: func(e *exchange) {
			if e.endpoint == partnerapi.Reserve && e.request.Header.Get("Authorization") == "Bearer "+key && wanted(e.reserve()) {
				e.reply(http.StatusBadRequest, partnerapi.Refusal{Message: "we do not take such a party"})
			}
		}}
	}
	return []lawfulPartner{
		{name: "the catalog as an object", hook: on(partnerapi.Products, func(e *exchange) { e.answer = []byte(`{"products":` + string(e.answer) + `,"page":1}`) })},
		{name: "another order with every call", hook: always(func(e *exchange) {
			e.slots(func(list []any) []any {
				rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				return list
			})
		})},
		{name: "sold-out and closed slots are left out", hook: on(partnerapi.Availability, func(e *exchange) {
			e.slots(func(slots []any) []any {
				return slices.DeleteFunc(slots, func(slot any) bool {
					status := slot.(map[string]any)["status"]
					return status == "SOLD_OUT" || status == "CLOSED"
				})
			})
		})},
		{name: "optional fields are null, unknown ones are there", hook: eachSlot(func(slot map[string]any) {
			slot["colour"] = "blue"
			for _, name := range []string{"capacity", "unitPricing"} {
				if slot[name] == nil {
					slot[name] = nil
				}
			}
		})},
		{name: "times in UTC, with fractions", hook: eachSlot(func(slot map[string]any) {
			for _, name := range []string{"localDateTimeStart", "localDateTimeEnd"} {
				at, err := time.Parse(time.RFC3339, slot[name].(string))
				if err == nil {
					slot[name] = at.UTC().Format("2006-01-02T15:04:05.000Z")
				}
			}
		})},
		{name: "holds are created", hook: on(partnerapi.Reserve, func(e *exchange) { e.status = http.StatusCreated })},
		{name: "answers are compressed", hook: always(func(e *exchange) {
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			_, _ = w.Write(e.answer)
			_ = w.Close()
			e.answer = packed.Bytes()
			e.header.Set("Content-Encoding", "gzip")
		})},
		{name: "connections are closed", hook: always(func(e *exchange) { e.header.Set("Connection", "close") })},
		{name: "a JSON type of its own, with parameters", hook: always(func(e *exchange) { e.header.Set("Content-Type", `application/vnd.partner+json; charset="utf-8"`) })},
		{name: "a second confirm is refused", hook: repeated(http.StatusConflict)},
		{name: "a second confirm is refused with 400", hook: hook{after: func(e *exchange) {
			if e.endpoint == partnerapi.Confirm && e.ok() && e.isConfirmed(e.code()) {
				e.reply(http.StatusBadRequest, partnerapi.Refusal{Message: "already confirmed"})
			}
		}}},
		{name: "a 401 is bare", hook: always(func(e *exchange) {
			if e.status == http.StatusUnauthorized {
				e.answer = nil
				e.header.Del("Content-Type")
			}
		})},
		{name: "the probe is answered with nothing", hook: on(partnerapi.Products, func(e *exchange) {
			if e.request.URL.Query().Has("limit") {
				e.answer = []byte("[]")
			}
		})},
		{name: "query parameters are ignored", hook: hook{before: func(e *exchange) { e.request.URL.RawQuery = "" }}},
		{name: "nothing has changed since long ago", hook: on(partnerapi.Products, func(e *exchange) {
			if e.request.URL.Query().Has("updated_since") {
				e.answer = []byte("[]")
			}
		})},
		{name: "large parties are refused", hook: refused(func(r partnerapi.ReserveRequest) bool { return party(r) > 8 })},
		{name: "children are refused", hook: refused(func(r partnerapi.ReserveRequest) bool { return strings.Contains(string(must(r)), "unit-child") }), warned: nil},
		{name: "cancel is not allowed", hook: hook{before: func(e *exchange) {
			if e.endpoint == partnerapi.Cancel {
				e.reply(http.StatusMethodNotAllowed, nil)
			}
		}}, catalog: func(c *catalog.Catalog) { c.NoCancel = true }},
		{name: "echoed fields are missing", hook: on(partnerapi.Confirm, func(e *exchange) {
			e.edit(func(answer map[string]any) {
				for _, name := range []string{"uuid", "productId", "optionId", "availabilityId", "contact"} {
					delete(answer, name)
				}
			})
		})},
	}
}

func must(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
