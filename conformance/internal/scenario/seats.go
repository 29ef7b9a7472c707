package scenario

import (
	"context"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/noise"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
)

const (
	// looksAgain is the number of further looks at a slot for each reading of a repeated lifecycle,
	// looksAgainSparing in a run that makes few calls. They show other customers before and after every step.
	looksAgain, looksAgainSparing = 2, 1
	// A slot with an unexpected result is watched watchTimes as long as the result took, with at
	// most mostLooks looks, or mostLooksSparing in a run that makes few calls.
	watchTimes, mostLooks, mostLooksSparing = 8, 40, 2
	// Machines act in bursts: a shorter watch would see only one side of a burst. A longer watch
	// takes too much of the run's time.
	leastWatch, longestWatch = 100 * time.Millisecond, 2 * time.Second
	// looksForVacancies is the number of further looks at a slot that is answered without its vacancies,
	// that far apart.
	looksForVacancies = 2
	vacanciesPause    = 100 * time.Millisecond
	// If no other slot can be tried, the one slot is watched longTimes as long, for at most
	// longWatch.
	longTimes, longWatch = 100, 10 * time.Second
)

// Look is one answer that shows how many seats a slot has left.
type Look struct {
	Left     int64
	Slot     discover.Slot
	Exchange *report.Exchange
	Shown    *report.Exchange // with the number of seats marked
}

// show marks the number of seats among the fields of the slot that show what it has left.
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
	l.Shown = probe.Marked(l.Exchange, fields, "/vacancies", redact)
}

// Time returns the time at which the partner created the answer, as nearly as a caller can estimate.
func (l Look) Time() time.Time { return Middle(l.Exchange) }

// Middle returns the middle of the time that an exchange took.
func Middle(e *report.Exchange) time.Time { return e.StartedAt.Add(e.Duration / 2) }

// Reading is how many seats a slot had left at one moment. If it was read several times in a row,
// First is the first look, right after the previous step of the lifecycle, and Last is the last one.
type Reading struct {
	When        string
	Offer       discover.Offer
	Counted     bool // there are seats to count
	First, Last Look
	Watch       *noise.Watch // of the slot
}

// IsStable reports whether no other customer changed the seats between the first and the last look.
func (r *Reading) IsStable() bool { return r.First.Left == r.Last.Left }

// HasSameSeats reports whether both readings show the same number of seats.
func (r *Reading) HasSameSeats(other *Reading) bool { return r.seats() == other.seats() }

func (r *Reading) seats() discover.Seats {
	return discover.Seats{Counted: r.Counted, Left: r.Last.Left}
}

// Seats counts the seats of slots and notices when other customers change them.
type Seats struct {
	read       *reader
	survey     *Survey                 // nil until it was made
	used       map[string]bool         // slots that scenarios were played on
	full       map[string]bool         // slots that were without a seat left
	suspect    *discover.Offer         // slot of the last race with an unexpected result
	again      bool                    // lifecycles are repeated, because other customers may book the same slots
	watches    map[string]*noise.Watch // by offer key
	moved      map[string]int          // how often other customers changed a slot's seats
	run        noise.Watch             // of all slots together
	unobserved map[string]bool         // options whose slots have no vacancies in this question, although they had some in another
	vacancies  *vacancies
	vanished   []vanished
	last       map[string]*Reading // of each slot, by offer key
	together   map[string]bool     // pairs of slots whose seats were tried, and whether they move together
	sharing    bool                // some do
}

func newSeats(read *reader) *Seats {
	return &Seats{read: read, used: map[string]bool{}, full: map[string]bool{}, unobserved: map[string]bool{}, watches: map[string]*noise.Watch{}, moved: map[string]int{}, vacancies: newVacancies(), last: map[string]*Reading{}, together: map[string]bool{}}
}

// Vacancies returns the readings of each slot that was read more than once. words prepares texts
// for display.
func (s *Seats) Vacancies(words func(string) string) []report.SlotVacancies {
	return s.vacancies.report(words)
}

// Use records that a scenario is played on the offer's slot.
func (s *Seats) Use(offer discover.Offer) { s.used[offer.Key()] = true }

// SeeOthers sets whether every further reading consists of several looks, to notice other
// customers.
func (s *Seats) SeeOthers(yes bool) { s.again = yes }

// Suspect makes further races use that slot and others of its option; nil allows any option.
func (s *Seats) Suspect(at *discover.Offer) { s.suspect = at }

// SeesOthers reports whether readings consist of several looks.
func (s *Seats) SeesOthers() bool { return s.again }

// Run returns the watch of all slots of the run together.
func (s *Seats) Run() noise.Watch { return s.run }

// OthersSeen reports whether another customer was seen to change a slot's seats in this run.
func (s *Seats) OthersSeen() bool { return s.run.Moves > 0 }

