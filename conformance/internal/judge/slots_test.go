package judge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// slotsAnswer returns an answer that shows slots of these ids, a day apart, from the day after
// tomorrow on. An empty id leaves its day out.
func slotsAnswer(ids ...string) scenario.SlotAnswer {
	now := time.Now()
	in := scenario.SlotAnswer{
		Question: scenario.Question{Product: discover.Product{ID: "p", Zone: time.UTC}, Option: discover.Option{ID: "o"}, Window: discover.Lookahead(now, time.UTC)},
		Exchange: &report.Exchange{StartedAt: now},
	}
	for day, id := range ids {
		if id == "" {
			continue
		}
		start := now.Truncate(24*time.Hour).AddDate(0, 0, day+2)
		in.Slots = append(in.Slots, discover.Slot{ID: id, Start: start, End: start.Add(time.Hour), Status: partnerapi.StatusAvailable})
	}
	return in
}

func slotIDs(n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprint("slot-", i))
	}
	return ids
}

func TestFields_CompareAllAnswersAboutSlots(t *testing.T) {
	t.Parallel()
	all := slotIDs(leastGone + 1)
	changed := func(n int) []string {
		ids := slotIDs(leastGone + 1)
		for i := range n {
			ids[i] += "-new"
		}
		return ids
	}
	for _, test := range []struct {
		name    string
		answers [][]string
		broken  string
	}{
		{"the same ids", [][]string{all, all}, ""},
		{"two slots have other ids", [][]string{all, changed(2)}, rule.SlotPermanent.ID},
		{"one slot is replaced by another", [][]string{all, changed(1)}, ""},
		{"an id moves to another slot, twice", [][]string{{"a", "b"}, {"", "", "a", "b"}}, rule.SlotPermanent.ID},
		{"many slots are missing once", [][]string{all, nil, all}, rule.OneDay.ID},
		{"many slots are missing for good", [][]string{all, nil, nil}, ""},
		{"few slots are missing once", [][]string{all[:3], nil, all[:3]}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fields := NewFields(strings.Clone).Remember()
			for _, ids := range test.answers {
				fields.Slots(slotsAnswer(ids...))
			}
			for _, r := range []rule.Rule{rule.SlotPermanent, rule.OneDay} {
				if broke := fields.Finding(r.ID).Outcome != ""; broke != (r.ID == test.broken) {
					t.Errorf("%s: want broken %t, got %t", r.ID, r.ID == test.broken, broke)
				}
			}
		})
	}
}

func TestFields_CompareNothingUnlessTheyRemember(t *testing.T) {
	t.Parallel()
	fields := NewFields(strings.Clone)
	fields.Slots(slotsAnswer("a", "b"))
	fields.Slots(slotsAnswer("c", "d"))
	if f := fields.Finding(rule.SlotPermanent.ID); f.Outcome != "" {
		t.Errorf("want no finding, got %+v", f)
	}
}

func TestFields_ReportSlotsThatOneAnswerLacks(t *testing.T) {
	t.Parallel()
	fields := NewFields(strings.Clone).Remember()
	shown := slotsAnswer("a")
	for n := 1; n <= leastVanished; n++ {
		fields.ObserveVanished(slotsAnswer(), shown.Slots[0])
		if broke := fields.Finding(rule.OneDay.ID).Outcome != ""; broke != (n == leastVanished) {
			t.Errorf("after %d of them want broken %t, got %t", n, n == leastVanished, broke)
		}
	}
}
