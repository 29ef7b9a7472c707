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

// A rule never passes against the evidence of its own recording: seats above the capacity are explained by a rule about
// seats, or are a breach.
func TestVerdicts_ExplainSeatsThatWereReturnedTooOften(t *testing.T) {
	t.Parallel()
	answer := slotsAnswer("a")
	seats := func(left int64) discover.Slot {
		slot, capacity := answer.Slots[0], int64(3)
		slot.Vacancies, slot.Capacity = &left, &capacity
		return slot
	}
	for _, test := range []struct {
		name   string
		left   int64
		broken *rule.Rule
		want   report.Outcome
	}{
		{"no seat too many", 3, &rule.ReleaseVacanciesOne, report.Passed},
		{"a release that returns seats twice", 4, &rule.ReleaseVacanciesOne, report.Blocked},
		{"a breach that has nothing to do with seats", 4, &rule.ReleaseStatus, report.Warned},
		{"no other breach", 4, nil, report.Warned},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fields, verdicts := NewFields(strings.Clone).Remember(), NewVerdicts(strings.Clone)
			fields.Slots(answer)
			fields.Slot(answer, 0, seats(test.left), map[string]any{"id": "a", "vacancies": test.left}, nil)
			verdicts.Record(rule.SlotWithinCapacity, Finding{}, 0)
			if test.broken != nil {
				verdicts.Record(*test.broken, Breach("it is broken"), 0)
			}
			verdicts.Settle(fields, nil)
			if got := verdicts.Get(rule.SlotWithinCapacity.ID); got.Outcome != test.want {
				t.Errorf("want %s, got %s: %s", test.want, got.Outcome, got.Message)
			}
		})
	}
}
