package scenario

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/noise"
	"partnerkit.dev/conformance/report"
)

// lookAt is a look at a slot, so many milliseconds after the first.
func lookAt(ms int, left int64, w *noise.Watch) *Reading {
	look := Look{Left: left, Exchange: &report.Exchange{StartedAt: time.Unix(0, 0).Add(time.Duration(ms) * time.Millisecond)}}
	return &Reading{Counted: true, First: look, Last: look, Watch: w}
}

func TestSeatsThatChangeWhileTheSuiteIsIdleAreAnotherCustomers(t *testing.T) {
	t.Parallel()
	s := &Seats{moved: map[string]int{}}
	w := &noise.Watch{}
	read := lookAt(0, 5, w)
	if !s.recordLook(read, lookAt(30, 5, w)) || s.recordLook(read, lookAt(50, 4, w)) {
		t.Error("want a report whether the seats moved")
	}
	if w.Lasted != 80*time.Millisecond || w.Moves != 1 || s.moved[read.Offer.Key()] != 1 {
		t.Errorf("want one move in 80 ms, got %+v, %v", w, s.moved)
	}
}

func TestTheSlotsThatHaveMovedSinceTheSurveyAreRemembered(t *testing.T) {
	t.Parallel()
	seats := func(id string, left int64) discover.Slot {
		slot := slotAt(id, "2026-07-0"+id+"T09:00:00Z")
		slot.Vacancies = &left
		return slot
	}
	offer := func(slot discover.Slot) discover.Offer {
		return discover.Offer{Product: discover.Product{ID: "walk"}, Option: discover.Option{ID: "morning"}, Slot: slot}
	}
	ours, calm, busy, gone := offer(seats("1", 9)), offer(seats("2", 9)), offer(seats("3", 9)), offer(seats("4", 9))
	s := &Seats{
		moved: map[string]int{}, used: map[string]bool{ours.Key(): true},
		survey: &Survey{Offers: []discover.Offer{ours, calm, busy, gone}},
	}
	s.compare(busy.OptionKey(), []discover.Slot{seats("1", 8), seats("2", 9), seats("3", 7)})
	s.compare(busy.OptionKey(), []discover.Slot{seats("1", 8), seats("2", 9), seats("3", 9)})
	if len(s.moved) != 1 || s.moved[busy.Key()] != 2 {
		t.Errorf("want the slot that others were at, twice, got %v", s.moved)
	}
	best := discover.Pick(s.survey.Offers, discover.Want{Seats: 1, Moved: s.moved})
	if len(best) > 0 && best[len(best)-1].Slot.ID != busy.Slot.ID {
		t.Errorf("want it picked last, got %v", best)
	}
}

func TestASlotThatOneAnswerLackedIsReportedUnlessOthersMayHaveHadItsSeats(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		seats    string
		others   int // how often other customers were seen, all of them later in the run
		reported int
	}{
		{"no one else is seen", `"status":"AVAILABLE","vacancies":1`, 0, 1},
		{"others are seen later", `"status":"AVAILABLE","vacancies":1`, 1, 0},
		{"others cannot be seen, as the seats are not counted", `"status":"AVAILABLE"`, 0, 0},
		{"others are seen, but the slot has no seats to take", `"status":"FREESALE"`, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			answers := []string{"[]", `[{"id":"s","localDateTimeStart":"2026-07-01T10:00:00Z","localDateTimeEnd":"2026-07-01T11:00:00Z",` + test.seats + `}]`}
			p := playerAt(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, answers[0])
				answers = answers[1:]
			}), 0)
			offer := discover.Offer{
				Product: discover.Product{ID: "walk", Zone: time.UTC}, Option: discover.Option{ID: "morning", Units: []discover.Unit{{ID: "adult"}}},
				Slot: slotAt("s", "2026-07-01T10:00:00Z"),
			}
			if _, stop := p.Seats.Look(t.Context(), offer, "before reserve"); stop != nil {
				t.Fatal(stop)
			}
			p.Seats.run.Moves = test.others
			p.Seats.ReportVanished()
			if reported := p.Seats.read.observer.(*countingObserver).vanished; reported != test.reported {
				t.Errorf("want %d reported, got %d", test.reported, reported)
			}
		})
	}
}

func slotAt(id, start string) discover.Slot {
	begins, err := time.Parse(time.RFC3339, start)
	if err != nil {
		panic(err)
	}
	return discover.Slot{ID: id, StartText: start, Start: begins, End: begins.Add(time.Hour), Status: "AVAILABLE"}
}

func answerOf(from, to string, slots ...discover.Slot) SlotAnswer {
	return SlotAnswer{
		Question: Question{
			Product: discover.Product{ID: "walk", Zone: time.UTC}, Option: discover.Option{ID: "morning"}, Window: discover.Window{From: from, To: to},
		},
		Slots: slots, Exchange: &report.Exchange{},
	}
}

func TestSlotsAreFoundAgainByIDElseByTime(t *testing.T) {
	t.Parallel()
	nine, ten := slotAt("nine", "2026-07-01T09:00:00Z"), slotAt("ten", "2026-07-01T10:00:00Z")
	for name, test := range map[string]struct {
		wanted discover.Slot
		want   string
	}{
		"by its id":                  {ten, "ten"},
		"by its id, though it moved": {slotAt("ten", "2026-07-01T09:00:00Z"), "ten"},
		"by its time":                {slotAt("new", "2026-07-01T12:00:00+03:00"), "nine"},
		"not at all":                 {slotAt("new", "2026-07-01T11:00:00Z"), ""},
		"not without a time":         {discover.Slot{ID: "new"}, ""},
	} {
		got, ok := find([]discover.Slot{nine, ten, {ID: "broken"}}, test.wanted)
		if got.ID != test.want || ok != (test.want != "") {
			t.Errorf("%s: want %q, got %q, %t", name, test.want, got.ID, ok)
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
		if got, _ := emptyDay(answerOf(test.from, test.to, test.slots...)); got != test.want {
			t.Errorf("%s: Expected %q, received %q", name, test.want, got)
		}
	}
}

func TestAnEmptyDayIsPreferredWhoseWeekdayHasSlots(t *testing.T) {
	t.Parallel()
	wednesdays := []discover.Slot{slotAt("a", "2026-07-01T09:00:00Z"), slotAt("b", "2026-07-15T09:00:00Z")}
	if got, gap := emptyDay(answerOf("2026-07-01", "2026-07-20", wednesdays...)); got != "2026-07-08" || !gap {
		t.Errorf("Expected the Wednesday without slots, received %q, %t", got, gap)
	}
	if got, gap := emptyDay(answerOf("2026-07-01", "2026-07-07", wednesdays[0])); got != "2026-07-02" || gap {
		t.Errorf("Expected the first day without slots, received %q, %t", got, gap)
	}
}
