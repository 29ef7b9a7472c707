package partner_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

var calls = map[string]partner.Observation{
	"ok": {Result: partner.ResultOK, Status: 200}, "timeout": {Result: partner.ResultTimeout}, "transport": {Result: partner.ResultTransport},
	"unreadable": {Result: partner.ResultUnreadable, Status: 200}, "401": {Result: partner.ResultStatus, Status: 401}, "403": {Result: partner.ResultStatus, Status: 403},
	"404": {Result: partner.ResultStatus, Status: 404}, "409": {Result: partner.ResultStatus, Status: 409}, "429": {Result: partner.ResultStatus, Status: 429},
	"500": {Result: partner.ResultStatus, Status: 500}, "302": {Result: partner.ResultStatus, Status: 302},
}

func healthAfter(names ...string) (h partner.Health) {
	for _, name := range names {
		h = h.After(calls[name])
	}
	return h
}

// The state depends only on the calls since the last change.
func TestTheStateFollowsFromTheCalls(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(maps.Keys(calls))
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.SampledFrom(names)).Draw(t, "calls")
		state, bad, good, failures := partnerapi.Healthy, 0, 0, int64(0)
		for _, name := range list {
			switch name {
			case "ok":
				bad = 0
				good++
			case "404", "409": // the partner works, and refuses
				failures++
			default:
				good = 0
				bad++
				failures++
			}
			if bad >= 3 {
				state = partnerapi.Degraded
			}
			if good >= 2 {
				state = partnerapi.Healthy
			}
		}
		got := healthAfter(list...)
		if len(list) > 0 && (got.State != state || got.FailureCount != failures) {
			t.Fatalf("want %s with %d failures, got %s with %d", state, failures, got.State, got.FailureCount)
		}
	})
}

// The stored health omits only good answers that are a moment newer.
func TestTheStoredHealthMatchesTheHealthAfterEveryCall(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(maps.Keys(calls))
	rapid.Check(t, func(t *rapid.T) {
		var every, stored partner.Health
		at := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
		for range rapid.IntRange(0, 40).Draw(t, "calls") {
			at = at.Add(time.Duration(rapid.IntRange(0, 45).Draw(t, "seconds")) * time.Second)
			call := calls[rapid.SampledFrom(names).Draw(t, "call")]
			call.At = at
			every = every.After(call)
			if after := stored.After(call); after.WorthStoring(stored) {
				stored = after
			}
			if late := every.LastOKAt.Sub(stored.LastOKAt); late < 0 || late >= time.Minute {
				t.Fatalf("want the last good answer of %s to the minute, got %s", every.LastOKAt, stored.LastOKAt)
			}
			reported := stored
			reported.LastOKAt = every.LastOKAt
			if reported != every {
				t.Fatalf("want %+v, got %+v", every, stored)
			}
		}
	})
}

func TestTheLastGoodAnswerIsRememberedWhateverIsReportedAfterwards(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	h := partner.Health{}.After(partner.Observation{At: at, Result: partner.ResultOK}).After(partner.Observation{At: at.Add(-time.Minute), Result: partner.ResultOK}).After(calls["500"])
	if !h.LastOKAt.Equal(at) {
		t.Errorf("want %s, got %s", at, h.LastOKAt)
	}
}
