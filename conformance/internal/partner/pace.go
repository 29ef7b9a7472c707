package partner

import (
	"fmt"
	"sync"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// JudgedCalls is the number of consecutive calls that are compared with a limit: two late calls
// among them break it (LIM-3).
const JudgedCalls = 3

// Limit names a limit of the contract.
type Limit struct {
	Endpoint partnerapi.Endpoint
	Form     Form // Probe, or Usual
}

// Pace keeps the answer times of one limit. Once the limit is broken, no further call is sent, so
// that judging a slow partner takes bounded time.
type Pace struct {
	Name  Limit
	Limit time.Duration

	mu    sync.Mutex
	calls []*report.Exchange
	late  []*report.Exchange
	worst []*report.Exchange // the calls that broke the limit
}

func (p *Pace) record(exchange *report.Exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if exchange.Failure != nil && exchange.Failure.Kind != report.Timeout {
		return // a call that broke off early shows nothing about the limit
	}
	p.calls = append(p.calls, exchange)
	if !isLate(exchange, p.Limit) {
		return
	}
	p.late = append(p.late, exchange)
	if last := p.calls[max(0, len(p.calls)-JudgedCalls):]; p.worst == nil && p.Name.BreachStop(p.Limit, last) != nil {
		p.worst = last
	}
}

func isLate(exchange *report.Exchange, limit time.Duration) bool {
	return exchange.Failure != nil || exchange.Duration > limit
}

// BreachStop returns a stop if the last calls, at most JudgedCalls, break the limit, else nil.
func (l Limit) BreachStop(limit time.Duration, last []*report.Exchange) *Stop {
	var late []*report.Exchange
	for _, call := range last {
		if isLate(call, limit) {
			late = append(late, call)
		}
	}
	if len(late) < 2 {
		return nil
	}
	late = late[len(late)-2:]
	return &Stop{
		Kind: Late, Endpoint: l.Endpoint, Form: l.Form, Exchanges: late,
		Message: fmt.Sprintf("Expected the complete answer within %s: 2 of 3 calls took longer, %s and %s", limit, durationWords(late[0]), durationWords(late[1])),
	}
}

// BreachStop returns a stop if the limit is broken, else nil.
func (p *Pace) BreachStop() *Stop {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Name.BreachStop(p.Limit, p.worst)
}

// stopUnanswered returns the stop of a call that was not answered and must not be sent again. Either
// the limit is broken, or this was a single late answer, which proves nothing (LIM-3).
func (p *Pace) stopUnanswered(call probe.Call) *Stop {
	if broken := p.BreachStop(); broken != nil {
		return broken
	}
	return NotHere("%s was not answered once; a single late answer is not held against the partner", call.Endpoint)
}

// Times returns how long every call took.
func (p *Pace) Times() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	times := make([]time.Duration, len(p.calls))
	for i, call := range p.calls {
		times[i] = call.Duration
	}
	return times
}

// LateCalls returns the calls over the limit.
func (p *Pace) LateCalls() []*report.Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]*report.Exchange(nil), p.late...)
}

func durationWords(exchange *report.Exchange) string {
	took := exchange.Duration.Round(time.Millisecond).String()
	if exchange.Failure != nil {
		return "no answer in " + took
	}
	return took
}

// paces has a Pace for each limit of the contract.
type paces map[Limit]*Pace

func newPaces(scale float64) paces {
	all := paces{}
	add := func(name Limit, limit time.Duration) {
		all[name] = &Pace{Name: name, Limit: time.Duration(scale * float64(limit))}
	}
	for _, endpoint := range partnerapi.Endpoints() {
		add(Limit{Endpoint: endpoint}, endpoint.Timeout(partnerapi.Healthy))
	}
	add(Limit{partnerapi.Products, Probe}, partnerapi.ProbeTimeout)
	return all
}
