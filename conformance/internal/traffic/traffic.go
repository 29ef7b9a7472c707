// Package traffic judges calls that other programs make: recorded ones, and those that pass a
// proxy. It removes their keys from its results.
package traffic

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/anonymize"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/recording"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// Judge judges calls, in the order in which they started, by every rule that needs no call of its
// own. What the calls leave open never counts against the partner: seats that others may have
// changed, codes whose first call is missing, concurrent calls.
//
// A partial history lacks calls of the same caller, at any time. Then also what they may have
// changed is left open.
type Judge struct {
	tickets bool
	version string
	live    bool
	began   time.Time
	keys    *probe.Keyring
	masker  *anonymize.Masker
	calls   int
	seen    seen

	waiting  []*call // calls that a later call may still overlap
	held     int     // bytes of their bodies
	tally    *tally
	caller   *caller
	sold     *sold
	history  *history
	reads    *reads
	bookings *bookings
	auth     *keys
	timing   timing
}

// Options sets how calls are judged.
type Options struct {
	Tickets bool   // the partner delivers its own tickets
	Version string // of the suite, for the report
	Live    bool   // the calls are happening now; otherwise they were recorded
	Partial bool   // some calls of the same caller are missing, at any time
}

// New returns a Judge.
func New(o Options) *Judge {
	ring := &probe.Keyring{}
	all, by, windows, history := newTally(ring.Redact), newCaller(), newWindows(), newHistory()
	sold := &sold{products: map[string]discover.Product{}, partial: o.Partial}
	return &Judge{
		tickets: o.Tickets, live: o.Live, version: cmp.Or(o.Version, "devel"), began: time.Now(), keys: ring, masker: anonymize.NewMasker(),
		seen:  seen{calls: map[partnerapi.Endpoint]*sample{}},
		tally: all, caller: by, sold: sold, history: history, reads: &reads{tally: all, caller: by, sold: sold, windows: windows},
		bookings: &bookings{tally: all, caller: by, sold: sold, windows: windows, history: history, tickets: o.Tickets},
		auth:     newKeys(), timing: timing{},
	}
}

// Learn remembers the key of a call that is not taken yet.
func (j *Judge) Learn(x *recording.Exchange) { j.keys.Learn(x.Header.Get("Authorization")) }

// Take takes the next call.
func (j *Judge) Take(x *recording.Exchange) {
	if x.Missed {
		if x.MayChange() && !j.seen.last.IsZero() {
			j.RecordMissed(j.seen.last, j.seen.last)
		}
		return
	}
	j.calls++
	j.Learn(x)
	c := callOf(x, j.calls, j.masker)
	j.seen.take(c)
	j.order(c)
}

// JudgeUntil judges the calls that ended before now. Every later call must have started after now.
func (j *Judge) JudgeUntil(now time.Time) {
	for len(j.waiting) > 0 && !j.waiting[0].EndTime().After(now) {
		j.judgeFirst()
	}
}

// judgeFirst judges the call that has waited longest.
func (j *Judge) judgeFirst() {
	c := j.waiting[0]
	j.waiting[0] = nil // the array stays until it is full
	j.waiting = j.waiting[1:]
	j.held -= c.size()
	for _, other := range j.waiting { // every call that began before the end of this one is among them
		if other.StartedAt.Before(c.EndTime()) && (c.sharesSubject(other) || j.history.sharesHold(c, other)) {
			c.raced, other.raced = other.Endpoint, c.Endpoint
		}
	}
	j.judge(c)
}

// RecordMissed records that calls about holds and bookings were made between these times but not taken.
// Their effects are unknown, so their consequences never count against the partner or the caller.
// Call Missed before taking a call that ended after the first missed call began.
func (j *Judge) RecordMissed(from, to time.Time) {
	j.sold.partial = true
	j.history.recordMissed(from, to)
}

// Finish judges the calls that waited for later ones.
func (j *Judge) Finish() {
	for len(j.waiting) > 0 {
		j.judgeFirst()
	}
}

// mostWaiting is the maximum number of calls that wait for later ones, and mostHeld that of the bytes of their
// bodies.
const mostWaiting, mostHeld = 1000, 32 << 20

// order lets the next call wait, and judges the waiting calls that ended before it.
func (j *Judge) order(c *call) {
	for j.held += c.size(); len(j.waiting) > 0 && (!j.waiting[0].EndTime().After(c.StartedAt) || len(j.waiting) == mostWaiting || j.held > mostHeld); {
		j.judgeFirst()
	}
	j.waiting = append(j.waiting, c)
}

func (j *Judge) judge(c *call) {
	j.history.bridge(c)
	j.caller.checkRequest(c, j.sold)
	if !c.invalid {
		j.timing.take(j.tally, c)
	}
	if j.auth.take(j.tally, c) || c.Failure != nil || c.HasStatus(http.StatusTooManyRequests) {
		j.history.recordLost(c)
		return
	}
	unknown := c.Unknown || c.Bare && len(c.Body) > 0 && c.Response.Status/100 == 4 // it may have been refused for its type
	j.tally.record(judge.AnswerFindings(c.Exchange, !c.invalid && !unknown && !c.Bare)...)
	defer j.judgeBadInput(c) // taking a call may also show that it is invalid
	switch {
	case c.invalid:
		j.history.recordLost(c)
		return
	case unknown:
		j.takeUnknown(c)
		return
	}
	if c.isCut() {
		j.tally.cut[c.Endpoint]++
	}
	switch c.Endpoint {
	case partnerapi.Products:
		j.reads.takeCatalog(c)
	case partnerapi.Availability:
		j.reads.takeSlots(c)
	default:
		j.bookings.take(c)
	}
}

