package main_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/selftest"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// A lawful partner differs from the plain mock, and keeps the contract. Those
// that no flag of the mock makes are here; the others are its variants.
type lawfulPartner struct {
	name    string
	catalog func(*catalog.Catalog)
	options func(*mockpartner.Options)
	below   string   // a path below the mock's address
	args    []string // nil: those of a mock that is judged in full
	warned  []string // SHOULD rules that it breaks
	open    []string // rules for which it has nothing to test with
	code    int
}

func TestNoLawfulPartnerIsAccused(t *testing.T) {
	t.Parallel()
	for _, partner := range slices.Concat(lawfulCatalogs(), lawfulFeatures()) {
		t.Run(partner.name, func(t *testing.T) {
			t.Parallel()
			url := startLawful(t, partner) + partner.below
			args := partner.args
			if args == nil {
				args = ofMock(url)
			}
			r := judge(t, url, args...)
			if failed := r.outcomes(report.Failed); len(failed) > 0 {
				t.Errorf("want nothing failed, got %v\n%s", failed, r.notPassed())
			}
			if warned := r.outcomes(report.Warned); !slices.Equal(warned, partner.warned) {
				t.Errorf("want %v warned, got %v\n%s", partner.warned, warned, r.notPassed())
			}
			if open := r.outcomes(report.Inconclusive); partner.code == 0 && !slices.Equal(open, partner.open) {
				t.Errorf("want %v inconclusive, got %v\n%s", partner.open, open, r.notPassed())
			}
			if blocked := r.outcomes(report.Blocked); len(blocked) > 0 {
				t.Errorf("want nothing blocked, got %v\n%s", blocked, r.notPassed())
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
	options := mockpartner.Options{Catalog: sold}
	if partner.options != nil {
		partner.options(&options)
	}
	mock, url := startMock(t, options)
	if _, err := mock.Create("another"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { everythingUndone(t, mock) })
	return url
}

// everythingUndone fails the test if something is held or booked that could have been undone,
// or where a seat was lost.
func everythingUndone(t *testing.T, mock *mockpartner.Mock) {
	t.Helper()
	for _, left := range selftest.LeftBehind(mock) {
		t.Errorf("want nothing left behind: %s", left)
	}
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
		{name: "one product with one option", catalog: func(c *catalog.Catalog) {
			c.Products = c.Products[:1]
			c.Products[0].Options = c.Products[0].Options[:1]
			delete(c.Products[0].Schedules, "private-sunset")
		}},
		{name: "a single seat in every slot", catalog: single, open: []string{"reserve.vacancies.many", "release.vacancies.many"}},
		{name: "slots without limit only", catalog: eachSchedule(func(s *catalog.Schedule) { s.Freesale = true })},
		{name: "slots without vacancies", catalog: eachSchedule(func(s *catalog.Schedule) { s.HideVacancies = true })},
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
		{name: "nothing is sold", options: func(o *mockpartner.Options) {
			o.Scenario, _ = mockpartner.ParseScenario("nothing.yaml", []byte(`faults: [{match: {endpoint: products}, answered: "200", jq: "[]"}]`))
		}, code: 3},
		{name: "a slot on every day", catalog: eachSchedule(func(s *catalog.Schedule) { s.ClosedOn = nil }), open: []string{"availability.empty"}},
		{name: "prices that slots do not change", catalog: eachSchedule(func(s *catalog.Schedule) { s.UnitPricing = catalog.PricingEmpty })},
		{name: "a catalog drawn from a seed", catalog: func(c *catalog.Catalog) {
			if drawn, err := catalog.Generate(7, 30, 2); err == nil {
				*c = *drawn
			}
		}},
	}
}

// onlyTheFirst keeps one product, for what does not depend on the catalog.
func onlyTheFirst(c *catalog.Catalog) { c.Products = c.Products[:1] }

func lawfulFeatures() []lawfulPartner {
	return []lawfulPartner{
		{name: "the key alone", catalog: onlyTheFirst, options: func(o *mockpartner.Options) { o.AuthType = partnerapi.APIKey }, args: []string{"--auth-type", "api_key", "--handles-ticket-delivery"}},
		{name: "a base URL with a path and a slash", catalog: onlyTheFirst, below: "/s/another/", args: []string{"--handles-ticket-delivery"}},
		{name: "a product whose holds keep no seats", options: func(o *mockpartner.Options) {
			o.Scenario, _ = mockpartner.ParseScenario("holds.yaml", []byte(`
quirks:
  - {on: reserve, takes: none, product: last}
  - {on: confirm, takes: all, product: last}
  - {on: release, gives: none, product: last}
  - {on: cancel, gives: all, product: last}
  - {on: expiry, gives: none, product: last}
faults:
  - {match: {endpoint: reserve, product: last}, answered: 2xx, jq: 'if .expiresAt then .expiresAt |= sub("^20[0-9]{2}"; "2039") else . end'}
`))
		}},
		{name: "holds of an hour", catalog: onlyTheFirst, options: func(o *mockpartner.Options) { o.HoldFor = time.Hour }, warned: []string{"reserve.expires-window"}},
		{name: "a clock that stands at another day", catalog: onlyTheFirst, options: func(o *mockpartner.Options) { o.Now = time.Date(2031, 3, 29, 23, 50, 0, 0, time.UTC) }},
	}
}

// `make selftest` draws the complete kill matrix; this test runs a part of it.
func TestASelftestThatProvesItsRulesExits0AndWritesTheMatrix(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "matrix")
	r := start(t, nil, "selftest", "--report-dir", dir, "--defect", "hold-without-code,cancel-late,age-limit-is-text", "--variant", "nothing-left", "--json").wait(t)
	if r.code != 0 {
		t.Errorf("want exit 0, got %d\n%s", r.code, r.stderr)
	}
	var matrix selftest.Matrix
	if err := json.NewDecoder(strings.NewReader(r.stdout)).Decode(&matrix); err != nil {
		t.Fatalf("want the matrix and nothing else on the standard output: %v\n%s", err, r.stdout)
	}
	if !matrix.Proven || matrix.Summary[selftest.Killed] != 3 || matrix.Summary[selftest.Silent] != 1 {
		t.Errorf("want three defects killed and one variant silent, got %+v", matrix)
	}
	for _, want := range []string{"variants 1, defects 3", "killed", "silent", "Proven in ", filepath.Join(dir, "selftest.json"), filepath.Join(dir, "selftest.md")} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("want it to say %q, got\n%s", want, r.stderr)
		}
	}
}
