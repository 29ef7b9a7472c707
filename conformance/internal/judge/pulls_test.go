package judge

import (
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
)

func TestAPullOfChangesHasWhatChangedAndNothingElse(t *testing.T) {
	t.Parallel()
	since := time.Date(2027, 1, 10, 12, 0, 0, 0, time.UTC)
	product := func(id string, after time.Duration) discover.Product {
		return discover.Product{ID: id, UpdatedAt: since.Add(after)}
	}
	before, at, later := product("before", -time.Hour), product("at", 0), product("later", time.Hour)
	unobserved := discover.Product{ID: "unobserved"}
	all := []discover.Product{before, at, later, unobserved}
	for _, test := range []struct {
		name string
		got  []discover.Product
		says string // "": nothing
	}{
		{"everything: the moment is ignored", all, ""},
		{"what changed", []discover.Product{later}, ""},
		{"what changed, and what tells no time", []discover.Product{later, unobserved}, ""},
		{"what changed before", []discover.Product{before, later}, `"before": expected only what was modified after`},
		{"what changed at that moment", []discover.Product{at, later}, `"at"`},
		{"nothing", nil, `"later": expected it among`},
	} {
		changes := scenario.Changes{Since: since, Catalog: scenario.Catalog{Products: test.got, Answer: answer(200, "[]")}}
		finds(t, test.name, checkChangedProducts(&scenario.Pulls{First: all}, changes), outcomeOf(test.says), test.says)
	}
	nothing := scenario.Changes{Since: since, Catalog: scenario.Catalog{Answer: answer(200, "[]")}}
	finds(t, "a partner that tells no times", checkChangedProducts(&scenario.Pulls{First: []discover.Product{unobserved, {ID: "b"}}}, nothing), report.Outcome(""), "")
	for name, again := range map[string][]discover.Product{
		"a product that is gone":      {before, at, unobserved},
		"a product that has a new id": {before, at, product("later-2", time.Hour), unobserved},
	} {
		pulls := &scenario.Pulls{First: all, Full: []scenario.Catalog{{Products: all}, {Products: again}}}
		finds(t, name, checkChangedProducts(pulls, nothing), report.Outcome(""), "")
	}
}
