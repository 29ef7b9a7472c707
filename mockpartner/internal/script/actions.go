package script

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"
)

// Actions are what a fault does. A new action is a file with its type, and a
// field here. At most one of them replaces the answer, and at most one says how
// it goes over the wire.
type Actions struct {
	Delay   *Delay   `yaml:"delay" json:"delay,omitempty"`
	Latency *Latency `yaml:"latency" json:"latency,omitempty"`

	Answer `yaml:",inline"` // status and body

	Admit     Admit     `yaml:"admit" json:"admit,omitempty"`
	SetStatus SetStatus `yaml:"set_status" json:"set_status,omitempty"`
	JQ        JQ        `yaml:"jq" json:"jq,omitempty"`
	Headers   *Headers  `yaml:"headers" json:"headers,omitempty"`

	Wire       Wire        `yaml:"fault" json:"fault,omitempty"`
	Send       *Send       `yaml:"send" json:"send,omitempty"`
	LimitData  *LimitData  `yaml:"limit_data" json:"limit_data,omitempty"`
	Bandwidth  *Bandwidth  `yaml:"bandwidth" json:"bandwidth,omitempty"`
	SlowHeader *SlowHeader `yaml:"slow_header" json:"slow_header,omitempty"`
	SlowClose  *SlowClose  `yaml:"slow_close" json:"slow_close,omitempty"`
}

// action is one thing that a fault does.
type action interface {
	// compile checks the action, and returns it ready for use: as a waiter, a
	// replacer, a transformer or a deliverer.
	compile() (action, error)
}

// waiter is late with the answer.
type waiter interface {
	wait(random *rand.Rand) time.Duration
}

// replacer gives another answer than the partner would.
type replacer interface {
	replace(fault string) *response
}

// transformer changes an answer.
type transformer interface {
	transform(ctx context.Context, answer *response, variables func() []any) error
}

// deliverer puts an answer on the wire. What it writes has begun to be on
// record; to break the connection off it panics with http.ErrAbortHandler.
type deliverer interface {
	deliver(ctx context.Context, w http.ResponseWriter, answer *response, random *rand.Rand)
}

// response is an answer that is not on its way yet.
type response struct {
	status int
	header http.Header
	body   []byte
}

// given lists the actions that the fault has.
func (a Actions) given() (all []action) {
	add := func(given bool, one action) {
		if given {
			all = append(all, one)
		}
	}
	add(a.Delay != nil, a.Delay)
	add(a.Latency != nil, a.Latency)
	add(a.Status != 0 || a.Body != nil, a.Answer)
	add(bool(a.Admit), a.Admit)
	add(a.SetStatus != 0, a.SetStatus)
	add(a.JQ != "", a.JQ)
	add(a.Headers != nil, a.Headers)
	add(a.Wire != "", a.Wire)
	add(a.Send != nil, a.Send)
	add(a.LimitData != nil, a.LimitData)
	add(a.Bandwidth != nil, a.Bandwidth)
	add(a.SlowHeader != nil, a.SlowHeader)
	add(a.SlowClose != nil, a.SlowClose)
	return all
}

func (a Actions) compile(when When, answered Answered) (compiled []action, err error) {
	deliverers, answers, waits, admits := 0, 0, 0, 0
	for _, one := range a.given() {
		ready, err := one.compile()
		if err != nil {
			return nil, err
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
		case Admit:
			admits++
		}
	}
	switch {
	case len(compiled) == 0:
		return nil, at("name", "the fault does nothing: give it a delay, latency, status, body, admit, set_status, jq, headers, fault, send, limit_data, bandwidth, slow_header or slow_close")
	case deliverers > 1:
		return nil, at("fault", "want one of fault, delay.dribble, send, limit_data, bandwidth, slow_header and slow_close")
	case answered != "" && when != After && answers+waits > 0:
		return nil, at("answered", "what the partner answers is known after the effect only: want when: after with it")
	case when == Before && answers+waits+admits == 0:
		return nil, at("when", "before the effect there is no answer to change: leave it out, or give a status")
	}
	return compiled, nil
}
