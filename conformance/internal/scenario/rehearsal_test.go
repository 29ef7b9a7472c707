package scenario

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/internal/pipetest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// atSlowMock calls play with a player at the mock partner, each of whose answers takes so long, in a bubble: its time passes
// only while everything waits.
func atSlowMock(t *testing.T, answersTake time.Duration, play func(t *testing.T, p *Player)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		mock, err := mockpartner.New(mockpartner.Options{AuthKey: "a-test-key"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(mock.Close)
		slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(answersTake) // of the bubble
			mock.ServeHTTP(w, r)
		})
		client := probe.NewClient(probe.Config{
			BaseURL: &url.URL{Scheme: "http", Host: "partner.example"}, AuthType: partnerapi.Bearer, AuthKey: "a-test-key", Dial: pipetest.Serve(t, slow),
		})
		t.Cleanup(client.Close)
		p := NewPlayer(Config{
			Client: client, Ledger: ledger.New(), Clock: partner.NewClock("", nil, nil), Time: partner.NewTime(context.Background(), 150*time.Second),
			Bounds: Bounds{MaxHolds: 500, MaxBookings: 200}, LimitScale: 1, Observer: &countingObserver{}, Depth: plan.Standard,
		})
		PlaySurvey(t.Context(), p, 0)
		play(t, p)
	})
}

func never(Story) bool { return false }

func TestStoriesArePlayedAtTheSameTimeOnlyWhereThatIsNeededAndShowsNothingElse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		takes  time.Duration
		change func(*Player)
		want   int
	}{
		{"a quick partner", 2 * time.Millisecond, func(*Player) {}, 1},
		{"a slow one", 100 * time.Millisecond, func(*Player) {}, partner.MostCallers},
		{"one that serves one after another in time", 2 * time.Second, func(*Player) {}, 2},
		{"other customers book too", 100 * time.Millisecond, func(p *Player) { p.Seats.run.Moves = 1 }, 1},
		{"slots share their seats", 100 * time.Millisecond, func(p *Player) { p.Seats.sharing = true }, 1},
		{"no concurrent calls are wanted", 100 * time.Millisecond, func(p *Player) { p.NoRaces = true }, 1},
		{"few slots", 100 * time.Millisecond, func(p *Player) { p.survey.Offers = p.survey.Offers[:5] }, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			atSlowMock(t, test.takes, func(t *testing.T, p *Player) {
				PlayBooking(t.Context(), p, 0)
				if test.change(p); p.StoriesAtOnce() != test.want {
					t.Errorf("Expected %d stories, received %d", test.want, p.StoriesAtOnce())
				}
			})
		})
	}
}

func TestARehearsedStoryIsPlayedOnceAndADoubtfulOneAgainByItself(t *testing.T) {
	t.Parallel()
	for _, doubtful := range []bool{false, true} {
		atSlowMock(t, 100*time.Millisecond, func(t *testing.T, p *Player) {
			PlayBooking(t.Context(), p, 0)
			began, calls := time.Now(), p.Client.Calls()
			Rehearse(t.Context(), p, func(Story) bool { return doubtful })
			made := p.Client.Calls() - calls
			if took, alone := time.Since(began), time.Duration(made)*100*time.Millisecond; made < 50 || took > alone/3 {
				t.Errorf("Expected the lifecycles of the rules, several at the same time, received %d calls in %s", made, took)
			}
			calls = p.Client.Calls()
			holding := PlayHolding(t.Context(), p, 0)
			if holding.Stop != nil || holding.Release == nil {
				t.Fatalf("Expected a complete hold, received %+v", holding.Stop)
			}
			if again := p.Client.Calls() > calls; again != doubtful {
				t.Errorf("Expected a story played again only if it is doubtful, %t, received %d calls", doubtful, p.Client.Calls()-calls)
			}
		})
	}
}