// othersPossible reports whether other customers may have changed the seats of the slot since a
// reading: some were seen in this run, or the slot has no seats to count, so that they cannot be seen.
// A run that has hardly watched any slot yet watches this one first.
func (s *Seats) othersPossible(ctx context.Context, at *Reading) bool {
	if s.OthersSeen() || at == nil || !at.Counted {
		return true
	}
	if s.run.Lasted < longestWatch {
		s.WatchOver(ctx, at, time.Since(at.Last.Exchange.StartedAt))
	}
	return s.OthersSeen()
}

// LeftAlone records that the run has not changed the seats of a slot for that long.
func (s *Seats) LeftAlone(at *Reading, lasted time.Duration) {
	at.Watch.Lasted += lasted
	s.run.Lasted += lasted
}

func (s *Seats) recordChange(key string) {
	s.moved[key]++
	s.run.Moves++
}

// seats reads how many seats the offer's slot has left, and its current id. If a lifecycle is repeated
// because other customers may book the same slots, it reads several times.
func (s *Seats) seats(ctx context.Context, offer discover.Offer, when string) (*Reading, *partner.Stop) {
	read, stop := s.Look(ctx, offer, when)
	if stop == nil && s.again {
		looks := looksAgain
		if s.read.calls.Sparing {
			looks = looksAgainSparing
		}
		stop = s.linger(ctx, read, looks, 0)
	}
	if stop != nil {
		return nil, stop
	}
	return read, nil
}

// Look reads how many seats the offer's slot has left. when names the moment in the lifecycle.
func (s *Seats) Look(ctx context.Context, offer discover.Offer, when string) (*Reading, *partner.Stop) {
	return s.lookIn(ctx, offer, questionAbout(offer), when)
}

// lookIn reads the slot in the answer to a question. If the slot is missing, it asks once more: a
// slot that is sold out may be left out, but it does not come back by itself.
func (s *Seats) lookIn(ctx context.Context, offer discover.Offer, q Question, when string) (*Reading, *partner.Stop) {
	slots, stop := s.read.askFor(ctx, "seats left "+when, q)
	if _, found := find(slots.Slots, offer.Slot); stop == nil && !found {
		first := slots
		slots, stop = s.read.askFor(ctx, "seats left "+when+", once more, as the slot is missing", q)
		if slot, found := find(slots.Slots, offer.Slot); stop == nil && found && slot.Status.IsBookable() && len(s.vanished) < mostVanished {
			counted := slot.Seats(offer.Product).Counted
			// Seats that are not counted may be sold out for a moment, unseen.
			if counted || slot.IsUnlimited(offer.Product) {
				s.vanished = append(s.vanished, vanished{first, slot, counted})
			}
		}
	}
	for again := 0; stop == nil && s.leftOut(offer, slots) && !s.unobserved[offer.OptionKey()]; again++ {
		if s.unobserved[offer.OptionKey()] = again == looksForVacancies; again < looksForVacancies {
			s.read.calls.Wait(ctx, vacanciesPause)
			slots, stop = s.read.askFor(ctx, "seats left "+when+", once more, as the vacancies are missing", q)
		}
	}
	return s.reading(offer, when, slots, stop)
}

// vanished is an answer that lacked a slot, which the next one showed again.
type vanished struct {
	in      SlotAnswer
	slot    discover.Slot
	counted bool
}

// mostVanished is the maximum number of such answers that are kept.
const mostVanished = 20

// ReportVanished reports the slots that single answers lacked, at the end of a run. Where other
// customers were seen at any time in it, they may have had the last seats for a moment, also before
// they were seen.
func (s *Seats) ReportVanished() {
	for _, v := range s.vanished {
		if !v.counted || !s.OthersSeen() {
			s.read.observer.ObserveVanished(v.in, v.slot)
		}
	}
	s.vanished = nil
}

// leftOut reports whether an answer has the offer's slot without its vacancies, which were known
// before. They are optional (AVL-14).
func (s *Seats) leftOut(offer discover.Offer, answer SlotAnswer) bool {
	slot, found := find(answer.Slots, offer.Slot)
	return found && offer.Slot.Seats(offer.Product).Counted && !slot.Seats(offer.Product).Counted
}

