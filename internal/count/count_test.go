package count_test

import (
	"testing"

	"partnerkit.dev/internal/count"
)

func TestANumberHasTheNounThatGoesWithIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ got, want string }{
		{count.Of(0, "rule"), "0 rules"},
		{count.Of(1, "rule"), "1 rule"},
		{count.Of(1200, "rule"), "1,200 rules"},
		{count.Of(1, "entry", "entries"), "1 entry"},
		{count.Of(2, "entry", "entries"), "2 entries"},
		{count.Thousands(999), "999"},
		{count.Thousands(-1000), "-1,000"},
		{count.Thousands(1234567), "1,234,567"},
	} {
		if test.got != test.want {
			t.Errorf("want %q, got %q", test.want, test.got)
		}
	}
}
