package judge

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// Call is a recorded call that another program made.
type Call struct {
	*probe.Answer
	Segment  string     // the code or booking id in its path, still escaped
	Named    string     // the same, unescaped
	Query    url.Values // RawQuery, parsed as far as it is valid
	RawQuery string
	Body     []byte // of the request
	Key      string // value of its Authorization header; "" if the recording does not show it
	Keyless  bool   // it has no such header
	Whole    bool   // Raw is the complete answer

	raced bool // another call about the same code was in progress
}

func (c *Call) ended() time.Time { return c.StartedAt.Add(c.Duration) }

// at returns when the call was answered by the partner's clock, from its Date header.
func (c *Call) at() time.Time {
	if c.Response != nil {
		if date, err := http.ParseTime(c.Response.Header.Get("Date")); err == nil {
			return date
		}
	}
	return c.ended()
}

// Traffic judges recorded calls, in the order in which they started, by every rule that needs no
// call of its own. What a recording leaves open never counts against the partner: seats that others
// may have changed, codes whose first call is missing, concurrent calls.
//
// A partial history lacks calls of the same caller, at any time. Then also what they may have
// changed is left open.
type Traffic struct {
	waiting []*Call // calls that a later call may still overlap

	tally    *tally
	caller   *caller
	sold     *sold
	history  *history
	reads    *reads
	bookings *bookings
	keys     *keys
	timing   timing
}

// NewTraffic returns a Traffic. tickets means that the partner delivers its own tickets. partial
// means that the history lacks some of the caller's calls.
func NewTraffic(tickets, partial bool, redact func(string) string) *Traffic {
	all, by, sold, windows, history := newTally(redact), newCaller(), &sold{products: map[string]discover.Product{}, partial: partial}, newWindows(), newHistory()
	return &Traffic{
		tally: all, caller: by, sold: sold, history: history, reads: &reads{all, by, sold, windows},
		bookings: &bookings{tally: all, caller: by, sold: sold, windows: windows, history: history, tickets: tickets},
		keys:     newKeys(), timing: timing{},
	}
}

// mostWaiting is the maximum number of calls that wait for later ones.
const mostWaiting = 1000

// Take takes the next call, and judges the waiting calls that ended before it.
func (t *Traffic) Take(c *Call) {
	for len(t.waiting) > 0 && (!t.waiting[0].ended().After(c.StartedAt) || len(t.waiting) == mostWaiting) {
		t.judge(t.waiting[0])
		t.waiting = t.waiting[1:]
	}
	for _, other := range t.waiting {
		if subject := c.subject(); subject != "" && subject == other.subject() && other.ended().After(c.StartedAt) {
			c.raced, other.raced = true, true
		}
	}
	t.waiting = append(t.waiting, c)
}

func (t *Traffic) judge(c *Call) {
	t.history.bridge(c)
	t.timing.take(t.tally, c)
	if t.keys.take(t.tally, c) || c.Failure != nil || c.OK(http.StatusTooManyRequests) {
		t.history.lost(c)
		return
	}
	t.tally.mark(rule.Reachable)
	if !t.caller.typed(c) {
		t.history.lost(c) // a partner may answer such a call as it likes
		return
	}
	if c.OK(200, 201) && c.Response.Body.Size > 0 {
		t.tally.check(contentTypeRules[c.Endpoint], c, func(*probe.Answer) string {
			if declared := c.Response.Header.Get("Content-Type"); !isJSONType(declared) {
				return fmt.Sprintf("Expected Content-Type: application/json, received %q", declared)
			}
			return ""
		})
	}
	switch c.Endpoint {
	case partnerapi.Products:
		t.reads.takeCatalog(c)
	case partnerapi.Availability:
		t.reads.takeSlots(c)
	default:
		t.bookings.take(c)
	}
}

// Until judges the calls that ended before now. No later call started before now.
func (t *Traffic) Until(now time.Time) {
	for len(t.waiting) > 0 && !t.waiting[0].ended().After(now) {
		t.judge(t.waiting[0])
		t.waiting = t.waiting[1:]
	}
}

// Finish judges the calls that still wait. No call follows.
func (t *Traffic) Finish() {
	for _, c := range t.waiting {
		t.judge(c)
	}
	t.waiting = nil
}

// Settle records the outcome of every rule so far, in the order of judging. Rules that judged no
// call get no verdict. Settle does not change t, so more calls may follow. It
// returns how the broken rules were broken last, by id.
func (t *Traffic) Settle(into *Verdicts) map[string]Seen {
	all := t.tally.clone()
	t.keys.settle(all, t.caller)
	t.bookings.settle(all)
	return all.settle(into)
}

// Missed records that calls about holds and bookings were made between these times but not taken.
// Their effects are unknown, so their consequences never count against the partner or the caller.
// Call Missed before taking a call that ended after the first missed call began.
func (t *Traffic) Missed(from, to time.Time) { t.history.missed(from, to) }

// Catalog returns the number of products and options that the recording has shown.
func (t *Traffic) Catalog() (products, options int) { return t.sold.size() }

// CallerFaults returns the caller's faults in the order of a booking, with their texts passed
// through words.
func (t *Traffic) CallerFaults(words func(string) string, clean func(probe.Exchange) probe.Exchange) []report.CallerFault {
	return t.caller.shown(words, clean)
}

var contentTypeRules = map[partnerapi.Endpoint]rule.Rule{
	partnerapi.Products:     rule.ProductsContentType,
	partnerapi.Availability: rule.AvailabilityContentType,
	partnerapi.Reserve:      rule.ReserveContentType,
	partnerapi.Confirm:      rule.ConfirmContentType,
	partnerapi.Release:      rule.ReleaseContentType,
	partnerapi.Cancel:       rule.CancelContentType,
}
