package partnerapi

import (
	"fmt"
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
	t, err := time.Parse(time.RFC3339, strings.ToUpper(s))
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no date-time with seconds and a UTC offset, such as 2026-07-01T09:00:00+02:00", s)
	}
	return t, nil
}

// FormatDateTime writes t as the contract wants it: seconds, and t's own UTC
// offset in digits.
func FormatDateTime(t time.Time) string { return t.Format("2006-01-02T15:04:05-07:00") }
