package plural_test

import (
	"testing"

	"partnerkit.dev/internal/plural"
)

func TestANumberHasTheNounThatGoesWithIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ got, want string }{
		{plural.Count(0, "rule"), "0 rules"},
		{plural.Count(1, "rule"), "1 rule"},
		{plural.Count(1200, "rule"), "1,200 rules"},
		{plural.Count(1, "entry", "entries"), "1 entry"},
		{plural.Count(2, "entry", "entries"), "2 entries"},
		{plural.Thousands(999), "999"},
		{plural.Thousands(-1000), "-1,000"},
		{plural.Thousands(1234567), "1,234,567"},
	} {
		if test.got != test.want {
			t.Errorf("want %q, got %q", test.want, test.got)
		}
	}
}
