// Package fault implements what a fault does to one request and its answer: delay it, replace it,
// change it, or break it on the wire. If WireMock or toxiproxy has a word for an action, that word
// is used.
package fault

import (
	"partnerkit.dev/mockpartner/internal/invalid"
)

// Actions are what a fault does. A new action is a type that waits, replaces, transforms or
// delivers an answer, and a field here. At most one of them replaces the answer, and at most one
// determines how it is sent.
type Actions struct {
	Delay   *Delay   `yaml:"delay" json:"delay,omitempty"`
	Latency *Latency `yaml:"latency" json:"latency,omitempty"`

	Answer `yaml:",inline"` // status and body

	Request Request `yaml:"request" json:"request,omitempty"`
	Cache   *Cache  `yaml:"cache" json:"cache,omitempty"`

	Admit     Admit     `yaml:"admit" json:"admit,omitempty"`
	SetStatus SetStatus `yaml:"set_status" json:"set_status,omitempty"`
	JQ        JQ        `yaml:"jq" json:"jq,omitempty"`
	Replace   *Replace  `yaml:"replace" json:"replace,omitempty"`
	Headers   *Headers  `yaml:"headers" json:"headers,omitempty"`

	Wire       Wire        `yaml:"fault" json:"fault,omitempty"`
	Send       *Send       `yaml:"send" json:"send,omitempty"`
	LimitData  *LimitData  `yaml:"limit_data" json:"limit_data,omitempty"`
	Bandwidth  *Bandwidth  `yaml:"bandwidth" json:"bandwidth,omitempty"`
	SlowHeader *SlowHeader `yaml:"slow_header" json:"slow_header,omitempty"`
	SlowClose  *SlowClose  `yaml:"slow_close" json:"slow_close,omitempty"`
}

func (a Actions) given() (all []any) {
	add := func(given bool, one any) {
		if given {
			all = append(all, one)
		}
	}
	add(a.Delay != nil, a.Delay)
	add(a.Latency != nil, a.Latency)
	add(a.Status != 0 || a.Body != nil, a.Answer)
	add(a.Request != "", a.Request)
	add(a.Cache != nil, a.Cache)
	add(bool(a.Admit), a.Admit)
	add(a.SetStatus != 0, a.SetStatus)
	add(a.JQ != "", a.JQ)
	add(a.Replace != nil, a.Replace)
	add(a.Headers != nil, a.Headers)
	add(a.Wire != "", a.Wire)
	add(a.Send != nil, a.Send)
	add(a.LimitData != nil, a.LimitData)
	add(a.Bandwidth != nil, a.Bandwidth)
	add(a.SlowHeader != nil, a.SlowHeader)
	add(a.SlowClose != nil, a.SlowClose)
	return all
}

// Effect is the compiled actions of a fault.
type Effect struct {
	actions  []any
	when     When
	answered Answered
}

// Compile validates and compiles the actions. Its error is an *invalid.Error.
func (a Actions) Compile(when When, answered Answered) (Effect, error) {
	var compiled []any
	deliverers, answers, waits, passes := 0, 0, 0, 0
	for _, ready := range a.given() {
		if c, ok := ready.(compiler); ok {
			var err error
			if ready, err = c.compile(); err != nil {
				return Effect{}, err
			}
		}
		compiled = append(compiled, ready)
		switch ready := ready.(type) {
		case replacer:
			answers++
		case deliverer:
			deliverers++
			if _, loses := ready.(Wire); loses {
				answers++
			}
		case waiter:
			waits++
		case Admit, *rewrite, *cache:
			passes++
		}
	}
	switch {
	case len(compiled) == 0:
		return Effect{}, invalid.At("name", "the fault does nothing: give it a delay, latency, status, body, request, cache, admit, set_status, jq, replace, headers, fault, send, limit_data, bandwidth, slow_header or slow_close")
	case deliverers > 1:
		return Effect{}, invalid.At("fault", "expected one of fault, delay.dribble, send, limit_data, bandwidth, slow_header and slow_close")
	case answered != "" && when != After && answers+waits > 0:
		return Effect{}, invalid.At("answered", "requires when: after, because the answer is known only after the effect")
	case when == Before && answers+waits+passes == 0:
		return Effect{}, invalid.At("when", "there is no answer to change before the effect: leave it out, or give a status")
	}
	return Effect{compiled, when, answered}, nil
}
