// Package traffic judges calls that other programs make: recorded ones, and those that pass a
// proxy. It removes their keys from its results.
package traffic

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/recording"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/count"
	"partnerkit.dev/internal/mask"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// Judge judges calls, in the order in which they started, by every rule that needs no call of its
// own.
type Judge struct {
	tickets bool
	version string
	live    bool
	began   time.Time
	keys    *probe.Keyring
	masker  *mask.Masker
	traffic *judge.Traffic
	calls   int
	seen    seen
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
	keys := &probe.Keyring{}
	return &Judge{
		tickets: o.Tickets, live: o.Live, version: cmp.Or(o.Version, "devel"), began: time.Now(), keys: keys, masker: mask.NewMasker(),
		traffic: judge.NewTraffic(o.Tickets, o.Partial, keys.Redact), seen: seen{calls: map[partnerapi.Endpoint]*sample{}},
	}
}

// Learn remembers the key of a call that is not taken yet.
func (j *Judge) Learn(x *recording.Exchange) { j.keys.Learn(x.Header.Get("Authorization")) }

// Take takes the next call.
func (j *Judge) Take(x *recording.Exchange) {
	j.calls++
	j.Learn(x)
	call := j.callOf(x)
	j.seen.take(call)
	j.traffic.Take(call)
}

// Until judges the calls that ended before now. Every later call must have started after now.
func (j *Judge) Until(now time.Time) { j.traffic.Until(now) }

// Missed records that calls about holds and bookings were made between these times but not taken.
func (j *Judge) Missed(from, to time.Time) { j.traffic.Missed(from, to) }

// Finish judges the calls that waited for later ones.
func (j *Judge) Finish() { j.traffic.Finish() }

// Calls returns how many calls were taken.
func (j *Judge) Calls() int { return j.calls }

// Redactor returns the redactor of the first key, for finished reports.
func (j *Judge) Redactor() *probe.Redactor { return j.keys.Redactor() }

// Redact removes all keys that the calls have shown.
func (j *Judge) Redact(text string) string { return j.keys.Redact(text) }

// Result returns what the calls have shown so far. More calls may follow.
func (j *Judge) Result() *report.Result {
	verdicts := judge.NewVerdicts(j.keys.Words)
	j.traffic.Settle(verdicts)
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
	result.Coverage.Products, result.Coverage.Options = j.traffic.Catalog()
	result.Rules = j.rules(verdicts)
	result.CallerFaults = j.traffic.CallerFaults(j.keys.Words, j.keys.Clean)
	for _, one := range result.Rules {
		result.Summary[one.Outcome]++
	}
	reason := "only %s of a recording were judged, from %s to %s"
	if j.live {
		reason = "only what %s showed was judged, from %s to %s"
	}
	result.Reason = fmt.Sprintf(reason, count.Of(j.calls, "call"), j.seen.first.UTC().Format(time.RFC3339), j.seen.last.UTC().Format(time.RFC3339))
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
			v.Exchanges[i] = j.keys.Clean(exchange)
		}
		all = append(all, *v)
	}
	return all
}

func (j *Judge) callOf(x *recording.Exchange) *judge.Call {
	limit := x.Endpoint.Timeout(partnerapi.Healthy)
	if x.Endpoint == partnerapi.Products && x.URL.Query().Has("limit") {
		limit = partnerapi.ProbeTimeout
	}
	shown := *x.URL
	shown.User = nil
	call := &judge.Call{
		Answer: probe.Recorded{
			Number: j.calls, Endpoint: x.Endpoint, Named: x.Named, Started: x.Started, Took: x.Took, Limit: limit, Method: x.Method, URL: shown.String(),
			Request: x.Header, Answer: x.AnswerHeader, Body: x.Body, Raw: x.Answer, Status: x.Status, Error: x.Error,
		}.Exchanged(j.masker),
		Segment: x.Segment, Named: x.Named, Query: x.URL.Query(), RawQuery: x.URL.RawQuery, Body: x.Body, Whole: !x.Cut, Keyless: len(x.Header.Values("Authorization")) == 0,
	}
	if key := x.Header.Get("Authorization"); !strings.HasSuffix(key, probe.Redacted) {
		call.Key = key
	}
	return call
}

// seen is what the calls show for the report.
type seen struct {
	base            string // the partner's address
	auth            partnerapi.AuthType
	first, last     time.Time
	holds, bookings int
	calls           map[partnerapi.Endpoint]*sample
}

func (s *seen) take(c *judge.Call) {
	if s.first.IsZero() {
		s.first, s.auth = c.StartedAt, partnerapi.APIKey
		s.base = c.Request.URL
		for _, path := range []string{partnerapi.ProductsPath, partnerapi.AvailabilityPath, "/bookings/"} {
			if at := strings.LastIndex(s.base, path); at > 0 {
				s.base = s.base[:at]
				break
			}
		}
	}
	if strings.HasPrefix(c.Request.Header.Get("Authorization"), "Bearer ") {
		s.auth = partnerapi.Bearer
	}
	s.last = c.StartedAt
	switch {
	case c.Endpoint == partnerapi.Reserve && c.OK(http.StatusOK, http.StatusCreated):
		s.holds++
	case c.Endpoint == partnerapi.Confirm && c.OK(http.StatusOK):
		s.bookings++
	}
	if s.calls[c.Endpoint] == nil {
		s.calls[c.Endpoint] = &sample{every: 1}
	}
	s.calls[c.Endpoint].add(&probe.Exchange{Duration: c.Duration, Limit: c.Limit})
}
