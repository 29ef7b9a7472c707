package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/safetext"
)

func (t *terminal) plan(p suite.Plan) {
	if p.MaxHolds == 0 {
		t.printf("writes  no holds and no bookings\n")
	} else {
		lifecycles := ""
		if p.Lifecycles > 0 {
			lifecycles = fmt.Sprintf(" and those of %d random lifecycles", p.Lifecycles)
		}
		t.printf("writes  about %d holds and %d bookings%s, at most %d and %d; each is released or cancelled again\n", p.Holds, p.Bookings, lifecycles, p.MaxHolds, p.MaxBookings)
	}
	t.printf("depth   %s: about %s\n", p.Depth, plural.Count(p.Calls, "call"))
	if p.Estimate != nil {
		t.printf("takes   %s\n", p.Estimate)
	}
	t.printf("where   %s, %s\n", describeScope(p), days(p))
	atOnce := "makes no concurrent calls"
	if p.CallsAtOnce > 1 {
		atOnce = fmt.Sprintf("up to %d calls at the same time (--no-races: none)", p.CallsAtOnce)
	}
	if p.CallsASecond > 0 {
		atOnce += fmt.Sprintf(", and %d a second", p.CallsASecond)
	}
	if p.MovesTheClock {
		atOnce += "; the target's clock is moved ahead"
	}
	if p.MaxHolds > 0 {
		t.printf("how     %s\n", atOnce)
	}
	if p.Webhooks != "" {
		t.printf("awaits  webhooks at %s, at most %s after each change\n", safetext.Line(p.Webhooks), p.WebhookWait)
	}
	t.printf("ledger  %s\n", safetext.Line(p.Ledger))
	t.note("but     %s\n", p.Warning)
}

// days returns the dates of the slots, in words.
func days(p suite.Plan) string {
	switch {
	case p.From == "" && p.To == "":
		return "of the next 60 days by the target's clock"
	case p.To == "":
		return "from " + p.From + " on"
	case p.From == "":
		return "until " + p.To
	default:
		return p.From + " to " + p.To
	}
}

func describeScope(p suite.Plan) string {
	text := "slots of any product"
	if p.Products != nil {
		text = "slots of product " + strings.Join(p.Products, ", ")
	}
	if p.Options != nil {
		text += ", option " + strings.Join(p.Options, ", ")
	}
	return safetext.Line(text)
}

func (t *terminal) optionChecks(all []suite.PlannedOption) {
	if len(all) == 0 {
		return
	}
	t.printf("\nThese options get a hold each, in a slot such as this one; other holds and the bookings are for slots like them:\n\n")
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "product\toption\tslot\tstart\tseats left\tof slots")
	for _, one := range all {
		seats := "not counted"
		if one.SeatsLeft != nil {
			seats = fmt.Sprint(*one.SeatsLeft)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\n", safetext.Line(one.ProductID), safetext.Line(one.OptionID), safetext.Line(one.AvailabilityID), safetext.Line(one.Start), seats, one.Slots)
	}
	_ = table.Flush() // writes to memory
	t.printf("%s", text.String())
}
