// Package fault implements what a fault does to one request and its answer: delay it, replace it,
// change it, or break it on the wire. If WireMock or toxiproxy has a word for an action, that word
// is used.
package fault

import (
	"reflect"
	"strings"

	"partnerkit.dev/mockpartner/internal/invalid"
)

// Actions are what a fault does. Each field has a file of its name, with its type and what the type
// does: see step.go. The fields are in the order in which they apply. At most one of them replaces
// the answer, and at most one determines how it is sent.
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

// Effect is the compiled actions of a fault.
type Effect struct {
	steps
	when     When
	answered Answered
}

// Compile validates and compiles the actions. Its error is an *invalid.Error.
func (a Actions) Compile(when When, answered Answered) (Effect, error) {
	e := Effect{when: when, answered: answered}
	var ways []string // of sending the answer
	for field, value := range reflect.ValueOf(a).Fields() {
		if value.IsZero() {
			continue
		}
		action := value.Interface()
		if c, ok := action.(compiler); ok {
			var err error
			if action, err = c.compile(); err != nil {
				return Effect{}, err
			}
		}
		e.add(action)
		if _, sends := action.(deliverer); sends {
			ways = append(ways, field.Tag.Get("yaml"))
		}
	}
	replaces := e.replacer != nil || e.losesAnswer()
	switch {
	case len(ways) > 1:
		return Effect{}, invalid.ErrorAt(ways[0], "cannot be combined with %s: each determines how the answer is sent", strings.Join(ways[1:], " and "))
	case answered != "" && when != After && (replaces || len(e.waiters) > 0):
		return Effect{}, invalid.ErrorAt("answered", "requires when: after, because the answer is known only after the effect")
	case when == Before && !replaces && len(e.waiters)+len(e.requesters) == 0 && e.cache == nil:
		return Effect{}, invalid.ErrorAt("when", "there is no answer to change before the effect: leave it out, or give a status")
	}
	return e, nil
}

// ActionKeys returns the keys of all actions in a scenario file.
func ActionKeys() (all []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Actions]()) {
		if !field.Anonymous {
			all = append(all, field.Tag.Get("yaml"))
		}
	}
	return all
}
