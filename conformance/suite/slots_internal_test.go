package suite

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
)

func slotAt(id, start string) discover.Slot {
	begins, err := time.Parse(time.RFC3339, start)
	if err != nil {
		panic(err)
	}
	return discover.Slot{ID: id, StartText: start, Start: begins, End: begins.Add(time.Hour), Status: "AVAILABLE"}
}

func answerOf(from, to string, slots ...discover.Slot) slotAnswer {
	return slotAnswer{
		product: discover.Product{ID: "walk", Zone: time.UTC}, option: discover.Option{ID: "morning"},
		window: discover.Window{From: from, To: to}, slots: slots, exchange: &probe.Exchange{},
	}
}

// Gomega's failures are caught by state that all tests share: these tests take turns.
func TestIDsStayWithTheirSlots(t *testing.T) {
	gomega.RegisterFailHandler(func(message string, _ ...int) { t.Error(message) })
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
		c := &check{}
		failure := ""
		if err := gomega.InterceptGomegaFailure(func() {
			c.keepIDs(answerOf("2026-07-01", "2026-07-01", test.first...), answerOf("2026-07-01", "2026-07-01", test.second...))
		}); err != nil {
			failure = err.Error()
		}
		if (failure == "") != (test.says == "") || !strings.Contains(failure, test.says) {
			t.Errorf("%s: want %q, got %q", name, test.says, failure)
		}
	}
}

func TestTheLastDayWithSlotsIsNotTheWindowsOwn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		slots []discover.Slot
		want  string
	}{
		"the last before the end": {[]discover.Slot{slotAt("b", "2026-07-05T09:00:00Z"), slotAt("a", "2026-07-02T09:00:00Z"), slotAt("c", "2026-07-10T09:00:00Z")}, "2026-07-05"},
		"none but the end":        {[]discover.Slot{slotAt("c", "2026-07-10T09:00:00Z")}, ""},
		"none":                    {nil, ""},
		"none that can be read":   {[]discover.Slot{{ID: "a"}}, ""},
	} {
		got, ok := lastDay(answerOf("2026-07-01", "2026-07-10", test.slots...))
		if got.From != test.want || got.To != test.want || ok != (test.want != "") {
			t.Errorf("%s: want %q, got %v, %t", name, test.want, got, ok)
		}
	}
}

func TestAnEmptyDayLiesBetweenTheEnds(t *testing.T) {
	t.Parallel()
	second, third := slotAt("b", "2026-07-02T09:00:00Z"), slotAt("c", "2026-07-03T09:00:00Z")
	for name, test := range map[string]struct {
		from, to string
		slots    []discover.Slot
		want     string
	}{
		"the first free one": {"2026-07-01", "2026-07-05", []discover.Slot{second}, "2026-07-03"},
		"not the ends":       {"2026-07-01", "2026-07-04", []discover.Slot{second, third}, ""},
		"of an empty window": {"2026-07-01", "2026-07-05", nil, "2026-07-02"},
		"none in two days":   {"2026-07-01", "2026-07-02", nil, ""},
		"none in one day":    {"2026-07-01", "2026-07-01", nil, ""},
		"none in no window":  {"", "", nil, ""},
	} {
		got, ok := emptyDay(answerOf(test.from, test.to, test.slots...))
		if got.From != test.want || got.To != test.want || ok != (test.want != "") {
			t.Errorf("%s: want %q, got %v, %t", name, test.want, got, ok)
		}
	}
}

func TestASampleIsSpreadAndBeginsWithTheLast(t *testing.T) {
	t.Parallel()
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, test := range []struct {
		of   []int
		n    int
		want []int
	}{
		{all, 1, []int{9}}, {all, 2, []int{9, 0}}, {all, 5, []int{9, 0, 2, 4, 6}},
		{all, 10, []int{9, 0, 1, 2, 3, 4, 5, 6, 7, 8}}, {all, 100, []int{9, 0, 1, 2, 3, 4, 5, 6, 7, 8}},
		{all, 0, nil}, {all, -1, nil}, {nil, 3, nil}, {[]int{7}, 3, []int{7}},
	} {
		if got := spread(test.of, test.n); !slices.Equal(got, test.want) {
			t.Errorf("%d of %v: want %v, got %v", test.n, test.of, test.want, got)
		}
	}
}

func TestCandidatesAreOfAsManyOptionsAsPossible(t *testing.T) {
	t.Parallel()
	var candidates []discover.Offer
	for _, option := range []string{"a", "a", "a", "b", "b", "c"} {
		candidates = append(candidates, discover.Offer{Option: discover.Option{ID: option}})
	}
	for n, want := range map[int]string{0: "", 2: "ab", 3: "abc", 5: "abcaa", 6: "abcaab", 9: "abcaab"} {
		got := ""
		for _, offer := range varied(candidates, n) {
			got += offer.Option.ID
		}
		if got != want {
			t.Errorf("%d candidates: want those of the options %s, got %s", n, want, got)
		}
	}
}
