package judge

import (
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
)

func slotAt(id, start string) discover.Slot {
	begins, err := time.Parse(time.RFC3339, start)
	if err != nil {
		panic(err)
	}
	return discover.Slot{ID: id, StartText: start, Start: begins, End: begins.Add(time.Hour), Status: "AVAILABLE"}
}

func answerOf(from, to string, slots ...discover.Slot) scenario.SlotAnswer {
	return scenario.SlotAnswer{
		Question: scenario.Question{
			Product: discover.Product{ID: "walk", Zone: time.UTC}, Option: discover.Option{ID: "morning"}, Window: discover.Window{From: from, To: to},
		},
		Slots: slots, Exchange: &probe.Exchange{},
	}
}

func TestIDsStayWithTheirSlots(t *testing.T) {
	t.Parallel()
	nine, ten := "2026-07-01T09:00:00Z", "2026-07-01T10:00:00Z"
	for name, test := range map[string]struct {
		first, second []discover.Slot
		says          string // "": they stay
	}{
		"the same":               {[]discover.Slot{slotAt("a", nine)}, []discover.Slot{slotAt("a", nine)}, ""},
		"another order":          {[]discover.Slot{slotAt("a", nine), slotAt("b", ten)}, []discover.Slot{slotAt("b", ten), slotAt("a", nine)}, ""},
		"another offset":         {[]discover.Slot{slotAt("a", nine)}, []discover.Slot{slotAt("a", "2026-07-01T11:00:00+02:00")}, ""},
		"one gone":               {[]discover.Slot{slotAt("a", nine), slotAt("b", ten)}, []discover.Slot{slotAt("b", ten)}, ""},
		"one new":                {[]discover.Slot{slotAt("a", nine)}, []discover.Slot{slotAt("a", nine), slotAt("b", ten)}, ""},
		"two at a time, swapped": {[]discover.Slot{slotAt("a", nine), slotAt("b", nine)}, []discover.Slot{slotAt("b", nine), slotAt("a", nine)}, ""},
		"another id":             {[]discover.Slot{slotAt("a", nine)}, []discover.Slot{slotAt("x", nine)}, `keep its id "a", got "x"`},
		"ids by position":        {[]discover.Slot{slotAt("0", nine), slotAt("1", ten)}, []discover.Slot{slotAt("0", ten)}, `want id "0" to stay`},
		"one of two at a time":   {[]discover.Slot{slotAt("a", nine), slotAt("b", nine)}, []discover.Slot{slotAt("a", nine), slotAt("c", nine)}, `keep its id "b", got "c"`},
	} {
		failure := keepsIDs(answerOf("2026-07-01", "2026-07-01", test.first...), answerOf("2026-07-01", "2026-07-01", test.second...)).Message
		if (failure == "") != (test.says == "") || !strings.Contains(failure, test.says) {
			t.Errorf("%s: want %q, got %q", name, test.says, failure)
		}
	}
}
