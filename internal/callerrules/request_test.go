package callerrules_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/callerrules"
	"partnerkit.dev/schemas/partnerapi"
)

func TestProductsQuery(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"":                                   "",
		"limit=1":                            "",
		"updated_since=2026-07-01T00:00:00Z": "",
		"updated_since=2026-07-01T02:00:00%2B02:00": "",
		"limit=2":                             "expected no query",
		"limit=1&page=1":                      "expected no query",
		"updated_since=yesterday":             "updated_since:",
		"updated_since=2026-07-01T02+02:00":   "escape a +",
		"updated_since=%zz":                   "invalid escapes",
		"updated_since=a&updated_since=b":     "expected no query",
		"updated_since=2026-07-01T00:00:00Z&": "",
	} {
		if got := callerrules.ProductsQuery(raw); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: want %q, got %q", raw, want, got)
		}
	}
}

func TestContentType(t *testing.T) {
	t.Parallel()
	for sent, good := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "application/merge-patch+json": true,
		"": false, "text/plain": false, "application/jsonp": false, "application/json;;": false,
	} {
		if wrong := callerrules.ContentType(partnerapi.Reserve, http.Header{"Content-Type": {sent}}); (wrong == "") != good {
			t.Errorf("%q: %q", sent, wrong)
		}
	}
}

func TestSegment(t *testing.T) {
	t.Parallel()
	for escaped, code := range map[string]string{"a%2Fb": "a/b", "%2E%2E": "..", "a%2Bb": "a+b", "abc": "abc"} {
		if wrong := callerrules.Segment(escaped, code); wrong != "" {
			t.Error(wrong)
		}
	}
	if wrong := callerrules.Segment("a+b", "a+b"); !strings.Contains(wrong, "a%2Bb") {
		t.Errorf("want the right segment named, got %q", wrong)
	}
}

func TestWindowOf(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Pacific/Auckland")
	if err != nil {
		t.Fatal(err)
	}
	midnight := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC) // 2 July begins in Auckland
	noon := midnight.Add(12 * time.Hour)
	for _, c := range []struct {
		from, to string
		at       time.Time
		want     callerrules.WindowKind
	}{
		{"2026-07-02", "2026-08-31", noon, callerrules.SyncWindow},
		{"2026-07-02", "2026-07-02", noon, callerrules.DayWindow},
		{"2026-08-31", "2026-08-31", noon, callerrules.DayWindow},
		{"2026-07-01", "2026-08-30", midnight, callerrules.SyncWindow}, // by a clock that is a little late
		{"2026-07-01", "2026-07-01", noon.Add(time.Hour), callerrules.OtherWindow},
		{"2026-09-01", "2026-09-01", noon, callerrules.OtherWindow},
		{"2026-07-02", "2026-07-09", noon, callerrules.OtherWindow},
	} {
		if got := callerrules.WindowOf(c.from, c.to, zone, c.at); got != c.want {
			t.Errorf("%s to %s: want %d, got %d", c.from, c.to, c.want, got)
		}
	}
}

func TestAll_HasEveryRuleOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range callerrules.All() {
		if seen[r.ID] || r.ID == "" || r.Title == "" || r.Clause == "" || r.Why == "" {
			t.Errorf("want a complete rule with an id of its own, got %+v", r)
		}
		seen[r.ID] = true
	}
	if len(seen) != 21 {
		t.Errorf("want 21 rules, got %d", len(seen))
	}
}
