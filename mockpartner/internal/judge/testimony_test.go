package judge_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/judge"
)

const connection, other = "127.0.0.1:40112", "127.0.0.1:40114"

// from lets the exchanges come over a connection.
func from(connection string, one judge.Case) judge.Case {
	for i := range one.Exchanges {
		one.Exchanges[i].Caller = connection
	}
	return one
}

// died is a testimony that a process has died so long after the exchange arrived.
func died(connection string, e journal.Exchange, after time.Duration) journal.Testimony {
	at := e.Arrived.Add(after)
	return journal.Testimony{Died: []string{connection}, At: at, Since: at.Add(-time.Second)}
}

func TestAProcessThatDiedHasNotLeftByItsOwnDecision(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		connection string
		after      time.Duration
		want       judge.Outcome
	}{
		"in the middle of the call":      {connection, 2 * time.Second, judge.NotJudged},
		"all of its address":             {"127.0.0.1", 2 * time.Second, judge.NotJudged},
		"another process":                {other, 2 * time.Second, judge.Broken},
		"long after it had left":         {connection, 3100 * time.Millisecond, judge.Broken},
		"long before the call was made":  {connection, -4 * time.Second, judge.Broken},
		"as the call was on its way yet": {connection, -500 * time.Millisecond, judge.NotJudged},
	} {
		one := from(connection, caseOf(t, left("POST", "/bookings/confirm", named("x"), 2*time.Second)))
		one.Testimony = []journal.Testimony{died(c.connection, one.Exchanges[0], c.after)}
		verdict := judge.Judge(one)
		if got := rule(t, verdict, "call.patient"); got.Verdict != c.want {
			t.Errorf("%s: want %s, got %+v", name, c.want, got)
		}
		if told := strings.Contains(verdict.String(), "1 exchanges count as unanswered"); told != (c.want == judge.NotJudged) {
			t.Errorf("%s: want it told that a death counted, got %s", name, verdict)
		}
	}
}

func TestAProcessThatDiedMayNotKnowWhatItWasAnswered(t *testing.T) {
	t.Parallel()
	reserve := answered("POST", "/bookings/reserve", party("x", "b-1", two), `{"reservationConfirmationCode":"c","expiresAt":"2026-07-01T12:20:00Z"}`, time.Second)
	confirm := answered("POST", "/bookings/confirm", named("c"), `{"externalBookingId":"x"}`, time.Second)
	underWay := confirm
	underWay.Done, underWay.Delivered = false, false
	for name, c := range map[string]struct {
		rule    string
		calls   []journal.Exchange
		of      int // the call that the death came upon
		process string
		after   time.Duration
		want    judge.Outcome
	}{
		"the code of a hold":                             {"release.owed", []journal.Exchange{reserve}, 0, connection, 1900 * time.Millisecond, judge.NotJudged},
		"a hold that it had time to write down":          {"release.owed", []journal.Exchange{reserve}, 0, connection, 3 * time.Second, judge.Broken},
		"another process":                                {"release.owed", []journal.Exchange{reserve}, 0, other, 1900 * time.Millisecond, judge.Broken},
		"a hold that it has come to confirm":             {"confirm.reserved", []journal.Exchange{reserve, confirm}, 0, connection, 1900 * time.Millisecond, judge.Kept},
		"that it had confirmed":                          {"confirm.once", []journal.Exchange{reserve, confirm, confirm}, 1, connection, 1900 * time.Millisecond, judge.Kept},
		"what it had time to write down":                 {"confirm.once", []journal.Exchange{reserve, confirm, confirm}, 1, connection, 3 * time.Second, judge.Broken},
		"what another was answered":                      {"confirm.once", []journal.Exchange{reserve, confirm, confirm}, 1, other, 1900 * time.Millisecond, judge.Broken},
		"that nothing was answered":                      {"confirm.once", []journal.Exchange{reserve, underWay, confirm}, 1, connection, 200 * time.Millisecond, judge.Kept},
		"what was answered after it was confirmed again": {"confirm.once", []journal.Exchange{reserve, confirm, confirm, confirm}, 1, connection, 1900 * time.Millisecond, judge.Broken},
	} {
		one := from(connection, caseOf(t, c.calls...))
		one.Testimony = []journal.Testimony{died(c.process, one.Exchanges[c.of], c.after)}
		if got := rule(t, judge.Judge(one), c.rule); got.Verdict != c.want {
			t.Errorf("%s: want %s, got %+v", name, c.want, got)
		}
	}
}

func TestAConfirmIsNotSentAgainBeforeItsProcessDied(t *testing.T) {
	t.Parallel()
	reserve := answered("POST", "/bookings/reserve", party("x", "b-1", two), `{"reservationConfirmationCode":"c","expiresAt":"2026-07-01T20:00:00Z"}`, time.Second)
	confirm := answered("POST", "/bookings/confirm", named("c"), `{"externalBookingId":"x"}`, time.Second)
	one := from(connection, caseOf(t, reserve, confirm, confirm))
	one.Exchanges[2].Arrived = one.Exchanges[1].Arrived.Add(1500 * time.Millisecond)
	one.Testimony = []journal.Testimony{died(connection, one.Exchanges[1], 1900*time.Millisecond)}
	if got := rule(t, judge.Judge(one), "confirm.once"); got.Verdict != judge.Broken {
		t.Errorf("want the second confirm held against the caller, got %+v", got)
	}
}

func TestOneConfirmMayBeOrderedByHandAfterARefusal(t *testing.T) {
	t.Parallel()
	reserve := answered("POST", "/bookings/reserve", party("x", "b-1", two), `{"reservationConfirmationCode":"c","expiresAt":"2026-07-01T20:00:00Z"}`, time.Second)
	booked := answered("POST", "/bookings/confirm", named("c"), `{"externalBookingId":"x"}`, time.Second)
	refused := booked
	refused.Status = http.StatusServiceUnavailable
	for name, c := range map[string]struct {
		calls  []journal.Exchange
		byHand []string
		want   judge.Outcome
	}{
		"once":                       {[]journal.Exchange{reserve, refused, booked}, []string{"c"}, judge.Kept},
		"twice, and asked for twice": {[]journal.Exchange{reserve, refused, refused, booked}, []string{"c", "c"}, judge.Kept},
		"twice, and asked for once":  {[]journal.Exchange{reserve, refused, refused, booked}, []string{"c"}, judge.Broken},
		"nobody asked":               {[]journal.Exchange{reserve, refused, booked}, nil, judge.Broken},
		"for another code":           {[]journal.Exchange{reserve, refused, booked}, []string{"d"}, judge.Broken},
		"of what is booked":          {[]journal.Exchange{reserve, booked, booked}, []string{"c"}, judge.Broken},
	} {
		one := caseOf(t, c.calls...)
		for _, code := range c.byHand {
			one.Testimony = append(one.Testimony, journal.Testimony{ByHand: code})
		}
		if got := rule(t, judge.Judge(one), "confirm.once"); got.Verdict != c.want {
			t.Errorf("%s: want %s, got %+v", name, c.want, got)
		}
	}
}
