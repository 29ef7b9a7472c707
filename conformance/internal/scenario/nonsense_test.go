package scenario

import (
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// sensible is a reserve as the marketplace sends it.
var sensible = partnerapi.ReserveRequest{
	ProductID: "walk", OptionID: "morning", AvailabilityID: "s-1",
	Units: []partnerapi.UnitQuantity{{ID: "unit-adult", Quantity: 1}}, Contact: &partner.Contact,
}

func TestNoPieceOfNonsenseIsWhatTheMarketplaceSends(t *testing.T) {
	t.Parallel()
	whole := string(partner.Encode(sensible))
	seen := map[string]bool{}
	for _, n := range append(nonsenseOf(sensible, "availabilityId"), contactNonsense(sensible)...) {
		if string(n.body) == whole && n.bodyType == "" {
			t.Errorf("%s: want another body, or one that is declared as something else", n.what)
		}
		if seen[n.what] {
			t.Errorf("want each piece to have words of its own, got %q twice", n.what)
		}
		seen[n.what] = true
	}
	if n := nonsenseOf(sensible, "availabilityId")[8]; !json.Valid(n.body) || strings.Count(string(n.body), `"availabilityId":`) != 2 {
		t.Errorf("want the field twice, got %s", n.body)
	}
}

func TestNonsenseEndsWithAnAnswerThatDoesNotCome(t *testing.T) {
	t.Parallel()
	all := slices.Repeat([]malformedBody{{what: "nonsense"}}, 20)
	for _, test := range []struct {
		name   string
		few    int
		late   int32 // the call that is not answered
		slow   int32 // the call after which nothing else is answered
		sent   int
		silent time.Duration
	}{
		{"a few at a time", partner.FewCallers, 6, 0, 8, 0},
		{"one at a time", 1, 6, 0, 6, 0},
		{"one that stops the partner", 1, 0, 3, 3, 5 * time.Second},
		{"all answered", 1, 0, 0, 20, 0},
	} {
		var calls, now atomic.Int32
		sent, stop := tryAll(test.few, all, func(n malformedBody) (MalformedRequest, *partner.Stop) {
			if now.Add(1) > 1 && test.few == 1 {
				t.Errorf("%s: want one call after the other", test.name)
			}
			defer now.Add(-1)
			exchange := &report.Exchange{}
			switch calls.Add(1) {
			case test.late:
				exchange.Failure = &report.Failure{Kind: report.Timeout}
			case test.slow:
				exchange.Duration = time.Second
			}
			return MalformedRequest{What: n.what, Answer: &probe.Answer{Exchange: exchange}}, nil
		}, func() time.Duration { return test.silent })
		if stop != nil || len(sent) != test.sent || sent[len(sent)-1].Silent != test.silent {
			t.Errorf("%s: want %d calls, the last followed by silence for %s, got %d, %+v", test.name, test.sent, test.silent, len(sent), stop)
		}
	}
}
