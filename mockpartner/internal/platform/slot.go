package platform

import (
	"slices"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/schemas/partnerapi"
)

// slotKey identifies a slot: its option, and its start by the schedule.
type slotKey struct {
	option *catalog.IndexedOption
	day    int64 // days since 1970-01-01, in the product's zone
	minute int   // minutes after midnight
}

const secondsADay = 24 * 60 * 60

func (k slotKey) date() time.Time { return time.Unix(k.day*secondsADay, 0).UTC() }

// slotIDLayout formats the second part of a slot's id, the start by the schedule. It makes ids
// permanent, and a slot can be found again without being stored.
const slotIDLayout = "20060102-1504"

// id returns the slot's id, such as 5be0cd19-20260701-0930 (AVL-8).
func (k slotKey) id() string {
	start := k.date().Add(time.Duration(k.minute) * time.Minute)
	return k.option.SlotPrefix + start.Format(slotIDLayout)
}

// keyOf finds the slot with that id, and reports whether the option has it.
func keyOf(option *catalog.IndexedOption, id string) (slotKey, bool) {
	text, ok := strings.CutPrefix(id, option.SlotPrefix)
	if !ok {
		return slotKey{}, false
	}
	start, err := time.Parse(slotIDLayout, text)
	if err != nil {
		return slotKey{}, false
	}
	key := slotKey{option: option, day: start.Unix() / secondsADay, minute: start.Hour()*60 + start.Minute()}
	_, ok = key.span()
	return key, ok && key.id() == id
}

type span struct{ start, end time.Time }

// span returns when the slot takes place, and reports whether the schedule and the zone's calendar
// have such a slot.
func (k slotKey) span() (span, bool) {
	date, zone := k.date(), k.option.Product.Location
	if k.option.FromCalendar() {
		return k.calendarSpan()
	}
	if k.option.ClosedOn(date.Weekday()) || !slices.Contains(k.option.Starts, k.minute) {
		return span{}, false
	}
	s := span{start: wallTime(date, k.minute, zone)}
	if k.option.AvailabilityType == partnerapi.StartTime {
		s.end = s.start.Add(k.option.Schedule.Duration)
		return s, k.occursAt(s.start)
	}
	// Where clocks skip the time at which a day opens, it opens when they go on.
	s.end = wallTime(date, k.option.ClosesAt, zone)
	return s, fallsOn(s.start, date) && s.end.After(s.start)
}

// occursAt reports whether clocks show the slot's local time at t. If they skip it, wallTime is that
// of another slot.
func (k slotKey) occursAt(t time.Time) bool {
	return fallsOn(t, k.date()) && t.Hour()*60+t.Minute() == k.minute
}

// calendarSpan is span for an option with a calendar.
func (k slotKey) calendarSpan() (span, bool) {
	moment := k.option.Moment(k.day, k.minute)
	if moment == nil {
		return span{}, false
	}
	date, zone := k.date(), k.option.Product.Location
	s := span{start: wallTime(date, k.minute, zone)}
	if s.end = s.start.Add(moment.Lasts); moment.Lasts == 0 {
		s.end = wallTime(date, moment.Until, zone)
	}
	return s, k.occursAt(s.start) && s.end.After(s.start)
}

func (k slotKey) saleEnds(s span) time.Time {
	if k.option.AvailabilityType == partnerapi.OpeningHours {
		return s.end.Add(-k.option.Schedule.CutOff)
	}
	return s.start.Add(-k.option.Schedule.CutOff)
}

// slot is the inventory of one slot. If seats are counted, capacity = vacancies + elsewhere + held
// + confirmed.
type slot struct {
	counted   bool
	closed    bool
	capacity  int
	vacancies int
	elsewhere int // sold through channels other than this contract

	// For quirks that need them; false if no quirk does.
	wasFull, wasCancelled bool
}

// isPlain reports whether the option's slots without a limit have the status AVAILABLE: their product
// already states that there is no limit (PRD-3).
func (k slotKey) isPlain() bool {
	return k.option.Product.AllowFreesale && !k.option.Schedule.Freesale
}

// status returns the slot's status at the given time (AVL-9).
func (s slot) status(key slotKey, when span, now time.Time) partnerapi.SlotStatus {
	switch {
	case s.closed, !now.Before(key.saleEnds(when)):
		return partnerapi.StatusClosed
	case !s.counted && key.isPlain():
		return partnerapi.StatusAvailable
	case !s.counted:
		return partnerapi.StatusFreesale
	case s.vacancies <= 0:
		return partnerapi.StatusSoldOut
	case s.vacancies <= key.option.LimitedAt:
		return partnerapi.StatusLimited
	default:
		return partnerapi.StatusAvailable
	}
}

// parseDate returns a civil date as midnight UTC. Adding 24 hours always gives the next date,
// whatever the zones do.

func parseDate(s string) (time.Time, error) { return time.Parse(partnerapi.DateLayout, s) }

// dayNumber returns the number of a date, which is a midnight UTC. localDay is that of an instant.
func dayNumber(date time.Time) int64 { return date.Unix() / (24 * 60 * 60) }

// localDay returns the number of the date that a calendar in the zone shows.
func localDay(instant time.Time, zone *time.Location) int64 {
	year, month, day := instant.In(zone).Date()
	return dayNumber(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
}

// wallTime returns the instant at which clocks in the zone show that many minutes after the date's
// midnight. A time that occurs twice, when clocks go back, is its first occurrence. A time that is
// skipped, when clocks go forward, is shifted by the gap: 02:30 becomes 03:30.
func wallTime(date time.Time, minutes int, zone *time.Location) time.Time {
	wall := date.Add(time.Duration(minutes) * time.Minute)
	// No offset exceeds 14 hours. The zone's offsets 14 hours before and after are therefore those
	// on either side of any nearby change.
	const reach = 14 * time.Hour
	before := wall.Add(-offsetAt(wall.Add(-reach), zone))
	if offsetAt(before, zone) == offsetAt(wall.Add(-reach), zone) {
		return before.In(zone)
	}
	after := wall.Add(-offsetAt(wall.Add(reach), zone))
	if offsetAt(after, zone) == offsetAt(wall.Add(reach), zone) {
		return after.In(zone)
	}
	return before.In(zone)
}

func offsetAt(t time.Time, zone *time.Location) time.Duration {
	_, seconds := t.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// fallsOn reports whether t, in its own zone, is on the date. It is not if the zone skipped that
// day.
func fallsOn(t, date time.Time) bool {
	year, month, day := t.Date()
	return date.Equal(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
}

// MaxWindowDays is the longest window that callers can request, in days.
const MaxWindowDays = 366

// maxSeats is the maximum number of seats of a slot, as in a catalog.
const maxSeats = 1_000_000

// CheckChange validates a change by itself. Its error is an *invalid.Error.
func CheckChange(c client.SlotChange) error {
	if c.Status != nil && !slices.Contains(partnerapi.SlotStatuses(), *c.Status) {
		return invalid.ErrorAt("status", "expected one of %v, received %q", partnerapi.SlotStatuses(), *c.Status)
	}
	for name, seats := range map[string]*int{"vacancies": c.Vacancies, "capacity": c.Capacity} {
		if seats != nil {
			if err := invalid.RequireRange(name, *seats, 0, maxSeats); err != nil {
				return err
			}
		}
	}
	return nil
}
