package traffic

import (
	"net/http"
	"slices"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/callerrules"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/schemas/partnerapi"
)

// timing contains the last calls of every limit, as many as are compared with it.
type timing map[partner.Limit][]*report.Exchange

// take judges how long a call took. A call that was given up within its limit shows nothing.
func (all timing) take(t *tally, c *call) {
	if c.Limit == 0 || c.Failure != nil && (c.Failure.Kind != report.Timeout || c.Duration <= c.Limit) {
		return
	}
	name := partner.Limit{Endpoint: c.Endpoint, Form: c.Form}
	last := append(all[name], c.Exchange)
	last = slices.Clone(last[max(0, len(last)-partner.JudgedCalls):])
	all[name] = last
	found, doubt := judge.LimitFinding(name, last)
	t.record(found)
	if doubt.Ends() {
		t.doubt(found.Rule, doubt)
	}
}

// keys is what the recording shows about the keys in use.
type keys struct {
	shown    bool                         // at least one call shows its key
	without  []*call                      // the first call without a key
	missing  int                          // number of calls without a key
	accepted map[string]accepted          // what is known of each key with which a call succeeded
	refused  map[string]*report.Exchange  // a 401 for a key that had been accepted: a breach if the key is accepted again
	keyless  map[string]judge.RuleFinding // what calls without a key show, by rule id: the first breach, if there is one
}

// accepted is the endpoints that have accepted a key.
type accepted map[partnerapi.Endpoint]bool

// isValidAt reports whether a key must be accepted by an endpoint: it was before, a read accepts it, or two others do. A single
// one of these may accept any key.
func (a accepted) isValidAt(e partnerapi.Endpoint) bool {
	return a[e] || a[partnerapi.Products] || a[partnerapi.Availability] || len(a) > 1
}

// mostKeys is the maximum number of keys that are remembered. A partner issues few.
const mostKeys = 100

func newKeys() *keys {
	return &keys{
		accepted: map[string]accepted{}, refused: map[string]*report.Exchange{},
		keyless: map[string]judge.RuleFinding{},
	}
}

// take judges the authentication of a call, and reports whether the call shows nothing else.
func (k *keys) take(t *tally, c *call) (all bool) {
	if c.Keyless {
		if k.missing++; k.missing == 1 {
			k.without = []*call{c}
		}
	}
	if c.Failure != nil {
		return false
	}
	refused := c.HasStatus(http.StatusUnauthorized, http.StatusForbidden)
	k.shown = k.shown || !c.Keyless
	switch {
	case c.invalid || c.Unknown && !c.HasStatus(http.StatusOK, http.StatusCreated): // it may have been refused for its body first
	case c.Keyless:
		if f := judge.KeylessFinding(c.Form, c.Answer); !k.keyless[f.Rule.ID].Ends() {
			k.keyless[f.Rule.ID] = f
		}
	case c.Key == "":
	case refused && k.accepted[c.Key] != nil:
		if k.refused[c.Key] == nil {
			k.refused[c.Key] = c.Exchange
		}
	case !refused:
		k.accept(c.Key, c.Endpoint)
		if before := k.refused[c.Key]; before == nil || k.accepted[c.Key].isValidAt(before.Endpoint) {
			t.record(judge.AcceptedKey(before, c.Exchange))
			delete(k.refused, c.Key)
		}
	}
	return refused
}

func (k *keys) accept(key string, by partnerapi.Endpoint) {
	if k.accepted[key] == nil && len(k.accepted) < mostKeys {
		k.accepted[key] = accepted{}
	}
	if of := k.accepted[key]; of != nil {
		of[by] = true
	}
}

// settle judges the calls without a key. If no call shows a key, the recording omits them.
func (k *keys) settle(t *tally, by *caller) {
	if !k.shown {
		return
	}
	for _, c := range k.without {
		delete(by.faults, callerrules.Authorized.ID) // from an earlier Settle
		by.blame(c, callerrules.Authorized, "There is no Authorization header in %s", plural.Count(k.missing, "call"))
		by.faults[callerrules.Authorized.ID].Calls = k.missing
	}
	for _, f := range k.keyless {
		t.record(f)
	}
}