// reading finds the offer's slot in the answer to the question about it.
func (s *Seats) reading(offer discover.Offer, when string, answer SlotAnswer, stop *partner.Stop) (*Reading, *partner.Stop) {
	if stop != nil {
		return nil, stop
	}
	slot, found := find(answer.Slots, offer.Slot)
	seats := slot.Seats(offer.Product)
	if !found {
		// A partner may leave out a sold-out slot: a missing slot has no seats left (AVL-14).
		seats = discover.Seats{Counted: offer.Slot.Seats(offer.Product).Counted}
	}
	look := Look{Left: seats.Left, Slot: slot, Exchange: answer.Exchange}
	look.show(s.read.calls.Client.Redactor().Redact)
	read := &Reading{When: when, Offer: offer, Counted: seats.Counted, First: look, Last: look, Watch: s.watchOf(offer)}
	s.last[offer.Key()] = read
	s.full[offer.Key()] = s.full[offer.Key()] || seats.Counted && seats.Left <= 0
	s.vacancies.note(read, look.Exchange.StartedAt.Add(look.Exchange.Duration).Sub(s.read.calls.Time.StartTime()))
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

// HasBeenFull reports whether a slot was without a seat left. A partner that refuses it later, with seats, may not have
// opened it again.
func (s *Seats) HasBeenFull(offer discover.Offer) bool { return s.full[offer.Key()] }

// NoteFull records that a slot may be without a seat left: a hold took the last one.
func (s *Seats) NoteFull(offer discover.Offer) { s.full[offer.Key()] = true }

// LastLeft returns the seats that were left in a slot when it was last read; 0 if it was not.
func (s *Seats) LastLeft(offer discover.Offer) int64 {
	if read := s.last[offer.Key()]; read != nil {
		return read.Last.Left
	}
	return 0
}

// MayHave reports whether a slot had at least so many seats left when they were counted last, or was not counted.
func (s *Seats) MayHave(offer discover.Offer, seats int64) bool {
	read := s.last[offer.Key()]
	return read == nil || !read.Counted || read.Last.Left >= seats
}

func (s *Seats) watchOf(offer discover.Offer) *noise.Watch {
	key := offer.Key()
	if s.watches[key] == nil {
		s.watches[key] = &noise.Watch{}
	}
	return s.watches[key]
}

// recordLook records a further look at a slot that the run has not changed since read. It reports
// whether the seats are the same.
func (s *Seats) recordLook(read, again *Reading) bool {
	s.LeftAlone(read, max(0, again.Last.Time().Sub(read.Last.Time())))
	if again.HasSameSeats(read) {
		return true
	}
	read.Watch.Moves++
	s.recordChange(read.Offer.Key())
	return false
}

// linger reads a slot again, the given number of times and that far apart. Its last look becomes
// the reading's last look.
func (s *Seats) linger(ctx context.Context, read *Reading, looks int, apart time.Duration) *partner.Stop {
	began := time.Now()
	for range looks {
		if !read.Counted || time.Since(began) >= max(longestWatch, time.Duration(looks)*apart) {
			break
		}
		s.read.calls.Wait(ctx, apart-time.Since(read.Last.Exchange.StartedAt))
		again, stop := s.Look(ctx, read.Offer, read.When)
		if stop != nil {
			return stop
		}
		s.recordLook(read, again)
		read.Counted, read.Last = again.Counted, again.Last
	}
	return nil
}

// WatchOver watches the slot of an unexpected result that took so long, to see whether other
// customers use it. What was seen of it before does not replace this: rounds of a race count only if
// no one changed the seats. Errors are ignored.
func (s *Seats) WatchOver(ctx context.Context, at *Reading, took time.Duration) {
	s.watchFor(ctx, at, min(max(watchTimes*took, leastWatch), longestWatch))
}

// WatchLong watches the slot of a test that cannot be repeated on another slot. It reports whether
// other customers were seen in this run, on any slot.
func (s *Seats) WatchLong(ctx context.Context, at *Reading, took time.Duration) (others bool) {
	if at != nil && !s.OthersSeen() {
		s.watchFor(ctx, at, min(max(longTimes*took, longestWatch), longWatch)-at.Watch.Lasted)
	}
	return s.OthersSeen()
}

// watchFor watches a reading's slot for a time, if that is positive.
func (s *Seats) watchFor(ctx context.Context, at *Reading, long time.Duration) {
	if long <= 0 {
		return
	}
	looks := mostLooks
	if s.read.calls.Sparing {
		looks = mostLooksSparing
	}
	if fresh, stop := s.Look(ctx, at.Offer, "while no call changes the slot"); stop == nil {
		_ = s.linger(ctx, fresh, looks, long/time.Duration(looks))
	}
}

// recheckOption reads all slots of an option again before a lifecycle is repeated there. Other customers use
// the slots that have changed though the suite never touched them; the lifecycle avoids these.
func (s *Seats) recheckOption(ctx context.Context, key string) {
	for _, known := range s.survey.Answers {
		if discover.OptionKey(known.Product, known.Option) != key {
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
			s.recordChange(key)
		}
		offers[i].Slot = slot
		if offers[i].Key() != key {
			offers[i].Slot = offer.Slot // another slot bears its id now
		}
	}
}

const (
	mostSlotsWatched  = 60  // maximum number of slots whose vacancies a report draws
	mostReadingsShown = 200 // maximum number of readings of one slot
)

// vacancies records the seats that each slot had left over the run.
type vacancies struct {
	order []string // the slots' keys, in the order of their first readings
	slots map[string]*report.SlotVacancies
}

func newVacancies() *vacancies { return &vacancies{slots: map[string]*report.SlotVacancies{}} }

// note records a reading of an offer's slot, at a time since the start of the run. It ignores slots
// without counted seats, and readings beyond the limits of a drawing.
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

// report returns the slots that were read more than once, with texts that can be shown.
func (v *vacancies) report(words func(string) string) []report.SlotVacancies {
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
