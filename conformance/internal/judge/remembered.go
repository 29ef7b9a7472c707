package judge

import (
	"fmt"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// mostRemembered is the maximum number of slots that are remembered.
const mostRemembered = 100_000

// remembered compares each answer about the slots of an option with the answers before it, whatever
// was called in between.
type remembered struct {
	add     func(r rule.Rule, problem string, exchange *report.Exchange, value any, place string) // records a breach
	options map[string]*optionSlots
	kept    int             // number of slots
	drifted map[string]bool // slots that have another id, by option and start

	vanished int // number of slots that were missing from one answer only
}

// rulesOfSeveral lists the rules that any two answers about slots can break.
var rulesOfSeveral = []rule.Rule{rule.SlotPermanent, rule.OneDay}

// optionSlots is what the answers so far have shown of an option's slots.
type optionSlots struct {
	ids   map[slotTime]string // "" if several slots have that time
	times map[string]slotTime
	open  map[slotTime]bool // the ones that can be booked, as the last answer shows them
	lost  *report.Exchange  // an empty answer that lacked slots; nil: none
	gone  []slotTime        // those slots
}

func newRemembered(add func(rule.Rule, string, *report.Exchange, any, string)) *remembered {
	return &remembered{add: add, options: map[string]*optionSlots{}, drifted: map[string]bool{}}
}

func (m *remembered) slotsOf(in scenario.SlotAnswer) *optionSlots {
	key := in.Product.ID + "\x00" + in.Option.ID
	known := m.options[key]
	if known == nil {
		known = &optionSlots{ids: map[slotTime]string{}, times: map[string]slotTime{}, open: map[slotTime]bool{}}
		m.options[key] = known
	}
	return known
}

// saw reports whether an earlier answer has shown the slot.
func (m *remembered) saw(in scenario.SlotAnswer, slot discover.Slot) bool {
	_, seen := m.slotsOf(in).ids[timeOf(slot)]
	return seen
}

// compare records where an answer contradicts the ones before it.
func (m *remembered) compare(in scenario.SlotAnswer) {
	known := m.slotsOf(in)
	if len(in.Slots) == 0 {
		known.miss(in)
		return
	}
	m.trackIDs(in, known)
	for _, slot := range in.Slots {
		if slot.ID != "" && !slot.Start.IsZero() {
			known.open[timeOf(slot)] = slot.Status.IsBookable()
		}
	}
	m.foundAgain(in, known)
}

// slotTime is the start and end of a slot. It identifies a slot of an option, except for slots at
// the same time.
type slotTime struct{ start, end int64 }

func (t slotTime) startTime() time.Time { return time.Unix(0, t.start) }

// timeOf returns the time of a slot.
func timeOf(slot discover.Slot) slotTime {
	return slotTime{slot.Start.UnixNano(), slot.End.UnixNano()}
}

// idsByTime returns the ids of the answer's slots by the time of their slot.
func idsByTime(in scenario.SlotAnswer) map[slotTime][]string {
	ids := map[slotTime][]string{}
	for _, slot := range in.Slots {
		ids[timeOf(slot)] = append(ids[timeOf(slot)], slot.ID)
	}
	return ids
}

// leastDrifted is the number of slots that must have another id: a single one may be a slot that
// was sold out and left out, while another at the same time became free.
const leastDrifted = 2

// drift records that a slot of an answer has another id than before, if there are enough such slots.
func (m *remembered) drift(in scenario.SlotAnswer, slot discover.Slot, format string, args ...any) {
	m.drifted[fmt.Sprint(in.Product.ID, "\x00", in.Option.ID, "\x00", timeOf(slot).start)] = true
	if len(m.drifted) >= leastDrifted {
		m.add(rule.SlotPermanent, fmt.Sprintf("%s: %s", in.Question, fmt.Sprintf(format, args...)),
			in.Exchange, map[string]any{"id": slot.ID, "localDateTimeStart": slot.StartText}, "/id")
	}
}

// trackIDs records which slots of an answer have another id than in the answers before it.
func (m *remembered) trackIDs(in scenario.SlotAnswer, known *optionSlots) {
	shown := idsByTime(in)
	for i, slot := range in.Slots {
		at := timeOf(slot)
		if slot.ID == "" || slot.Start.IsZero() {
			continue
		}
		before, seen := known.ids[at]
		switch {
		case len(shown[at]) > 1:
			known.ids[at] = ""
		case !seen && m.kept < mostRemembered:
			m.kept++
			known.ids[at] = slot.ID
		case seen && before != "" && before != slot.ID:
			m.drift(in, slot, "expected the slot at %s to keep its id %q, received %q", slot.StartText, before, slot.ID)
		}
		if first, seen := known.times[slot.ID]; !seen && m.kept < mostRemembered {
			known.times[slot.ID] = at
		} else if seen && first.start != at.start && len(shown[first]) == 0 {
			m.drift(in, slot, "expected id %q to stay with its slot, received it in [%d] for the one at %s", slot.ID, i, slot.StartText)
		}
	}
}

const (
	// leastGone is the number of slots that an empty answer must lack. A run sells out fewer slots of
	// an option at a time, and slots that are sold out may be left out.
	leastGone = 8
	// leastVanished is the number of slots that must be missing from an answer and back in the next
	// one. One may have been sold out and left out, and given back by another customer meanwhile.
	leastVanished = 3
)

// miss notes an empty answer about a window for which the answer before showed many slots.
func (known *optionSlots) miss(in scenario.SlotAnswer) {
	var gone []slotTime
	for at, open := range known.open {
		if start := at.startTime(); open && start.After(in.Exchange.StartedAt.AddDate(0, 0, 1)) && in.Window.Contains(start, in.Product.Zone) {
			gone = append(gone, at)
		}
	}
	if len(gone) >= leastGone {
		known.lost, known.gone = in.Exchange, gone
	}
}

// foundAgain records an empty answer if the slots that it lacked are shown again.
func (m *remembered) foundAgain(in scenario.SlotAnswer, known *optionSlots) {
	if known.lost == nil {
		return
	}
	shown, back := idsByTime(in), 0
	for _, at := range known.gone {
		if len(shown[at]) > 0 {
			back++
		}
	}
	if back < leastGone {
		return
	}
	m.add(rule.OneDay, fmt.Sprintf("%s: expected the %d slots that the answers before and after show, received an empty array", in.Question, back), known.lost, []any{}, "")
	known.lost, known.gone = nil, nil
}

// vanish notes that a slot was missing from one answer, and shown by the answers before and after it.
func (m *remembered) vanish(in scenario.SlotAnswer, slot discover.Slot) {
	if m.vanished++; m.vanished >= leastVanished {
		m.add(rule.OneDay, fmt.Sprintf("%s: expected the slot at %s, which the answers before and after show, received none", in.Question, slot.StartText), in.Exchange, map[string]any{"slots": len(in.Slots)}, "")
	}
}
