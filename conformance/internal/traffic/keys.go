package traffic

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/callerrules"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/schemas/partnerapi"
)

// times contains the last calls of one limit: two late answers in three break it (LIM-3).
type times struct {
	late  []bool // the newest last, at most three
	shown []*report.Exchange
}

// timing contains the times of every limit, by the id of the rule about it.
type timing map[string]*times

// take judges how long a call took.
func (all timing) take(t *tally, c *call) {
	if c.Limit == 0 || c.Failure != nil && c.Failure.Kind != report.Timeout {
		return
	}
	r := judge.LimitRules[c.Endpoint]
	if c.Endpoint == partnerapi.Products && c.Query.Has("limit") {
		r = rule.ProbeLimit
	}
	last := all[r.ID]
	if last == nil {
		last = &times{}
		all[r.ID] = last
	}
	late := c.Duration > c.Limit
	if last.late = append(last.late, late); len(last.late) > 3 {
		last.late = last.late[1:]
	}
	f := judge.Finding{}
	if late {
		last.shown = append(last.shown[max(0, len(last.shown)-1):], c.Exchange)
		if slow := slices.DeleteFunc(slices.Clone(last.late), func(late bool) bool { return !late }); len(slow) > 1 {
			f = judge.Breach("Expected the complete answer within %s: %d of %s in a row took longer, the last %s",
				c.Limit, len(slow), plural.Count(len(last.late), "call"), c.Duration.Round(time.Millisecond)).WithEvidence(last.shown...)
		}
	}
	if !t.find(r, f) || !late {
		return
	}
	if _, known := t.broken[r.ID]; !known {
		late := judge.Finding{Outcome: report.Warned, Message: fmt.Sprintf("Expected the complete answer within %s: one call took %s", c.Limit, c.Duration.Round(time.Millisecond))}
		t.broken[r.ID] = late.WithEvidence(c.Exchange)
	}
}

// keys is what the recording shows about the keys in use.
type keys struct {
	shown    bool                        // at least one call shows its key
	without  []*call                     // the first call without a key
	missing  int                         // number of calls without a key
	accepted map[string]bool             // keys with which a call succeeded
	refused  map[string]*report.Exchange // a 401 for a key that had been accepted: a breach if the key is accepted again
	keyless  map[string]judge.Finding    // calls without a key that were not answered 401, by rule id
	probed   map[string]bool             // rules that judged a call without a key that was answered 401
}

// mostKeys is the maximum number of keys that are remembered. A partner issues few.
const mostKeys = 100

func newKeys() *keys {
	return &keys{
		accepted: map[string]bool{}, refused: map[string]*report.Exchange{},
		keyless: map[string]judge.Finding{}, probed: map[string]bool{},
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
	missing := judge.KeyMissing[c.Endpoint][0]
	if c.Endpoint == partnerapi.Products && c.Query.Has("limit") {
		missing = rule.ProbeMissingKey
	}
	refused := c.HasStatus(http.StatusUnauthorized, http.StatusForbidden)
	switch {
	case c.Keyless && c.HasStatus(http.StatusUnauthorized):
		k.probed[missing.ID] = true
	case c.Keyless && !k.keyless[missing.ID].Ends():
		k.keyless[missing.ID] = judge.Breach("Expected 401, received %s", c.Words()).WithEvidence(c.Exchange)
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
			t.find(rule.KeyAccepted, judge.Breach("Expected a key that is accepted before and afterwards to be accepted, received %d", before.Response.Status).
				WithEvidence(before, c.Exchange))
			delete(k.refused, c.Key)
		} else {
			t.find(rule.KeyAccepted, judge.Finding{})
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
func (k *keys) settle(t *tally, by *caller) {
	if !k.shown {
		return
	}
	for _, c := range k.without {
		delete(by.faults, callerrules.Authorized.ID) // from an earlier Settle
		by.blame(c, callerrules.Authorized, "There is no Authorization header in %s", plural.Count(k.missing, "call"))
		by.faults[callerrules.Authorized.ID].Calls = k.missing
	}
	for _, rules := range judge.KeyMissing {
		for _, r := range rules {
			if f := k.keyless[r.ID]; f.Ends() || k.probed[r.ID] {
				t.find(r, f)
			}
		}
	}
}
