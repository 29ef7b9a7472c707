//go:build linux

package crash

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
)

// table formats the figures.
func (r *outcome) table() string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	row := func(what string, n any) { fmt.Fprintf(w, "%s\t%v\n", what, n) }
	row("customers, bookings", fmt.Sprintf("%d, %d", len(r.clients), len(r.bookings)))
	for _, kind := range slices.Sorted(maps.Keys(r.shop.came.counts)) {
		lasted := ""
		if most := r.shop.came.lasted[kind]; most >= time.Second {
			lasted = fmt.Sprintf(", %s in all", most.Round(time.Second))
		}
		row("fault: "+string(kind), fmt.Sprint(r.shop.came.counts[kind], lasted))
	}
	if r.shop.apart != 0 {
		row("fault: clock of the database apart", r.shop.apart)
	}
	lost := 0
	for _, l := range r.shop.links {
		lost += l.losses()
	}
	row("commits whose reply was lost", lost)
	r.states(row)
	r.toPartner(row)
	row("payments acknowledged, and kept", fmt.Sprintf("%d, %d", r.paid, r.paid-len(r.violations[paymentsKept])))
	row("holds whose answer was lost, gone by their expiry", r.shop.lost)
	for _, l := range invariants {
		row("violations: "+string(l), len(r.violations[l]))
	}
	row("the partner's verdict of the caller", r.says)
	_ = w.Flush() // writes to memory
	return text.String()
}

// states adds the bookings' states and the customers' answers.
func (r *outcome) states(row func(string, any)) {
	retries, reported := 0, map[int]int{}
	for _, c := range r.clients {
		retries += c.retries
		if c.booking == uuid.Nil {
			reported[c.refusal.Code]++
		}
	}
	row("requests sent again", retries)
	row("answers of undisturbed replicas, and the longest wait", r.shop.answers.String())
	for _, code := range slices.Sorted(maps.Keys(reported)) {
		row(fmt.Sprintf("refused, with %d", code), reported[code])
	}
	done := 0
	for _, c := range r.clients {
		if c.moved != uuid.Nil {
			done++
		}
	}
	row("reschedules that reserved, and that were answered with the new booking", fmt.Sprintf("%d, %d", len(r.moves()), done))
	states := map[string]int{}
	for _, b := range r.bookings {
		name := string(b.Status)
		for _, reason := range reasons(b) {
			name += ", " + string(reason)
		}
		states[name]++
	}
	for _, name := range slices.Sorted(maps.Keys(states)) {
		row(name, states[name])
	}
}

// toPartner adds the calls to the partner and the partner's faults.
func (r *outcome) toPartner(row func(string, any)) {
	faults := map[string]int{}
	for _, e := range r.journal {
		for _, name := range e.Faults {
			faults[name]++
		}
	}
	row("calls to the partner", len(r.journal))
	for _, name := range slices.Sorted(maps.Keys(faults)) {
		row("of these "+name, faults[name])
	}
}
