package scenario

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
)

var answered = time.Date(2026, 7, 1, 9, 30, 0, 0, time.UTC)

// holdOf is a hold that by this machine's clock lives that long; the partner's
// clock is ahead by so much, or not known where it dates nothing.
func holdOf(life, ahead time.Duration, dated bool) *Hold {
	header := http.Header{}
	if dated {
		header.Set("Date", answered.Add(ahead).Format(http.TimeFormat))
	}
	return &Hold{
		Answered: answered, Expires: answered.Add(life), Life: life,
		Answer: &probe.Answer{Exchange: &report.Exchange{Response: &report.Response{Header: header}}},
	}
}

func TestAHoldEndsWhereBothClocksSayThatItDoes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		hold       *Hold
		live, over time.Duration // after the answer
	}{
		{"clocks that agree", holdOf(20*time.Minute, 0, true), 18*time.Minute + 30*time.Second, 21 * time.Minute},
		{"a partner that dates nothing", holdOf(20*time.Minute, 0, false), 18*time.Minute + 30*time.Second, 21 * time.Minute},
		{"a partner whose clock is ahead", holdOf(25*time.Minute, 5*time.Minute, true), 18*time.Minute + 30*time.Second, 26 * time.Minute},
		{"a partner whose clock is behind", holdOf(15*time.Minute, -5*time.Minute, true), 13*time.Minute + 30*time.Second, 20*time.Minute + 45*time.Second},
		{"a short hold", holdOf(4*time.Second, 0, true), 3 * time.Second, 5 * time.Second},
	} {
		live, over := test.hold.ends()
		if live.Sub(answered) != test.live || over.Sub(answered) != test.over {
			t.Errorf("%s: want it live until %s and over from %s on, got %s and %s", test.name, test.live, test.over, live.Sub(answered), over.Sub(answered))
		}
	}
}

// A run that moves the clock leaves it ahead, where the next run finds it.
func TestAHoldIsLiveByTheClockOfATargetThatIsHoursAhead(t *testing.T) {
	t.Parallel()
	const ahead = 5 * time.Hour
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"now":%q}`, time.Now().Add(ahead).Format(time.RFC3339Nano))
	}))
	defer target.Close()
	clock := partner.NewClock(target.URL, nil, nil)
	if err := clock.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	hold := holdOf(20*time.Minute, ahead, true)
	hold.Answered, hold.Expires = time.Now(), time.Now().Add(ahead+20*time.Minute)
	hold.Answer.Response.Header.Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
	if hold.mayBeOver(clock) {
		t.Error("Expected a hold of 20 minutes to be live when it was just made")
	}
	if hold.Expires = time.Now().Add(ahead + time.Minute); !hold.mayBeOver(clock) {
		t.Error("Expected a hold to be in doubt a minute before it expires")
	}
}

func TestOnlyHoldsThatExpireInTimeAreWorthWaitingFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		hold *Hold
		want bool
	}{
		{"half an hour", holdOf(30*time.Minute, 0, true), true},
		{"an hour", holdOf(time.Hour, 0, true), false},
		{"half an hour by a clock that is far behind", holdOf(30*time.Minute, -10*time.Minute, true), false},
		{"no expiry", &Hold{}, false},
		{"a partner without holds", holdOf(24*time.Hour, 0, true), false},
	} {
		if got := test.hold.EndsInTime(); got != test.want {
			t.Errorf("%s: want %t, got %t", test.name, test.want, got)
		}
	}
}
