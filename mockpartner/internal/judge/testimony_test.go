package judge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/judge"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/partnerapi"
)

const connection, other = "127.0.0.1:40112", "127.0.0.1:40114"

// overConnection lets the exchanges come over a connection.
func overConnection(connection string, one judge.Case) judge.Case {
	for i := range one.Exchanges {
		one.Exchanges[i].Caller = connection
	}
	return one
}

// deathTestimony is a testimony that a process has died so long after the exchange arrived.
func deathTestimony(connection string, e client.Exchange, after time.Duration) client.Testimony {
	at := e.Arrived.Add(after)
	return client.Testimony{Died: []string{connection}, At: at, Since: at.Add(-time.Second)}
}

func TestAProcessThatDiedHasNotLeftByItsOwnDecision(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		connection string
		after      time.Duration
		want       client.Outcome
	}{
		"in the middle of the call":      {connection, 2 * time.Second, client.NotJudged},
		"all of its address":             {"127.0.0.1", 2 * time.Second, client.NotJudged},
		"another process":                {other, 2 * time.Second, client.Broken},
		"long after it had left":         {connection, 3100 * time.Millisecond, client.Broken},
		"long before the call was made":  {connection, -4 * time.Second, client.Broken},
		"as the call was on its way yet": {connection, -500 * time.Millisecond, client.NotJudged},
	} {
		one := overConnection(connection, caseOf(t, abandonedExchange("POST", "/bookings/confirm", confirmBody("x"), 2*time.Second)))
		one.Testimony = []client.Testimony{deathTestimony(c.connection, one.Exchanges[0], c.after)}
		verdict := judge.Judge(one)
		if got := rule(t, verdict, "call.patient"); got.Verdict != c.want {
			t.Errorf("%s: want %s, got %+v", name, c.want, got)
		}
		if reported := strings.Contains(verdict.String(), "1 exchange counted as unanswered"); reported != (c.want == client.NotJudged) {
			t.Errorf("%s: Expected a note about the death, received %s", name, verdict)
		}
	}
}

func TestAProcessThatDiedMayNotKnowWhatItWasAnswered(t *testing.T) {
	t.Parallel()
	reserve := answeredExchange("POST", "/bookings/reserve", party("x", "b-1", two), `{"reservationConfirmationCode":"c","expiresAt":"2026-07-01T12:20:00Z"}`, time.Second)
	confirm := answeredExchange("POST", "/bookings/confirm", confirmBody("c"), `{"externalBookingId":"x"}`, time.Second)
	underWay := confirm
	underWay.Done, underWay.Delivered = false, false
	for name, c := range map[string]struct {
		rule    string
		calls   []client.Exchange
		of      int // the call that the death came upon
		process string
		after   time.Duration
		want    client.Outcome
	}{
		"the code of a hold":                             {"release.owed", []client.Exchange{reserve}, 0, connection, 1900 * time.Millisecond, client.NotJudged},
		"a hold that it had time to write down":          {"release.owed", []client.Exchange{reserve}, 0, connection, 3 * time.Second, client.Broken},
		"another process":                                {"release.owed", []client.Exchange{reserve}, 0, other, 1900 * time.Millisecond, client.Broken},
		"a hold that it has come to confirm":             {"confirm.reserved", []client.Exchange{reserve, confirm}, 0, connection, 1900 * time.Millisecond, client.Kept},
		"that it had confirmed":                          {"confirm.once", []client.Exchange{reserve, confirm, confirm}, 1, connection, 1900 * time.Millisecond, client.Kept},
		"what it had time to write down":                 {"confirm.once", []client.Exchange{reserve, confirm, confirm}, 1, connection, 3 * time.Second, client.Broken},
		"what another was answered":                      {"confirm.once", []client.Exchange{reserve, confirm, confirm}, 1, other, 1900 * time.Millisecond, client.Broken},
		"that nothing was answered":                      {"confirm.once", []client.Exchange{reserve, underWay, confirm}, 1, connection, 200 * time.Millisecond, client.Kept},
		"what was answered after it was confirmed again": {"confirm.once", []client.Exchange{reserve, confirm, confirm, confirm}, 1, connection, 1900 * time.Millisecond, client.Broken},
	} {
		one := overConnection(connection, caseOf(t, c.calls...))
		one.Testimony = []client.Testimony{deathTestimony(c.process, one.Exchanges[c.of], c.after)}
		if got := rule(t, judge.Judge(one), c.rule); got.Verdict != c.want {
			t.Errorf("%s: want %s, got %+v", name, c.want, got)
		}
	}
}

