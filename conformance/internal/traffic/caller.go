package traffic

import (
	"fmt"
	"slices"
	"strings"

	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/callerrules"
	"partnerkit.dev/schemas/partnerapi"
)

// caller collects the faults of the caller of recorded calls, by duty id.
type caller struct {
	faults map[string]*report.CallerFault
	once   map[string]bool // references of its reserves, up to a limit
	// questions are bodies that asked for slots and were valid.
	questions map[string]partnerapi.AvailabilityRequest
}

func newCaller() *caller {
	return &caller{map[string]*report.CallerFault{}, map[string]bool{}, map[string]partnerapi.AvailabilityRequest{}}
}

// blame records a fault of the caller in a call, unless it made it on purpose.
func (a *caller) blame(c *call, d callerrules.Rule, format string, args ...any) {
	c.invalid = c.invalid || slices.Contains(invalidating, d)
	if c.marked {
		return
	}
	fault := a.faults[d.ID]
	if fault == nil {
		fault = &report.CallerFault{ID: d.ID, Clause: d.Clause, Title: d.Title, Message: fmt.Sprintf(format, args...), Exchange: *c.Exchange}
		a.faults[d.ID] = fault
	}
	fault.Calls++
}

// invalidating lists the rules that a request of a marketplace keeps; partners may refuse any other (GEN-8).
var invalidating = []callerrules.Rule{callerrules.BodySchema, callerrules.BodyType, callerrules.ProductsForm, callerrules.Escaped, callerrules.ReleaseBody, callerrules.Units, callerrules.Window}

// reportFaults returns the caller's faults in the order of a booking, with their texts passed through
// words.
func (a *caller) reportFaults(words func(string) string, clean func(report.Exchange) report.Exchange) (all []report.CallerFault) {
	for _, d := range callerrules.All() {
		if fault := a.faults[d.ID]; fault != nil {
			shown := *fault
			shown.Message, shown.Exchange = words(fault.Message), clean(fault.Exchange)
			all = append(all, shown)
		}
	}
	return all
}

// fits reports whether a call is as a duty requires, given what its judge says is wrong.
func (a *caller) fits(c *call, d callerrules.Rule, wrong string) bool {
	if wrong != "" {
		a.blame(c, d, "%s%s", strings.ToUpper(wrong[:1]), wrong[1:])
	}
	return wrong == ""
}

// reservedOnce records a repeated reserve as a fault.
func (a *caller) reservedOnce(c *call, reference string) {
	switch {
	case reference == "":
	case a.once[reference]:
		a.blame(c, callerrules.ReserveOnce, "Reserve was sent again for the resellerReference %.60q", reference)
	case len(a.once) < mostHolds:
		a.once[reference] = true
	}
}

// mayConfirm records a confirm that the caller should not have sent.
func (a *caller) mayConfirm(c *call, h *hold) {
	switch h.stage() {
	case model.Released:
		a.blame(c, callerrules.NotReleased, "The code %.60q was confirmed after its release had been answered", h.code)
	case model.Booked:
		a.blame(c, callerrules.ConfirmOnce, "The code %.60q was confirmed again after it had been answered with booking %.60q", h.code, h.id)
	}
}

const outsideWindow = "The window is %.20s to %.20s: expected today and the 60 days after it, or one of these days"

// asksWindow reports whether a partner must answer for the window of a call. If not, it records a
// fault of the caller.
func (a *caller) asksWindow(c *call, q scenario.Question) bool {
	if callerrules.WindowOf(q.Window.From, q.Window.To, q.Product.Zone, c.PartnerTime()) != callerrules.OtherWindow {
		return true
	}
	a.blame(c, callerrules.Window, outsideWindow, q.Window.From, q.Window.To)
	return false
}
