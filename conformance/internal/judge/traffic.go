package judge

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/count"
	"partnerkit.dev/internal/duty"
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
	tickets bool
	partial bool
	waiting []*Call // calls that a later call may still overlap
	fields  *Fields
	judged  map[string]bool // ids of the rules that at least one call was judged by
	broken  map[string]Finding
	again   map[string]int // how often a rule was broken after the first time
	latest  map[string]Finding

	products map[string]discover.Product
	pulled   time.Time // when the last complete catalog was requested
	windows  windows
	bookings bookings
	caller   caller
	keys     keys
	times    map[string]*times // by the id of the rule about the limit
	gap      gap
}

// NewTraffic returns a Traffic. tickets means that the partner delivers its own tickets. partial
// means that the history lacks some of the caller's calls.
func NewTraffic(tickets, partial bool, redact func(string) string) *Traffic {
	return &Traffic{
		tickets: tickets, partial: partial, fields: NewFields(redact), judged: map[string]bool{}, broken: map[string]Finding{}, again: map[string]int{}, latest: map[string]Finding{},
		products: map[string]discover.Product{}, windows: newWindows(), bookings: newBookings(), caller: newCaller(), keys: newKeys(), times: map[string]*times{},
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
	t.bridge(c)
	t.timed(c)
	if t.keys.take(t, c) || c.Failure != nil || c.OK(http.StatusTooManyRequests) {
		t.bookings.lost(c)
		return
	}
	t.judged[rule.Reachable.ID] = true
	if !t.typed(c) {
		t.bookings.lost(c) // a partner may answer such a call as it likes
		return
	}
	if c.OK(200, 201) && c.Response.Body.Size > 0 {
		t.check(contentTypeRules[c.Endpoint], c, func(*probe.Answer) string {
			if declared := c.Response.Header.Get("Content-Type"); !isJSONType(declared) {
				return fmt.Sprintf("Expected Content-Type: application/json, received %q", declared)
			}
			return ""
		})
	}
	switch c.Endpoint {
	case partnerapi.Products:
		t.takeCatalog(c)
	case partnerapi.Availability:
		t.takeSlots(c)
	default:
		t.takeBooking(c)
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
	seen := map[string]Seen{}
	judged, broken, again := t.judged, t.broken, t.again
	t.judged, t.broken, t.again = maps.Clone(judged), maps.Clone(broken), maps.Clone(again)
	defer func() { t.judged, t.broken, t.again = judged, broken, again }()
	t.keys.settle(t)
	t.bookings.settle(t)
	for _, r := range rule.All() {
		finding, found := t.broken[r.ID]
		if more := t.again[r.ID]; more > 0 {
			finding.Message = fmt.Sprintf("%s (and %s)", finding.Message, count.Of(more, "more call"))
		}
		if fields := t.fields.Finding(r.ID); !found && fields.Ends() {
			finding, found = fields, true
		}
		if found || t.judged[r.ID] {
			into.Record(r, finding, 0)
		}
		if finding.Ends() {
			seen[r.ID] = t.lastOf(r.ID)
		}
	}
	into.Settle(t.fields)
	return seen
}

// Seen is how often a rule was broken, and how the last time.
type Seen struct {
	Times   int
	Message string
	Shown   []probe.Exchange
}

// lastOf returns how a broken rule was broken last.
func (t *Traffic) lastOf(id string) Seen {
	last, times := t.broken[id], 1+t.again[id]
	if again, has := t.latest[id]; has {
		last = again
	}
	if _, known := t.broken[id]; !known {
		if in := t.fields.found[id]; in != nil {
			last, times = in.last(), in.count+in.repeats
		}
	}
	return Seen{times, last.Message, evidence(last.Exchanges)}
}

// current reports whether the last catalog shows what the partner sells at the time of c. In a
// partial history, a newer catalog may be missing.
func (t *Traffic) current(c *Call) bool {
	return !t.partial || !t.pulled.IsZero() && c.StartedAt.Sub(t.pulled) <= agreeing
}

// Catalog returns the number of products and options that the recording has shown.
func (t *Traffic) Catalog() (products, options int) {
	for _, product := range t.products {
		options += len(product.Options)
	}
	return len(t.products), options
}

// check judges a call by a rule, and reports whether the call satisfies it.
func (t *Traffic) check(r rule.Rule, c *Call, checks ...check) bool {
	return t.find(r, expect(c.Answer, checks...))
}

// find records what a call shows about a rule, and reports whether the rule is satisfied.
func (t *Traffic) find(r rule.Rule, f Finding) bool {
	t.judged[r.ID] = true
	if !f.Ends() {
		return true
	}
	if _, known := t.broken[r.ID]; known {
		t.again[r.ID]++
		t.latest[r.ID] = f
	} else {
		t.broken[r.ID] = f
	}
	return false
}

var contentTypeRules = map[partnerapi.Endpoint]rule.Rule{
	partnerapi.Products:     rule.ProductsContentType,
	partnerapi.Availability: rule.AvailabilityContentType,
	partnerapi.Reserve:      rule.ReserveContentType,
	partnerapi.Confirm:      rule.ConfirmContentType,
	partnerapi.Release:      rule.ReleaseContentType,
	partnerapi.Cancel:       rule.CancelContentType,
}

// times contains the last calls of one limit: two late answers in three break it (LIM-3).
type times struct {
	late  []bool // the newest last, at most three
	shown []*probe.Exchange
}

func (t *Traffic) timed(c *Call) {
	if c.Limit == 0 || c.Failure != nil && c.Failure.Kind != probe.Timeout {
		return
	}
	r, of := limitRules[c.Endpoint], t.times
	if c.Endpoint == partnerapi.Products && c.Query.Has("limit") {
		r = rule.ProbeLimit
	}
	last := of[r.ID]
	if last == nil {
		last = &times{}
		of[r.ID] = last
	}
	late := c.Duration > c.Limit
	if last.late = append(last.late, late); len(last.late) > 3 {
		last.late = last.late[1:]
	}
	f := Finding{}
	if late {
		last.shown = append(last.shown[max(0, len(last.shown)-1):], c.Exchange)
		if slow := slices.DeleteFunc(slices.Clone(last.late), func(late bool) bool { return !late }); len(slow) > 1 {
			f = broken("Expected the complete answer within %s: %d of %s in a row took longer, the last %s",
				c.Limit, len(slow), count.Of(len(last.late), "call"), c.Duration.Round(time.Millisecond)).showing(last.shown...)
		}
	}
	if !t.find(r, f) || !late {
		return
	}
	if _, known := t.broken[r.ID]; !known {
		t.broken[r.ID] = ends(report.Warned, "Expected the complete answer within %s: one call took %s", c.Limit, c.Duration.Round(time.Millisecond)).showing(c.Exchange)
	}
}

// keys is what the recording shows about the keys in use.
type keys struct {
	shown    bool                       // at least one call shows its key
	without  []*Call                    // the first call without a key
	missing  int                        // number of calls without a key
	accepted map[string]bool            // keys with which a call succeeded
	refused  map[string]*probe.Exchange // a 401 for a key that had been accepted: a breach if the key is accepted again
	keyless  map[string]Finding         // calls without a key that were not answered 401, by rule id
	probed   map[string]bool            // rules that judged a call without a key that was answered 401
}

// mostKeys is the maximum number of keys that are remembered. A partner issues few.
const mostKeys = 100

func newKeys() keys {
	return keys{
		accepted: map[string]bool{}, refused: map[string]*probe.Exchange{},
		keyless: map[string]Finding{}, probed: map[string]bool{},
	}
}

// take judges the authentication of a call, and reports whether the call shows nothing else.
func (k *keys) take(t *Traffic, c *Call) (all bool) {
	if c.Keyless {
		if k.missing++; k.missing == 1 {
			k.without = []*Call{c}
		}
	}
	if c.Failure != nil {
		return false
	}
	missing := keyMissing[c.Endpoint][0]
	if c.Endpoint == partnerapi.Products && c.Query.Has("limit") {
		missing = rule.ProbeMissingKey
	}
	refused := c.OK(http.StatusUnauthorized, http.StatusForbidden)
	switch {
	case c.Keyless && c.OK(http.StatusUnauthorized):
		k.probed[missing.ID] = true
	case c.Keyless && !k.keyless[missing.ID].Ends():
		k.keyless[missing.ID] = broken("Expected 401, received %s", c.Words()).showing(c.Exchange)
	case c.Keyless:
	case c.Key == "":
		k.shown = true
	case refused && k.accepted[c.Key]:
		k.shown = true
		if k.refused[c.Key] == nil {
			k.refused[c.Key] = c.Exchange
		}
	case !refused:
		k.shown = true
		if before := k.refused[c.Key]; before != nil {
			t.find(rule.KeyAccepted, broken("Expected a key that is accepted before and afterwards to be accepted, received %d", before.Response.Status).
				showing(before, c.Exchange))
			delete(k.refused, c.Key)
		} else {
			t.find(rule.KeyAccepted, Finding{})
		}
		if len(k.accepted) < mostKeys {
			k.accepted[c.Key] = true
		}
	default:
		k.shown = true
	}
	return refused
}

// settle judges the calls without a key. If no call shows a key, the recording omits them.
func (k *keys) settle(t *Traffic) {
	if !k.shown {
		return
	}
	for _, c := range k.without {
		delete(t.caller.faults, duty.Authorized.ID) // from an earlier Settle
		t.blame(c, duty.Authorized, "There is no Authorization header in %s", count.Of(k.missing, "call"))
		t.caller.faults[duty.Authorized.ID].Calls = k.missing
	}
	for _, rules := range keyMissing {
		for _, r := range rules {
			if f := k.keyless[r.ID]; f.Ends() || k.probed[r.ID] {
				t.find(r, f)
			}
		}
	}
}