func TestAConfirmIsNotSentAgainBeforeItsProcessDied(t *testing.T) {
	t.Parallel()
	reserve := answeredExchange("POST", "/bookings/reserve", party("x", "b-1", two), `{"reservationConfirmationCode":"c","expiresAt":"2026-07-01T20:00:00Z"}`, time.Second)
	confirm := answeredExchange("POST", "/bookings/confirm", confirmBody("c"), `{"externalBookingId":"x"}`, time.Second)
	one := overConnection(connection, caseOf(t, reserve, confirm, confirm))
	one.Exchanges[2].Arrived = one.Exchanges[1].Arrived.Add(1500 * time.Millisecond)
	one.Testimony = []client.Testimony{deathTestimony(connection, one.Exchanges[1], 1900*time.Millisecond)}
	if got := rule(t, judge.Judge(one), "confirm.once"); got.Verdict != client.Broken {
		t.Errorf("want the second confirm held against the caller, got %+v", got)
	}
}

func TestOneConfirmMayBeOrderedByHandAfterARefusal(t *testing.T) {
	t.Parallel()
	reserve := answeredExchange("POST", "/bookings/reserve", party("x", "b-1", two), `{"reservationConfirmationCode":"c","expiresAt":"2026-07-01T20:00:00Z"}`, time.Second)
	booked := answeredExchange("POST", "/bookings/confirm", confirmBody("c"), `{"externalBookingId":"x"}`, time.Second)
	refused := booked
	refused.Status = http.StatusServiceUnavailable
	for name, c := range map[string]struct {
		calls  []client.Exchange
		byHand []string
		want   client.Outcome
	}{
		"once":                       {[]client.Exchange{reserve, refused, booked}, []string{"c"}, client.Kept},
		"twice, and asked for twice": {[]client.Exchange{reserve, refused, refused, booked}, []string{"c", "c"}, client.Kept},
		"twice, and asked for once":  {[]client.Exchange{reserve, refused, refused, booked}, []string{"c"}, client.Broken},
		"no testimony":               {[]client.Exchange{reserve, refused, booked}, nil, client.Broken},
		"for another code":           {[]client.Exchange{reserve, refused, booked}, []string{"d"}, client.Broken},
		"of what is booked":          {[]client.Exchange{reserve, booked, booked}, []string{"c"}, client.Broken},
	} {
		one := caseOf(t, c.calls...)
		for _, code := range c.byHand {
			one.Testimony = append(one.Testimony, client.Testimony{ByHand: code})
		}
		if got := rule(t, judge.Judge(one), "confirm.once"); got.Verdict != c.want {
			t.Errorf("%s: want %s, got %+v", name, c.want, got)
		}
	}
}

// noon is where the tests' clocks stand: a Wednesday, in summer.
var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// What most tests book.
const (
	product = "tokyo-market"
	option  = "breakfast"
	today   = "2026-07-01"
	day     = "2026-07-10"
	lastDay = "2026-08-30"
)

// marketplace is a caller that keeps its side of the contract unless it is asked
// to break it.
type marketplace struct {
	t       *testing.T
	partner *mocktest.Server
	key     string // the Authorization header; empty: none
}

func open(t *testing.T, change ...func(*mockpartner.Options)) marketplace {
	t.Helper()
	options := mockpartner.Options{Now: noon, Frozen: true, Seed: 1}
	for _, c := range change {
		c(&options)
	}
	partner := mocktest.Start(t, options)
	return marketplace{t, partner, "Bearer " + partner.AuthKey}
}

// send sends a request and returns status and body; the status is 0 where no
// whole answer came. A body goes out as JSON.
func (m marketplace) send(method, target, body string) (int, string) {
	m.t.Helper()
	return m.sendAs(method, target, body, "application/json")
}