// judgeBadInput judges the answer to an invalid request. A partner may refuse or ignore it. The rule is not passed,
// because a recording seldom shows every kind of bad input.
func (j *Judge) judgeBadInput(c *call) {
	if !c.invalid {
		return
	}
	if f := judge.BadInputFinding(c.Answer); f.Ends() {
		j.tally.record(f)
	}
	if c.noGuests && c.HasStatus(http.StatusOK, http.StatusCreated) && partner.Text(c.Answer, "reservationConfirmationCode") != "" {
		j.tally.record(judge.RuleFinding{Rule: rule.ReserveNobody, Finding: judge.Breach("Expected a refusal, received a hold").WithEvidence(c.Exchange)})
	}
}

// takeUnknown leaves open what a call whose request is unknown may have changed. A reserve or a confirm that is
// refused changes nothing.
func (j *Judge) takeUnknown(c *call) {
	refused := c.Response.Status/100 == 4
	switch c.Endpoint {
	case partnerapi.Release, partnerapi.Cancel:
		j.history.recordLost(c)
	case partnerapi.Confirm:
		if !refused {
			j.RecordMissed(c.StartedAt, c.EndTime()) // it may be about any hold
		}
	case partnerapi.Reserve:
		j.sold.partial = j.sold.partial || !refused // it may have taken any seats
	}
}

// settle records the outcome of every rule so far, in the order of judging. It returns how the
// broken rules were broken last, by id.
func (j *Judge) settle(into *judge.Verdicts) map[string]breach {
	all := j.tally.clone()
	j.auth.settle(all, j.caller)
	j.bookings.settle(all)
	return all.settle(into)
}

// Breach is a rule that the calls so far break.
type Breach struct {
	Rule    rule.Rule
	Times   int    // how often it was broken
	Message string // of the last time
	Shown   []report.Exchange
}

// Breaches returns the broken rules, in the order of judging. A rule that another broken rule blocks
// is not among them. More calls may follow.
func (j *Judge) Breaches() (all []Breach) {
	verdicts := judge.NewVerdicts(j.keys.Words)
	seen := j.settle(verdicts)
	for _, r := range rule.All() {
		v := verdicts.Get(r.ID)
		if v == nil || v.Outcome != judge.Weight(r) {
			continue
		}
		last := seen[r.ID]
		for i, x := range last.shown {
			last.shown[i] = j.keys.CleanExchange(x)
		}
		all = append(all, Breach{r, last.times, j.keys.Words(last.message), last.shown})
	}
	return all
}

// Calls returns how many calls were taken.
func (j *Judge) Calls() int { return j.calls }

// Redactor returns the redactor of the first key, for finished reports.
func (j *Judge) Redactor() *probe.Redactor { return j.keys.Redactor() }

// Redact removes all keys that the calls have shown.
func (j *Judge) Redact(text string) string { return j.keys.Redact(text) }

// Result returns what the calls have shown so far. More calls may follow.
func (j *Judge) Result() *report.Result {
	verdicts := judge.NewVerdicts(j.keys.Words)
	j.settle(verdicts)
	result := &report.Result{
		Verdict: report.Partial, Recorded: true,
		Target: report.Target{
			BaseURL: j.keys.Words(j.seen.base), AuthType: j.seen.auth, HandlesTicketDelivery: j.tickets,
		},
		SuiteVersion: j.version, ContractVersion: schemas.ContractVersion(),
		StartedAt: j.seen.first.UTC().Truncate(time.Millisecond), DurationMS: time.Since(j.began).Milliseconds(),
		Coverage: report.Coverage{Calls: j.calls, Holds: j.seen.holds, Bookings: j.seen.bookings},
		Latency:  j.seen.latency(), Pictures: map[string][]byte{}, Summary: map[report.Outcome]int{},
	}
	result.Coverage.Products, result.Coverage.Options = j.sold.size()
	result.Rules = j.rules(verdicts)
	result.CallerFaults = j.caller.reportFaults(j.keys.Words, j.keys.CleanExchange)
	for _, one := range result.Rules {
		result.Summary[one.Outcome]++
	}
	reason := "only %s of a recording were judged, from %s to %s"
	if j.live {
		reason = "only what %s showed was judged, from %s to %s"
	}
	result.Reason = fmt.Sprintf(reason, plural.Count(j.calls, "call"), j.seen.first.UTC().Format(time.RFC3339), j.seen.last.UTC().Format(time.RFC3339))
	if result.Summary[report.Failed] > 0 {
		result.Verdict, result.Reason = report.Nonconformant, ""
	}
	return result
}

// rules returns the outcome of every rule, with evidence prepared for display.
func (j *Judge) rules(verdicts *judge.Verdicts) (all []report.RuleResult) {
	for _, one := range rule.All() {
		v := verdicts.Get(one.ID)
		if v == nil {
			undecided := "the recording does not decide it"
			if j.live {
				undecided = "the calls so far do not decide it"
			}
			v = verdicts.Set(one, report.Skipped, undecided)
			v.Remedy = "Run 'conformance run' against the partner."
		}
		for i, exchange := range v.Exchanges {
			v.Exchanges[i] = j.keys.CleanExchange(exchange)
		}
		all = append(all, *v)
	}
	return all
}
