package judge

import (
	"fmt"
	"strings"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas"
)

// callerRule is a rule for the caller. The mock partner judges its callers by the same rules, and by more.
type callerRule struct{ id, clause, title string }

var (
	callerRules  []callerRule // in the order of a booking
	authorized   = newCallerRule("call.authorized", "AUTH-1", "Every call presents the key in the registered form")
	escaped      = newCallerRule("call.escaped", "RSV-6", "Codes and booking ids are escaped as one path segment")
	bodySchema   = newCallerRule("call.schema", "AVL-1, RSV-1, CNF-1, REL-1, CAN-1", "Request bodies match their schemas")
	bodyType     = newCallerRule("call.content-type", "AVL-1, RSV-1, CNF-1, REL-1, CAN-1", "A body is sent as JSON")
	productsForm = newCallerRule("products.form", "PRD-13, PRD-14", "The catalog is requested completely, with updated_since, or with exactly ?limit=1 as the health probe")
	windowForm   = newCallerRule("availability.window", "AVL-2", "Windows are today and the 60 days after it, or a single one of those days")
	reserveOnce  = newCallerRule("reserve.once", "RSV-3", "Reserve is never sent again")
	confirmOnce  = newCallerRule("confirm.once", "CNF-4", "Confirm is sent once, and again only if no complete response arrived")
	notReleased  = newCallerRule("confirm.not-released", "CNF-5", "A released hold is not confirmed")
	releaseBody  = newCallerRule("release.body", "REL-1", "A release names the same code in path and body")
)

func newCallerRule(id, clause, title string) callerRule {
	d := callerRule{id, clause, title}
	callerRules = append(callerRules, d)
	return d
}

// caller collects the faults of the caller of recorded calls, by duty id.
type caller struct {
	faults map[string]*report.CallerFault
	once   map[string]bool // references of its reserves, up to a limit
}

func newCaller() caller { return caller{map[string]*report.CallerFault{}, map[string]bool{}} }

// blame records a fault of the caller in a call.
func (t *Traffic) blame(c *Call, d callerRule, format string, args ...any) {
	fault := t.caller.faults[d.id]
	if fault == nil {
		fault = &report.CallerFault{ID: d.id, Clause: d.clause, Title: d.title, Message: fmt.Sprintf(format, args...), Exchange: *c.Exchange}
		t.caller.faults[d.id] = fault
	}
	fault.Calls++
}

// CallerFaults returns the caller's faults in the order of a booking, with their texts passed
// through words.
func (t *Traffic) CallerFaults(words func(string) string, clean func(probe.Exchange) probe.Exchange) (all []report.CallerFault) {
	for _, d := range callerRules {
		if fault := t.caller.faults[d.id]; fault != nil {
			shown := *fault
			shown.Message, shown.Exchange = words(fault.Message), clean(fault.Exchange)
			all = append(all, shown)
		}
	}
	return all
}

// asks reports whether the body of a call matches its schema, and decodes it.
func (t *Traffic) asks(c *Call, schema string, into any) bool {
	problems := schemas.Decode(schema, c.Body, into)
	if len(problems) == 0 {
		return true
	}
	said := problems[0].String()
	if strings.HasPrefix(problems[0].Pointer, "/contact") { // the received value is a customer's data
		said, _, _ = strings.Cut(said, ", received")
	}
	t.blame(c, bodySchema, "The body of %s breaks its schema: %s", c.Endpoint, said)
	return false
}

// typed reports whether a call has no body, or sends it as JSON.
func (t *Traffic) typed(c *Call) bool {
	declared := c.Request.Header.Get("Content-Type")
	if len(c.Body) == 0 || isJSONType(declared) {
		return true
	}
	t.blame(c, bodyType, "The body of %s has the Content-Type %.80q: expected application/json", c.Endpoint, declared)
	return false
}

// reservedOnce records a repeated reserve as a fault.
func (t *Traffic) reservedOnce(c *Call, reference string) {
	switch {
	case reference == "":
	case t.caller.once[reference]:
		t.blame(c, reserveOnce, "Reserve was sent again for the resellerReference %.60q", reference)
	case len(t.caller.once) < mostLifecycles:
		t.caller.once[reference] = true
	}
}

// mayConfirm records a confirm that the caller should not have sent.
func (t *Traffic) mayConfirm(c *Call, l *lifecycle) {
	switch l.stage {
	case released:
		t.blame(c, notReleased, "The code %.60q was confirmed after its release had been answered", l.code)
	case confirmedStage:
		t.blame(c, confirmOnce, "The code %.60q was confirmed again after it had been answered with booking %.60q", l.code, l.id)
	}
}

// keepsWindow reports whether a partner must answer for the window. If not, it records a fault of
// the caller.
func (t *Traffic) keepsWindow(c *Call, lawful bool, from, to string) bool {
	if !lawful {
		t.blame(c, windowForm, "The window is %.20s to %.20s: expected today and the 60 days after it, or one of these days", from, to)
	}
	return lawful
}