func (m marketplace) sendAs(method, target, body, contentType string) (int, string) {
	m.t.Helper()
	request, err := http.NewRequestWithContext(m.t.Context(), method, m.partner.URL+target, strings.NewReader(body))
	check(m.t, err)
	if body != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if m.key != "" {
		request.Header.Set("Authorization", m.key)
	}
	// A transport of its own would send a request again whose connection broke.
	request.Close, request.GetBody = true, nil
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, ""
	}
	return response.StatusCode, string(text)
}

// gets is send for an answer that must come whole and with 200.
func (m marketplace) gets(method, target, body string) string {
	m.t.Helper()
	status, text := m.send(method, target, body)
	if status != http.StatusOK {
		m.t.Fatalf("%s %s: want 200, got %d: %s", method, target, status, text)
	}
	return text
}

func window(from, to string) string {
	return ask(option, from, to, `{"id":"unit-adult","quantity":1}`)
}

func ask(option, from, to, unit string) string {
	return fmt.Sprintf(`{"productId":%q,"optionId":%q,"localDateStart":%q,"localDateEnd":%q,"units":[%s]}`, product, option, from, to, unit)
}

func (m marketplace) slots(from, to string) (slots []partnerapi.Slot) {
	m.t.Helper()
	m.read(m.gets("POST", "/availability", window(from, to)), &slots)
	return slots
}

func (m marketplace) read(text string, value any) {
	m.t.Helper()
	if err := json.Unmarshal([]byte(text), value); err != nil {
		m.t.Fatalf("%v: %s", err, text)
	}
}

// slot asks for a day, as at checkout, and returns a slot that can be booked.
func (m marketplace) slot() string {
	m.t.Helper()
	for _, slot := range m.slots(day, day) {
		if slot.Status.IsBookable() && *slot.Vacancies > 5 {
			return slot.ID
		}
	}
	m.t.Fatal("no slot can be booked")
	return ""
}

// party is the body of a reserve.
func party(slot, reference, units string) string {
	return fmt.Sprintf(`{"productId":%q,"optionId":%q,"availabilityId":%q,"units":[%s],"resellerReference":%q}`, product, option, slot, units, reference)
}

const two = `{"id":"unit-adult","quantity":2}`

// reserve checks out and returns the hold's code.
func (m marketplace) reserve(reference string) string {
	m.t.Helper()
	var answer partnerapi.ReserveAnswer
	m.read(m.gets("POST", "/bookings/reserve", party(m.slot(), reference, two)), &answer)
	return answer.ReservationConfirmationCode
}

func confirmBody(code string) string {
	body, _ := json.Marshal(partnerapi.ConfirmRequest{ReservationConfirmationCode: code})
	return string(body)
}

// confirm returns the booking's id.
func (m marketplace) confirm(code string) string {
	m.t.Helper()
	var answer partnerapi.ConfirmAnswer
	m.read(m.gets("POST", "/bookings/confirm", confirmBody(code)), &answer)
	return answer.ExternalBookingID
}

func (m marketplace) release(code string) {
	m.t.Helper()
	m.gets("DELETE", partnerapi.ReleasePath(code), confirmBody(code))
}

// sync is what happens at night.
func (m marketplace) sync() {
	m.t.Helper()
	m.gets("GET", "/products", "")
	m.slots(today, lastDay)
}

func (m marketplace) arm(fault string) {
	m.t.Helper()
	m.done(m.partner.Control.Faults.Arm(m.t.Context(), fault))
}

func (m marketplace) advance(by time.Duration) {
	m.t.Helper()
	m.done(m.partner.Control.Clock.Advance(m.t.Context(), by))
}

func (m marketplace) done(_ any, err error) {
	m.t.Helper()
	check(m.t, err)
}

func (m marketplace) verdict() client.Verdict {
	m.t.Helper()
	verdict, err := m.partner.Control.Journal.Verdict(m.t.Context())
	m.done(nil, err)
	return verdict
}

// rule returns how the caller stands by one rule.
func rule(t *testing.T, v client.Verdict, id string) client.Judgement {
	t.Helper()
	for _, j := range v.Rules {
		if j.ID == id {
			return j
		}
	}
	t.Fatal(errors.New("there is no rule " + id))
	return client.Judgement{}
}

// rulesWith lists the rules of that outcome.
func rulesWith(v client.Verdict, outcome client.Outcome) (ids []string) {
	for _, j := range v.Rules {
		if j.Verdict == outcome {
			ids = append(ids, j.ID)
		}
	}
	return ids
}
