package scenario

import (
	"context"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/noise"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
)

const (
	// looksAgain is how often a slot is looked at again for each reading of a story
	// that is played again: so others are seen before and after every step.
	looksAgain = 2
	// A slot on which something was off is watched for so many times as long as that
	// took, with so many looks at the most.
	watchTimes, mostLooks = 8, 40
	// Machines do one thing after another for a while: a shorter watch would see the
	// one side only. A longer one takes too much of the run's time.
	leastWatch, longestWatch = 100 * time.Millisecond, 2 * time.Second
	// Where nothing can be tried again, the one slot is watched for so many times as
	// long, and at most for so long.
	longTimes, longWatch = 100, 10 * time.Second
)

type Look struct {
	Left     int64
	Slot     discover.Slot
	Exchange *probe.Exchange
	Shown    *probe.Exchange // with the number of seats marked
}

// show marks the number of seats, among the fields of the slot that say what it has
// left.
func (l *Look) show(redact func(string) string) {
	if l.Shown = l.Exchange; l.Slot.ID == "" {
		return // the slot is gone
	}
	fields := map[string]any{"id": l.Slot.ID, "localDateTimeStart": l.Slot.StartText, "status": l.Slot.Status}
	if l.Slot.Vacancies != nil {
		fields["vacancies"] = *l.Slot.Vacancies
	}
	if l.Slot.Capacity != nil {
		fields["capacity"] = *l.Slot.Capacity
	}
	l.Shown = l.Exchange.Marked(fields, "/vacancies", redact)
}

// At is when the partner made the answer, as nearly as a caller can tell.
func (l Look) At() time.Time { return Middle(l.Exchange) }

func Middle(e *probe.Exchange) time.Time { return e.StartedAt.Add(e.Duration / 2) }

// Reading is how many seats a slot had left at one moment. Where it was looked at
// several times in a row, Last is what the last look showed, and First what was seen
// right after the step of the story before it.
type Reading struct {
	When        string
	Offer       discover.Offer
	Counted     bool // there are seats to count
	First, Last Look
	Watch       *noise.Watch // of the slot
}

// Calm reports whether no other customer was seen to change the seats during the reads.
func (r *Reading) Calm() bool { return r.First.Left == r.Last.Left }

func (r *Reading) Same(other *Reading) bool { return r.seats() == other.seats() }

func (r *Reading) seats() discover.Seats {
	return discover.Seats{Counted: r.Counted, Left: r.Last.Left}
}

// Seats counts the seats of slots, and sees where other customers move them.
type Seats struct {
	read      *reader
	survey    *Survey                 // nil until it was made
	used      map[string]bool         // the slots that scenarios were played on
	suspect   string                  // the option where a race was off last
	again     bool                    // stories are played again, because others may be at the slots
	watches   map[string]*noise.Watch // of slots that were looked at, by the key of their offers
	moved     map[string]int          // how often others were seen to move a slot's seats
	vacancies *vacancies
}

func newSeats(read *reader) *Seats {
	return &Seats{read: read, used: map[string]bool{}, watches: map[string]*noise.Watch{}, moved: map[string]int{}, vacancies: newVacancies()}
}

func (s *Seats) Vacancies(words func(string) string) []report.SlotVacancies {
	return s.vacancies.drawn(words)
}

func (s *Seats) Use(offer discover.Offer) { s.used[offer.Key()] = true }

// SeeOthers has every further reading be made of several looks, so that others are
// seen, or not any more.
func (s *Seats) SeeOthers(yes bool) { s.again = yes }

// Suspect has races go on in the option of that key, where one was off; "" in any.
func (s *Seats) Suspect(option string) { s.suspect = option }

func (s *Seats) SeesOthers() bool { return s.again }

// seats asks how many seats the offer's slot has left, and for its fresh id. Where a
// story is played again because others may be at the slots, it looks several times.
func (s *Seats) seats(ctx context.Context, offer discover.Offer, when string) (*Reading, *Stop) {
	read, stop := s.Look(ctx, offer, when)
	if stop == nil && s.again {
		stop = s.linger(ctx, read, looksAgain, 0)
	}
	if stop != nil {
		return nil, stop
	}
	return read, nil
}

func (s *Seats) Look(ctx context.Context, offer discover.Offer, when string) (*Reading, *Stop) {
	slots, stop := s.read.askFor(ctx, "seats left "+when, questionAbout(offer))
	return s.reading(offer, when, slots, stop)
}

// reading finds the offer's slot in the answer to the question about it.
func (s *Seats) reading(offer discover.Offer, when string, answer SlotAnswer, stop *Stop) (*Reading, *Stop) {
	if stop != nil {
		return nil, stop
	}
	slot, found := find(answer.Slots, offer.Slot)
	seats := slot.Seats(offer.Product)
	if !found {
		// A sold-out slot may be left out: what is gone has nothing left (AVL-14).
		seats = discover.Seats{Counted: offer.Slot.Seats(offer.Product).Counted}
	}
	look := Look{Left: seats.Left, Slot: slot, Exchange: answer.Exchange}
	look.show(s.read.calls.redact)
	read := &Reading{When: when, Offer: offer, Counted: seats.Counted, First: look, Last: look, Watch: s.watched(offer)}
	s.vacancies.note(read, look.Exchange.StartedAt.Add(look.Exchange.Duration).Sub(s.read.calls.Time.started))
	return read, nil
}

func find(slots []discover.Slot, wanted discover.Slot) (discover.Slot, bool) {
	for _, slot := range slots {
		if slot.ID == wanted.ID {
			return slot, true
		}
	}
	for _, slot := range slots {
		if !slot.Start.IsZero() && slot.Start.Equal(wanted.Start) {
			return slot, true
		}
	}
	return discover.Slot{}, false
}

