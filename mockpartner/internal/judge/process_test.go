package judge_test

import (
	"net/http"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/judge"
)

// callBy returns a call from a process that names itself, at that time after noon.
func callBy(process string, after time.Duration, e client.Exchange) client.Exchange {
	e.Arrived, e.At = noon.Add(after), noon.Add(after)
	e.Authorized = true
	e.Request.Header = http.Header{"Content-Type": {"application/json"}, "User-Agent": {"shop/2.1 (instance " + process + ")"}}
	return e
}

// releaseCalls are releases by a process, one a second, from one moment until another.
func releaseCalls(process string, from, until time.Duration) (list []client.Exchange) {
	for at := from; at <= until; at += time.Second {
		list = append(list, callBy(process, at, answeredExchange("DELETE", "/bookings/other", "", "", time.Millisecond)))
	}
	return list
}

// A process that can be killed or paused at any moment is not blamed for what it may not
// have read or written down; one that goes on is.
func TestOnlyAProcessThatGoesOnIsBlamedForWhatItWasAnswered(t *testing.T) {
	t.Parallel()
	const second = time.Second
	reserve := callBy("a", 0, answeredExchange("POST", "/bookings/reserve", party("x", "b-1", two), `{"reservationConfirmationCode":"c","expiresAt":"2026-07-01T12:20:00Z"}`, time.Millisecond))
	confirm := func(process string, after time.Duration) client.Exchange {
		return callBy(process, after, answeredExchange("POST", "/bookings/confirm", confirmBody("c"), `{"externalBookingId":"x"}`, time.Millisecond))
	}
	early := callBy("a", 2*second, abandonedExchange("POST", "/bookings/confirm", confirmBody("c"), second))
	slots := func(process string, after time.Duration) client.Exchange {
		return callBy(process, after, answeredExchange("POST", "/availability", window(today, lastDay), "[]", time.Millisecond))
	}
	twice := func(process string, after time.Duration, between ...client.Exchange) []client.Exchange {
		return append(append([]client.Exchange{reserve, confirm("a", second)}, between...), confirm(process, after))
	}
	var looking []client.Exchange
	for at := range 30 {
		looking = append(looking, callBy("a", time.Duration(at)*second, answeredExchange("GET", "/products?limit=1", "", `[]`, time.Millisecond)))
	}
	for name, c := range map[string]struct {
		rule  string
		calls []client.Exchange
		want  client.Outcome
	}{
		"it left and did not call again":                             {"call.patient", []client.Exchange{reserve, early}, client.NotJudged},
		"it left, and what it had sent before arrived":               {"call.patient", append([]client.Exchange{reserve, early}, releaseCalls("a", 3*second, 5*second)...), client.NotJudged},
		"it left and went on":                                        {"call.patient", append([]client.Exchange{reserve, early}, releaseCalls("a", 8*second, 8*second)...), client.Broken},
		"it left, and another process went on":                       {"call.patient", append([]client.Exchange{reserve, early}, releaseCalls("b", 8*second, 8*second)...), client.NotJudged},
		"it was answered with a hold and did not call again":         {"release.owed", []client.Exchange{reserve}, client.NotJudged},
		"it was answered with a hold and died within twenty seconds": {"release.owed", append([]client.Exchange{reserve}, releaseCalls("a", second, 19*second)...), client.NotJudged},
		"it was answered with a hold and went on":                    {"release.owed", append([]client.Exchange{reserve}, releaseCalls("a", second, 20*second)...), client.Broken},
		"it was answered with a hold and looks at slots only":        {"release.owed", append([]client.Exchange{reserve}, looking...), client.NotJudged},
		"another process confirms again immediately":                 {"confirm.once", twice("b", 4*second), client.Broken},
		"another process confirms again for it":                      {"confirm.once", twice("b", 30*second), client.Kept},
		"it was paused, and another process confirms for it":         {"confirm.once", twice("b", 40*second, releaseCalls("a", 2*second, 20*second)...), client.Kept},
		"it went on, and another process confirms again":             {"confirm.once", twice("b", 40*second, releaseCalls("a", 2*second, 21*second)...), client.Broken},
		"it confirms again immediately":                              {"confirm.once", twice("a", 2*second), client.Broken},
		"slots are asked for again for one that died":                {"availability.once-per-sync", []client.Exchange{slots("a", 0), slots("b", 60*second)}, client.NotJudged},
		"slots are asked for again while it goes on":                 {"availability.once-per-sync", append(append([]client.Exchange{slots("a", 0)}, releaseCalls("a", second, 20*second)...), append([]client.Exchange{slots("a", 21*second)}, releaseCalls("a", 22*second, 42*second)...)...), client.Broken},
	} {
		one := caseOf(t)
		for i := range c.calls {
			c.calls[i].Number = uint64(i + 1)
		}
		one.Exchanges, one.Now, one.Real = c.calls, noon.Add(time.Hour), noon.Add(time.Hour)
		if got := rule(t, judge.Judge(one), c.rule); got.Verdict != c.want {
			t.Errorf("%s: want %s, got %+v", name, c.want, got)
		}
	}
}
