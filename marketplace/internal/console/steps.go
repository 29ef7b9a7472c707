package console

import (
	"fmt"
	"slices"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/schemas/partnerapi"
)

// step is one step before a platform goes live.
type step struct {
	Title string
	Done  bool
	Says  string // the result, or what to do
	Where string // the id of the page's part about it; "": none
	Least bool   // an operator cannot judge a platform without it
}

// approvedStep is the title of the last step.
const approvedStep = "The marketplace has approved it"

// stepsOf returns the steps of a page's platform.
func stepsOf(p *integrationPage) []step {
	connected := p.Health.State == partnerapi.Healthy && !p.Health.LastOKAt.IsZero()
	synced := p.LastSync != nil && !p.LastSyncAt.IsZero()
	aside := 0
	if p.LastSync != nil {
		aside = len(p.LastSync.SetAside)
	}
	sold := synced && aside == 0 && p.Slots.Options > 0
	accepted := 0
	for _, one := range p.Received {
		if one.Reason == "" {
			accepted++
		}
	}
	steps := []step{
		{"The platform answers", connected, choose(connected, "The last calls to it succeeded.", "Test the connection: it shows each call and its answer."), "settings-title", true},
		{"Its catalog is imported", synced, choose(synced, "Products are imported every night and after each sync/trigger.", "Send the webhook sync/trigger, from your platform or below."), "received-title", true},
		{"Every product can be sold", sold, choose(sold, "No product was set aside.", choose(synced, choose(aside > 0, fmt.Sprintf("%s set aside. See Catalog for the fields and problems.", plural.Count(aside, "product was", "products were")), "The catalog has no product that can be sold."), "This is known after the first import.")), "syncs-title", false},
		{"Its slots are loaded", p.Slots.Options > 0 && p.Slots.Pulled == p.Slots.Options, choose(p.Slots.Options > 0, fmt.Sprintf("Slots of %s of %s are loaded.", plural.Thousands(p.Slots.Pulled), plural.Count(p.Slots.Options, "option")), "They load within minutes after the first import."), "slots-title", false},
		{"Its webhooks arrive", accepted > 0, choose(accepted > 0, "At least one of the last webhooks was accepted.", "None of the last webhooks was accepted. Try one below, then send one from your platform."), "received-title", false},
	}
	if c := p.Certification; c != nil {
		steps = append(steps, step{"It is certified", c.State == "certified", choose(c.State == "certified", "The certificate is valid.", "Start a full conformance run, and fix what it finds."), "runs-title", p.Admission.Policy == "require"})
	}
	if a := p.Admission; p.Mode == "live" && (a.ApprovalRequired || a.GoLive != "none") {
		steps = append(steps, step{approvedStep, a.GoLive == "approved", map[string]string{
			"approved": "An operator approved it.", "requested": "You asked. An operator decides.", "none": "Ask to go live when everything else is done.",
			"declined": "An operator declined" + choose(a.Reason == "", ".", ": "+sentence(a.Reason)) + " You can ask again.",
			"ended":    "The approval ended: " + a.Reason + ". Ask to go live again.",
		}[a.GoLive], "", false})
	}
	return steps
}

// HasCalls reports whether the marketplace has called the platform.
func (p *integrationPage) HasCalls() bool {
	return !p.Health.LastOKAt.IsZero() || p.Health.FailureCount > 0
}

// MayAsk reports whether the partner can ask to go live at some time.
func (p *integrationPage) MayAsk() bool {
	return p.Mode == "live" && p.Admission.GoLive != "requested" && p.Admission.GoLive != "approved"
}

// CanBeJudged reports whether the steps are done without which asking is of no use.
func (p *integrationPage) CanBeJudged() bool {
	return !slices.ContainsFunc(p.Steps, func(s step) bool { return s.Least && !s.Done })
}

// AskNow reports whether everything else is done.
func (p *integrationPage) AskNow() bool {
	for _, s := range p.Steps {
		if !s.Done && s.Title != approvedStep {
			return false
		}
	}
	return true
}

func choose(yes bool, this, that string) string {
	if yes {
		return this
	}
	return that
}

// IsReady reports whether every step is done.
func (p *integrationPage) IsReady() bool {
	for _, s := range p.Steps {
		if !s.Done {
			return false
		}
	}
	return true
}
