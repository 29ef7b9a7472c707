package partnerapi_test

import (
	"strings"
	"testing"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

func TestDateTimesOfISO8601InItsExtendedFormAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-07-01T09:00:00+02:00":     "2026-07-01T07:00:00Z",
		"2026-07-01T09:00:00Z":          "2026-07-01T09:00:00Z",
		"2026-07-01t09:00:00z":          "2026-07-01T09:00:00Z",
		"2026-07-01T09:00:00.25-03:30":  "2026-07-01T12:30:00.25Z",
		"2026-12-31T23:59:59.999+14:00": "2026-12-31T09:59:59.999Z",
		"2028-02-29T00:00:00-00:00":     "2028-02-29T00:00:00Z",
		"2026-07-01T09:00+02:00":        "2026-07-01T07:00:00Z",
		"2026-07-01T09:00Z":             "2026-07-01T09:00:00Z",
	} {
		got, err := partnerapi.ParseDateTime(text)
		if err != nil || got.UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("%s: want %s, got %s %v", text, want, got.UTC().Format(time.RFC3339Nano), err)
		}
	}
}

func TestAnInvalidDateTimeIsAnErrorWithAnExample(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "now", "2026-07-01", "2026-07-01T09:00", "2026-07-01T09Z", "2026-07-01T09:00.5Z", "2026-07-01T09:60Z", "2026-07-01T09:00:00", "2026-07-01 09:00:00Z",
		"2026-07-01T9:00:00Z", "2026-07-01T09:00:00,5Z", "2026-07-01T09:00:00+0200", "2026-07-01T09:00:00+02",
		"2026-07-01T09:00:00+24:00", "2026-07-01T09:00:00+02:60", "2026-02-29T09:00:00Z", "2026-13-01T09:00:00Z",
		"2026-07-01T24:00:00Z", " 2026-07-01T09:00:00Z", "2026-07-01T09:00:00Z\n", "20260701T090000Z", strings.Repeat("9", 10_000),
	} {
		_, err := partnerapi.ParseDateTime(text)
		if err == nil {
			t.Errorf("%.60q is taken for a date-time", text)
		} else if message := err.Error(); len(message) > 200 || !strings.Contains(message, "2026-07-01T09:00:00+02:00") {
			t.Errorf("%.60q: the message is of no help: %s", text, message)
		}
	}
}

func TestDateTimesAreWrittenWithTheirOwnOffset(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 7, 1, 9, 0, 0, 0, time.FixedZone("", 2*60*60))
	for _, want := range []struct {
		moment time.Time
		text   string
	}{{moment, "2026-07-01T09:00:00+02:00"}, {moment.UTC(), "2026-07-01T07:00:00+00:00"}} {
		text := partnerapi.FormatDateTime(want.moment)
		if again, err := partnerapi.ParseDateTime(text); text != want.text || err != nil || !again.Equal(moment) {
			t.Errorf("want %s, got %s, read as %v %v", want.text, text, again, err)
		}
	}
}
