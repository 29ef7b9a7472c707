package judge

import (
	"fmt"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

const (
	// mostRemembered is the maximum number of slots that are remembered.
	mostRemembered = 100_000
	// leastDrifted is the number of slots that must have another id: a single one may be a slot that
	// was sold out and left out, while another at the same time became free.
	leastDrifted = 2
	// leastGone is the number of slots that an empty answer must lack. A run sells out fewer slots of
	// an option at a time, and slots that are sold out may be left out.
	leastGone = 8
	// leastVanished is the number of slots that must be missing from an answer and back in the next
	// one. One may have been sold out and left out, and given back by another customer meanwhile.
	leastVanished = 3
)

// remembered compares each answer about the slots of an option with the answers before it, whatever
// was called in between.
type remembered struct {
	options map[string]*optionSlots
	kept    int             // number of slots
	drifted map[string]bool // slots that have another id, by option and start

	vanished int // number of slots that were missing from one answer only
}

// optionSlots is what the answers so far have shown of an option's slots.
type optionSlots struct {
	ids   map[slotTime]string // "" if several slots have that time
	times map[string]slotTime
	open  map[slotTime]bool // the ones that can be booked, as the last answer shows them
	lost  *report.Exchange  // an empty answer that lacked slots; nil: none
	gone  []slotTime        // those slots
}

// Remember makes f compare all answers about slots with each other.
func (f *Fields) Remember() *Fields {
	f.remembered = &remembered{options: map[string]*optionSlots{}, drifted: map[string]bool{}}
	return f
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

// drift notes that a slot has another id. It reports whether there are enough such slots.
func (m *remembered) drift(in scenario.SlotAnswer, at slotTime) bool {
	m.drifted[fmt.Sprint(in.Product.ID, "\x00", in.Option.ID, "\x00", at.start)] = true
	return len(m.drifted) >= leastDrifted
}

// compare records where an answer contradicts the ones before it.
func (f *Fields) compare(in scenario.SlotAnswer) {
	if f.remembered == nil {
		return
	}
	known := f.remembered.slotsOf(in)
	if len(in.Slots) == 0 {
		known.miss(in)
		return
	}
	shown := IDsByTime(in)
	for i, slot := range in.Slots {
		at := TimeOf(slot)
		if slot.ID == "" || slot.Start.IsZero() {
			continue
		}
		before, seen := known.ids[at]
		switch {
		case len(shown[at]) > 1:
			known.ids[at] = ""
		case !seen && f.remembered.kept < mostRemembered:
			f.remembered.kept++
			known.ids[at] = slot.ID
		case seen && before != "" && before != slot.ID:
			if f.remembered.drift(in, at) {
				f.add(rule.SlotPermanent, fmt.Sprintf("%s: expected the slot at %s to keep its id %q, received %q", in.Question, slot.StartText, before, slot.ID),
					in.Exchange, map[string]any{"id": slot.ID, "localDateTimeStart": slot.StartText}, "/id")
			}
		}
		if first, seen := known.times[slot.ID]; !seen && f.remembered.kept < mostRemembered {
			known.times[slot.ID] = at
		} else if seen && first.start != at.start && len(shown[first]) == 0 {
			if f.remembered.drift(in, at) {
				f.add(rule.SlotPermanent, fmt.Sprintf("%s: expected id %q to stay with its slot, received it in [%d] for the one at %s", in.Question, slot.ID, i, slot.StartText),
					in.Exchange, map[string]any{"id": slot.ID, "localDateTimeStart": slot.StartText}, "/id")
			}
		}
		if slot.Status.IsBookable() {
			known.open[at] = true
		} else {
			delete(known.open, at)
		}
	}
	f.foundAgain(in, known)
}

// miss notes an empty answer about a window for which the answer before showed many slots.
func (known *optionSlots) miss(in scenario.SlotAnswer) {
	var gone []slotTime
	for at := range known.open {
		if start := at.startTime(); start.After(in.Exchange.StartedAt.AddDate(0, 0, 1)) && in.Window.Contains(start, in.Product.Zone) {
			gone = append(gone, at)
		}
	}
	if len(gone) >= leastGone {
		known.lost, known.gone = in.Exchange, gone
	}
}

// foundAgain records an empty answer if the slots that it lacked are shown again.
func (f *Fields) foundAgain(in scenario.SlotAnswer, known *optionSlots) {
	if known.lost == nil {
		return
	}
	shown, back := IDsByTime(in), 0
	for _, at := range known.gone {
		if len(shown[at]) > 0 {
			back++
		}
	}
	if back < leastGone {
		return
	}
	f.add(rule.OneDay, fmt.Sprintf("%s: expected the %d slots that the answers before and after show, received an empty array", in.Question, back), known.lost, []any{}, "")
	known.lost, known.gone = nil, nil
}

// ObserveVanished implements scenario.Observer.
func (f *Fields) ObserveVanished(in scenario.SlotAnswer, slot discover.Slot) {
	if f.remembered == nil {
		return
	}
	if f.remembered.vanished++; f.remembered.vanished >= leastVanished {
		f.add(rule.OneDay, fmt.Sprintf("%s: expected the slot at %s, which the answers before and after show, received none", in.Question, slot.StartText), in.Exchange, map[string]any{"slots": len(in.Slots)}, "")
	}
}
