package platform

import (
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// A civil date is held as midnight UTC: adding 24 hours is the next date,
// whatever the zones do.

func parseDate(s string) (time.Time, error) { return time.Parse(partnerapi.DateLayout, s) }

// dayNumber counts the days since 1970-01-01.
func dayNumber(date time.Time) int64 { return date.Unix() / (24 * 60 * 60) }

// wallTime returns the instant at which clocks in the zone show that many
// minutes after the date's midnight. A time that occurs twice, when clocks go
// back, is its first occurrence; one that is skipped, when they go forward,
// comes as much later: 02:30 becomes 03:30.
func wallTime(date time.Time, minutes int, zone *time.Location) time.Time {
	wall := date.Add(time.Duration(minutes) * time.Minute)
	// No offset is larger than 14 hours: the zone's offsets that long before
	// and after hold on both sides of any change at hand.
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

// fallsOn reports whether t, in its own zone, is on the date. It is not where a
// zone skipped a whole day.
func fallsOn(t, date time.Time) bool {
	year, month, day := t.Date()
	return date.Equal(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
}
