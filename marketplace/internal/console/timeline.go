package console

import (
	"fmt"
	"math"
	"time"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/schemas/partnerapi"
)

// timeline is a chart of an integration's health over time.
type timeline struct {
	From, Until time.Time
	Parts       []healthPeriod
	Says        string // a text alternative for the chart
}

// healthPeriod is a period in one state, as part of the chart from 0 to timelineWidth.
type healthPeriod struct {
	State       partnerapi.Health
	From, Until time.Time
	Reason      string // its cause; "" if unknown
	X, Width    float64
}

const (
	timelineWidth = 1000
	timelineSpan  = 7 * 24 * time.Hour // the longest period shown
)

// newTimeline returns the last week, or the time since the registration.
func newTimeline(i integrationView, now time.Time) timeline {
	b := timeline{From: now.Add(-timelineSpan), Until: now}
	if i.CreatedAt.After(b.From) {
		b.From = i.CreatedAt
	}
	state := healthPeriod{State: partnerapi.Healthy, From: b.From}
	if len(i.Health.Changes) > 0 { // the oldest known change implies the state before it
		state.State = opposite(i.Health.Changes[len(i.Health.Changes)-1].State)
	}
	changes, degraded := 0, time.Duration(0)
	add := func(until time.Time) {
		state.Until = until
		if until.After(state.From) {
			state.X, state.Width = b.place(state.From), b.place(until)-b.place(state.From)
			b.Parts = append(b.Parts, state)
			if state.State == partnerapi.Degraded {
				degraded += until.Sub(state.From)
			}
		}
	}
	for at := len(i.Health.Changes) - 1; at >= 0; at-- {
		change := i.Health.Changes[at]
		from := change.At
		if from.Before(b.From) {
			from = b.From
		} else {
			changes++
		}
		add(from)
		state = healthPeriod{State: change.State, From: from, Reason: change.Reason}
	}
	add(now)
	b.Says = fmt.Sprintf("%s now. In the last %s: DEGRADED for %s, %s.", i.Health.State, durationWords(now.Sub(b.From)), durationWords(degraded), plural.Count(changes, "change"))
	switch span := now.Sub(b.From); {
	case span < time.Minute:
		b.Says = fmt.Sprintf("%s now.", i.Health.State)
	case degraded == 0:
		b.Says = fmt.Sprintf("%s now, and throughout the last %s.", i.Health.State, durationWords(span))
	}
	return b
}

// opposite returns the state before a change.
func opposite(state partnerapi.Health) partnerapi.Health {
	if state == partnerapi.Degraded {
		return partnerapi.Healthy
	}
	return partnerapi.Degraded
}

// place returns a time's position in the chart.
func (b timeline) place(at time.Time) float64 {
	whole := b.Until.Sub(b.From)
	if whole <= 0 {
		return 0
	}
	return math.Round(float64(at.Sub(b.From))/float64(whole)*timelineWidth*10) / 10
}
