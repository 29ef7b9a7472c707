package judge

import (
	"net/http"
	"testing"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
)

func TestPartiesAtTheDeclaredLimitsAreJudgedByTheirAnswers(t *testing.T) {
	t.Parallel()
	tried := func(guests int64, status int) scenario.TriedParty {
		return scenario.TriedParty{Guests: guests, Answer: &probe.Answer{Exchange: &report.Exchange{Response: &report.Response{Status: status}}}}
	}
	const held, refused = http.StatusOK, http.StatusBadRequest
	passes, fails, open := report.Outcome(""), report.Failed, report.Inconclusive
	both := discover.Limits{Min: 2, Max: 6}
	others := tried(6, refused)
	others.Taken = true
	for name, c := range map[string]struct {
		played          scenario.LimitedOption
		limits          discover.Limits
		within, outside report.Outcome
	}{
		"kept":                          {scenario.LimitedOption{Within: []scenario.TriedParty{tried(2, held), tried(6, held)}, Outside: []scenario.TriedParty{tried(1, refused), tried(7, refused)}}, both, passes, passes},
		"a smaller party is held":       {scenario.LimitedOption{Within: []scenario.TriedParty{tried(2, held), tried(6, held)}, Outside: []scenario.TriedParty{tried(1, held), tried(7, refused)}}, both, passes, fails},
		"a larger party is held":        {scenario.LimitedOption{Within: []scenario.TriedParty{tried(2, held), tried(6, held)}, Outside: []scenario.TriedParty{tried(1, refused), tried(7, 201)}}, both, passes, fails},
		"a larger party is a conflict":  {scenario.LimitedOption{Within: []scenario.TriedParty{tried(2, held), tried(6, held)}, Outside: []scenario.TriedParty{tried(1, refused), tried(7, 409)}}, both, passes, fails},
		"the largest is refused":        {scenario.LimitedOption{Within: []scenario.TriedParty{tried(2, held), tried(6, refused)}, Outside: []scenario.TriedParty{tried(1, refused), tried(7, refused)}}, both, fails, passes},
		"the smallest is refused":       {scenario.LimitedOption{Within: []scenario.TriedParty{tried(1, refused), tried(6, held)}, Outside: []scenario.TriedParty{tried(7, refused)}}, discover.Limits{Max: 6}, fails, passes},
		"every party is refused":        {scenario.LimitedOption{Within: []scenario.TriedParty{tried(2, refused), tried(6, refused)}, Outside: []scenario.TriedParty{tried(1, refused), tried(7, refused)}}, both, open, passes},
		"others took the seats":         {scenario.LimitedOption{Within: []scenario.TriedParty{tried(2, held), others}, Outside: []scenario.TriedParty{tried(1, refused), tried(7, refused)}}, both, open, passes},
		"too few seats for the largest": {scenario.LimitedOption{Within: []scenario.TriedParty{tried(2, held)}, Outside: []scenario.TriedParty{tried(1, refused)}, Untried: "no seats"}, both, open, open},
		"a smallest party alone":        {scenario.LimitedOption{Within: []scenario.TriedParty{tried(3, held)}, Outside: []scenario.TriedParty{tried(2, refused)}}, discover.Limits{Min: 3}, passes, passes},
	} {
		c.played.Offer.Option.Limits = c.limits
		all := []*scenario.LimitedOption{&c.played}
		if got := limitsKept(all, withinLimits); got.Outcome != c.within {
			t.Errorf("%s, within: want %q, got %q %s", name, c.within, got.Outcome, got.Message)
		}
		if got := limitsKept(all, outsideLimits); got.Outcome != c.outside {
			t.Errorf("%s, outside: want %q, got %q %s", name, c.outside, got.Outcome, got.Message)
		}
	}
	if got := limitsKept(nil, withinLimits); got.Outcome != open || got.Remedy == "" {
		t.Errorf("want no verdict where nothing can be booked, got %+v", got)
	}
}
