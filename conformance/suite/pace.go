package suite

import (
	"sync"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// judgedCalls is how many calls a limit is judged on: two of them over it are a
// breach (LIM-3).
const judgedCalls = 3

// pace keeps the answer times of one limit. When the limit is broken no
// further call is made: the partner is judged in bounded time, whatever it does.
type pace struct {
	rule  rule.Rule
	limit time.Duration

	mu    sync.Mutex
	calls []*probe.Exchange
	worst [judgedCalls - 1]*probe.Exchange // of the two late calls that broke the limit
	late  []*probe.Exchange
}

// record enters a call that was made.
func (p *pace) record(exchange *probe.Exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if exchange.Failure != nil && exchange.Failure.Kind != probe.Timeout {
		return // a call that broke off early says nothing about the limit
	}
	p.calls = append(p.calls, exchange)
	if !p.isLate(exchange) {
		return
	}
	p.late = append(p.late, exchange)
	recent := p.calls[max(0, len(p.calls)-judgedCalls):]
	var both []*probe.Exchange
	for _, call := range recent {
		if p.isLate(call) {
			both = append(both, call)
		}
	}
	if len(both) >= len(p.worst) && p.worst[0] == nil {
		copy(p.worst[:], both)
	}
}

func (p *pace) isLate(exchange *probe.Exchange) bool {
	return exchange.Failure != nil || exchange.Duration > p.limit
}

// broken returns the obstacle of a limit that is broken, or nil.
func (p *pace) broken() *obstacle {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.worst[0] == nil {
		return nil
	}
	o := breach(p.rule, nil, "want the whole answer within %s: 2 of 3 calls took longer, %s and %s",
		p.limit, spent(p.worst[0]), spent(p.worst[1]))
	o.Exchanges = p.worst[:]
	return o
}

// unanswered returns the obstacle of a call that was not answered, and must not be sent
// again: the limit is broken, or this was bad luck (LIM-3), and proves nothing.
func (p *pace) unanswered(call probe.Call) *obstacle {
	if broken := p.broken(); broken != nil {
		return broken
	}
	o := missing("%s was not answered once; a single late answer is not held against the partner", call.Endpoint)
	o.tryAnother = true
	return o
}

// times returns the answer times of all calls.
func (p *pace) times() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	times := make([]time.Duration, len(p.calls))
	for i, call := range p.calls {
		times[i] = call.Duration
	}
	return times
}

// lateCalls returns the calls that took longer than the limit.
func (p *pace) lateCalls() []*probe.Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]*probe.Exchange(nil), p.late...)
}

// spent says how long a call took.
func spent(exchange *probe.Exchange) string {
	took := exchange.Duration.Round(time.Millisecond).String()
	if exchange.Failure != nil {
		return "no answer in " + took
	}
	return took
}

// paces holds a pace for each limit of the contract.
type paces map[string]*pace

func newPaces(scale float64) paces {
	all := paces{}
	add := func(r rule.Rule, limit time.Duration) {
		all[r.ID] = &pace{rule: r, limit: time.Duration(scale * float64(limit))}
	}
	for endpoint, r := range limitRules {
		add(r, endpoint.Timeout(partnerapi.Healthy))
	}
	add(rule.ProbeLimit, partnerapi.ProbeTimeout)
	return all
}

// limitRules names the limit rule of each endpoint.
var limitRules = map[partnerapi.Endpoint]rule.Rule{
	partnerapi.Products:     rule.ProductsLimit,
	partnerapi.Availability: rule.AvailabilityLimit,
	partnerapi.Reserve:      rule.ReserveLimit,
	partnerapi.Confirm:      rule.ConfirmLimit,
	partnerapi.Release:      rule.ReleaseLimit,
	partnerapi.Cancel:       rule.CancelLimit,
}