func (s *Seats) watched(offer discover.Offer) *noise.Watch {
	key := offer.Key()
	if s.watches[key] == nil {
		s.watches[key] = &noise.Watch{}
	}
	return s.watches[key]
}

// unmoved enters a look at a slot that nothing was done to since it was read, and
// reports whether its seats are the same.
func (s *Seats) unmoved(read, again *Reading) bool {
	read.Watch.Lasted += max(0, again.Last.At().Sub(read.Last.At()))
	if again.Same(read) {
		return true
	}
	read.Watch.Moves++
	s.moved[read.Offer.Key()]++
	return false
}

// linger looks at a slot that was read again, so often and so long after one
// another. The reading is that of the last look then.
func (s *Seats) linger(ctx context.Context, read *Reading, looks int, apart time.Duration) *Stop {
	began := time.Now()
	for range looks {
		if !read.Counted || time.Since(began) >= max(longestWatch, time.Duration(looks)*apart) {
			break
		}
		wait(ctx, apart-time.Since(read.Last.Exchange.StartedAt))
		again, stop := s.Look(ctx, read.Offer, read.When)
		if stop != nil {
			return stop
		}
		s.unmoved(read, again)
		read.Counted, read.Last = again.Counted, again.Last
	}
	return nil
}

// WatchOver watches the slot on which something that took so long was off, to see
// whether others are at it. What cannot be seen does not weigh.
func (s *Seats) WatchOver(ctx context.Context, at *Reading, took time.Duration) {
	s.watchFor(ctx, at, min(max(watchTimes*took, leastWatch), longestWatch))
}

// WatchLong watches the slot of a try that has to stand alone, and reports whether
// other customers were seen in this run, on any slot.
func (s *Seats) WatchLong(ctx context.Context, at *Reading, took time.Duration) (others bool) {
	if at != nil && len(s.moved) == 0 {
		s.watchFor(ctx, at, min(max(longTimes*took, longestWatch), longWatch))
	}
	return len(s.moved) > 0
}

// watchFor watches the slot of a reading until it has been watched for so long in all.
func (s *Seats) watchFor(ctx context.Context, at *Reading, long time.Duration) {
	missing := long - at.Watch.Lasted
	if missing <= 0 {
		return
	}
	if fresh, stop := s.Look(ctx, at.Offer, "while nothing is done"); stop == nil {
		_ = s.linger(ctx, fresh, mostLooks, missing/mostLooks)
	}
}

// glance looks at all slots of an option again, before a story is played again
// there. Those that have changed, though the suite has never touched them, are
// what others are at; the story keeps away from them.
func (s *Seats) glance(ctx context.Context, key string) {
	for _, known := range s.survey.Answers {
		if optionKey(known.Product, known.Option) != key {
			continue
		}
		if fresh, stop := s.read.askFor(ctx, "slots, to see which of them others are at", known.Question); stop == nil {
			s.compare(key, fresh.Slots)
		}
		return
	}
}

func (s *Seats) compare(option string, fresh []discover.Slot) {
	byID := make(map[string]discover.Slot, len(fresh))
	for _, slot := range fresh {
		byID[slot.ID] = slot
	}
	offers := s.survey.Offers
	for i, offer := range offers {
		if offer.OptionKey() != option {
			continue
		}
		slot, shown := byID[offer.Slot.ID]
		if !shown || offer.Slot.ID == "" {
			continue
		}
		key := offer.Key()
		if slot.Seats(offer.Product) != offer.Slot.Seats(offer.Product) && !s.used[key] {
			s.moved[key]++
		}
		offers[i].Slot = slot
		if offers[i].Key() != key {
			offers[i].Slot = offer.Slot // another slot bears its id now
		}
	}
}

const (
	mostSlotsWatched  = 60  // slots whose vacancies a report draws
	mostReadingsShown = 200 // of one slot
)

// vacancies keeps what every slot was seen to have left over the run.
type vacancies struct {
	order []string // the slots' keys, in the order of their first readings
	slots map[string]*report.SlotVacancies
}

func newVacancies() *vacancies { return &vacancies{slots: map[string]*report.SlotVacancies{}} }

// note enters a reading of an offer's slot, made at a time since the run began.
// What does not count seats is not entered, nor what is too much to be drawn.
func (v *vacancies) note(read *Reading, at time.Duration) {
	if !read.Counted {
		return
	}
	offer := read.Offer
	slot := v.slots[offer.Key()]
	if slot == nil {
		if len(v.slots) == mostSlotsWatched {
			return
		}
		slot = &report.SlotVacancies{
			ProductID: offer.Product.ID, OptionID: offer.Option.ID, AvailabilityID: offer.Slot.ID, Start: offer.Slot.StartText,
		}
		v.order, v.slots[offer.Key()] = append(v.order, offer.Key()), slot
	}
	if len(slot.Readings) < mostReadingsShown {
		slot.Readings = append(slot.Readings, report.SeatsReading{AtMS: float64(at.Microseconds()) / 1000, Left: read.Last.Left, When: read.When})
	}
}

// drawn returns the slots that were read more than once, in words that can be
// shown.
func (v *vacancies) drawn(words func(string) string) []report.SlotVacancies {
	all := []report.SlotVacancies{}
	for _, key := range v.order {
		slot := *v.slots[key]
		if len(slot.Readings) < 2 {
			continue
		}
		slot.ProductID, slot.OptionID = words(slot.ProductID), words(slot.OptionID)
		slot.AvailabilityID, slot.Start = words(slot.AvailabilityID), words(slot.Start)
		all = append(all, slot)
	}
	return all
}
