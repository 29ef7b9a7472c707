package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/recording"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/count"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// Recorded is recorded traffic that is to be judged.
type Recorded struct {
	Files                 []string // HTTP archives, or their entries, one a line; together they are one history
	HandlesTicketDelivery bool     // the partner is registered as delivering its own tickets
	Version               string   // of the suite, for the report
}

// JudgeRecorded judges recorded traffic by every rule that needs no call of its own. The
// others are skipped, and the verdict is partial at best.
func JudgeRecorded(ctx context.Context, r Recorded) (*Outcome, error) {
	keys, counts := &probe.Keyring{}, &recording.Counts{}
	traffic := judge.NewTraffic(r.HandlesTicketDelivery, keys.Redact)
	began, seen := time.Now(), recorded{calls: map[partnerapi.Endpoint]*sample{}}
	for x, err := range recording.Read(ctx, r.Files, counts) {
		if err != nil {
			return nil, err
		}
		keys.Learn(x.Header.Get("Authorization"))
		call := callOf(x, counts.Judged)
		seen.take(call)
		traffic.Take(call)
	}
	if counts.Judged == 0 {
		return nil, errors.New("no call of the partner contract was found: expected requests such as GET …/products or POST …/bookings/reserve")
	}
	verdicts := judge.NewVerdicts(keys.Words)
	traffic.Settle(verdicts)
	result := &report.Result{
		Verdict: report.Partial, Recorded: true,
		Target: report.Target{
			BaseURL: keys.Words(seen.base), AuthType: seen.auth, HandlesTicketDelivery: r.HandlesTicketDelivery,
		},
		SuiteVersion: cmp.Or(r.Version, "devel"), ContractVersion: schemas.ContractVersion(),
		StartedAt: seen.first.UTC().Truncate(time.Millisecond), DurationMS: time.Since(began).Milliseconds(),
		Coverage: report.Coverage{
			Calls: counts.Judged, Holds: seen.holds, Bookings: seen.bookings,
		},
		Latency: seen.latency(), Pictures: map[string][]byte{}, Summary: map[report.Outcome]int{},
	}
	result.Coverage.Products, result.Coverage.Options = traffic.Catalog()
	result.Rules = recordedRules(verdicts, keys)
	result.CallerFaults = traffic.CallerFaults(keys.Words, keys.Clean)
	for _, one := range result.Rules {
		result.Summary[one.Outcome]++
	}
	result.Reason = fmt.Sprintf("only %s of a recording were judged, from %s to %s", count.Of(counts.Judged, "call"),
		seen.first.UTC().Format(time.RFC3339), seen.last.UTC().Format(time.RFC3339))
	if counts.Late > 0 {
		result.Reason += fmt.Sprintf("; %s stood too far from their place in time", count.Of(counts.Late, "call"))
	}
	if result.Summary[report.Failed] > 0 {
		result.Verdict, result.Reason = report.Nonconformant, ""
	}
	return &Outcome{Result: result, Redactor: keys.Redactor()}, nil
}

// recordedRules returns what came of every rule, with evidence that is fit to be shown.
func recordedRules(verdicts *judge.Verdicts, keys *probe.Keyring) (all []report.RuleResult) {
	for _, one := range rule.All() {
		v := verdicts.Get(one.ID)
		if v == nil {
			v = verdicts.Set(one, report.Skipped, "the recording does not decide it")
			v.Remedy = "Run 'conformance run' against the partner."
		}
		for i, exchange := range v.Exchanges {
			v.Exchanges[i] = keys.Clean(exchange)
		}
		all = append(all, *v)
	}
	return all
}

func callOf(x *recording.Exchange, number int) *judge.Call {
	limit := x.Endpoint.Timeout(partnerapi.Healthy)
	if x.Endpoint == partnerapi.Products && x.URL.Query().Has("limit") {
		limit = partnerapi.ProbeTimeout
	}
	shown := *x.URL
	shown.User = nil
	call := &judge.Call{
		Answer: probe.Recorded{
			Number: number, Endpoint: x.Endpoint, Started: x.Started, Took: x.Took, Limit: limit, Method: x.Method, URL: shown.String(),
			Request: x.Header, Answer: x.AnswerHeader, Body: x.Body, Raw: x.Answer, Status: x.Status, Error: x.Error,
		}.Exchanged(),
		Segment: x.Segment, Named: x.Named, Query: x.URL.Query(), Body: x.Body, Whole: !x.Cut, Keyless: len(x.Header.Values("Authorization")) == 0,
	}
	if key := x.Header.Get("Authorization"); !strings.Contains(key, probe.Redacted) {
		call.Key = key
	}
	return call
}

// recorded is what recorded calls show beside what they are judged by.
type recorded struct {
	base            string // the partner's address
	auth            partnerapi.AuthType
	first, last     time.Time
	holds, bookings int
	calls           map[partnerapi.Endpoint]*sample
}

func (s *recorded) take(c *judge.Call) {
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

func (s *recorded) latency() []report.Latency {
	all := []report.Latency{}
	for _, endpoint := range partnerapi.Endpoints() {
		if of := s.calls[endpoint]; of != nil {
			latency := latencyOf(endpoint, of.kept, func(d time.Duration) time.Duration { return d })
			latency.Calls = of.count
			all = append(all, latency)
		}
	}
	return all
}

// sample keeps every call of few, and evenly chosen ones of many.
type sample struct {
	kept         []*probe.Exchange
	count, every int
}

// mostSampled bounds it.
const mostSampled = 10_000

func (s *sample) add(x *probe.Exchange) {
	if s.count%s.every == 0 {
		s.kept = append(s.kept, x)
	}
	s.count++
	if len(s.kept) == mostSampled {
		s.every *= 2
		kept := s.kept[:0]
		for i, one := range s.kept {
			if i%2 == 0 {
				kept = append(kept, one)
			}
		}
		s.kept = slices.Clip(kept)
	}
}
