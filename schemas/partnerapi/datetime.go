package partnerapi

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// DateLayout is the layout of the contract's dates, YYYY-MM-DD.
const DateLayout = time.DateOnly

// ParseDateTime parses a date-time of the contract: ISO 8601 in its extended form with a UTC
// offset, which may be "Z". Seconds and their fraction may be omitted (GEN-5).
func ParseDateTime(s string) (time.Time, error) {
	// RFC 3339 allows lower-case "t" and "z"; Go's parser does not.
	upper := strings.ToUpper(s)
	shape := dateTimeShape.FindStringSubmatch(upper)
	if shape == nil {
		return time.Time{}, noDateTime(s)
	}
	layout := time.RFC3339
	if shape[1] == "" {
		layout = withoutSeconds
	}
	t, err := time.Parse(layout, upper)
	if err != nil {
		return time.Time{}, noDateTime(s)
	}
	return t, nil
}

func noDateTime(s string) error {
	return fmt.Errorf("%.60q is not a date-time with a UTC offset, such as 2026-07-01T09:00:00+02:00", s)
}

const withoutSeconds = "2006-01-02T15:04Z07:00"

// dateTimeShape rejects what Go's parser accepts and the contract does not: hours of one digit, a
// comma before the fraction, and offsets of a day or more. Its first group is the seconds.
var dateTimeShape = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$`)

// FormatDateTime formats t as the contract requires: with seconds, and with t's own UTC offset in
// digits.
func FormatDateTime(t time.Time) string {
	// Package time formats RFC 3339 much faster than a custom layout.
	text := t.Format(time.RFC3339)
	if local, utc := strings.CutSuffix(text, "Z"); utc {
		return local + "+00:00"
	}
	return text
}