func TestStoriesAtTheSameTimeUseSlotsOfTheirOwn(t *testing.T) {
	t.Parallel()
	atSlowMock(t, 100*time.Millisecond, func(t *testing.T, p *Player) {
		PlayBooking(t.Context(), p, 0)
		var offers []string
		doubts := func(s Story) bool {
			acts, _ := s.PlayedActs()
			offers = append(offers, acts[0].Offer.Key())
			return false
		}
		Rehearse(t.Context(), p, doubts)
		slices.Sort(offers)
		if apart := slices.Compact(slices.Clone(offers)); len(apart) != len(offers) || len(offers) < 8 {
			t.Errorf("Expected a slot for each story, received %q", offers)
		}
	})
}

func TestHoldsThatAreCheckedLateAreMadeAtTheSameTimeAtASlowPartner(t *testing.T) {
	t.Parallel()
	atSlowMock(t, 100*time.Millisecond, func(t *testing.T, p *Player) {
		PlayBooking(t.Context(), p, 0)
		began, calls := time.Now(), p.Client.Calls()
		KeepSome(t.Context(), p, never)
		made := p.Client.Calls() - calls
		if took := time.Since(began); made < 30 || took > time.Duration(made)*50*time.Millisecond {
			t.Errorf("Expected holds in all states, several at the same time, received %d calls in %s", made, took)
		}
		for _, state := range EarlyStates(EarlyGuest) {
			if kept := PlayKept(state, EarlyGuest)(t.Context(), p, 0); kept.Stop != nil || kept.Seen == nil {
				t.Errorf("Expected what was %s checked again, received %+v", state, kept.Stop)
			}
		}
	})
}

func TestAWindowIsReadInThePartsThatShowMost(t *testing.T) {
	t.Parallel()
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	long := SlotAnswer{Question: Question{Product: discover.Product{ID: "walk", Zone: lisbon}, Option: discover.Option{ID: "tour"}, Window: discover.Window{From: "2026-10-01", To: "2026-11-29"}}}
	for day := 1; day <= 28; day++ { // no slots on Mondays
		if start := time.Date(2026, time.October, day, 9, 0, 0, 0, lisbon); start.Weekday() != time.Monday {
			long.Slots = append(long.Slots, discover.Slot{ID: start.String(), Start: start})
		}
	}
	parts := partsOf(long)
	want := []discover.Window{{From: "2026-11-29", To: "2026-11-29"}, {From: "2026-10-01", To: "2026-10-30"}, {From: "2026-10-31", To: "2026-11-29"}}
	if !slices.Equal(parts[:3], want) {
		t.Errorf("Expected the last day and the two halves first, received %v", parts[:3])
	}
	for _, day := range []string{"2026-10-01", "2026-10-28", "2026-10-25", "2026-10-31", "2026-11-01", "2026-10-05"} {
		if !slices.Contains(parts, discover.Window{From: day, To: day}) {
			t.Errorf("Expected %s, as a first or last day, one with a clock change or one without slots, received %v", day, parts)
		}
	}
	seen := map[discover.Window]bool{}
	for _, part := range parts {
		if seen[part] || part == long.Window || part.From < long.Window.From || part.To > long.Window.To || part.From > part.To {
			t.Errorf("Expected parts of the window, each once, received %v", part)
		}
		seen[part] = true
	}
	if parts := partsOf(SlotAnswer{Question: long.Question}); parts != nil {
		t.Errorf("Expected no parts of a window without slots, received %v", parts)
	}
}

func TestPartsAreReadInTurn(t *testing.T) {
	t.Parallel()
	atSlowMock(t, 100*time.Millisecond, func(t *testing.T, p *Player) {
		began := time.Now()
		parts := PlayParts(t.Context(), p, 0)
		n := len(parts.Days) + len(parts.Spans)
		if took := time.Since(began); n < 60 || took > time.Duration(n)*25*time.Millisecond {
			t.Errorf("Expected many parts, several at the same time, received %d in %s", n, took)
		}
		options := map[string]int{}
		for _, seen := range parts.Instances() {
			options[seen[plan.Option]]++
		}
		if len(options) < 8 {
			t.Errorf("Expected parts of many options, received %v", options)
		}
	})
}
