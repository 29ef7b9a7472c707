package partnerapi

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// DateLayout is the layout of the contract's dates, YYYY-MM-DD.
const DateLayout = time.DateOnly

// ParseDateTime reads a date-time of the contract: RFC 3339, the profile of
// ISO 8601 with seconds and a UTC offset; "Z" and fractions of a second are
// lawful (GEN-5).
func ParseDateTime(s string) (time.Time, error) {
	// RFC 3339 lets "T" and "Z" be written small, Go's parser does not.
	upper := strings.ToUpper(s)
	t, err := time.Parse(time.RFC3339, upper)
	if err != nil || !dateTimeShape.MatchString(upper) {
		return time.Time{}, fmt.Errorf("%.60q is no date-time with seconds and a UTC offset, such as 2026-07-01T09:00:00+02:00", s)
	}
	return t, nil
}

// dateTimeShape refuses what Go's parser lets pass and RFC 3339 does not:
// hours of one digit, a comma before the fraction, offsets of a day and more.
var dateTimeShape = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`)

// FormatDateTime writes t as the contract wants it: seconds, and t's own UTC
// offset in digits.
func FormatDateTime(t time.Time) string {
	// package time writes RFC 3339 much faster than a layout of one's own.
	text := t.Format(time.RFC3339)
	if local, utc := strings.CutSuffix(text, "Z"); utc {
		return local + "+00:00"
	}
	return text
}
