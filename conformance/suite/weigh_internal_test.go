package suite

import (
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/rule"
)

// seen is a slot that was watched for so many times as long as a try takes, and on
// which others moved the seats so often.
func seen(times, moves int) *reading {
	return &reading{watch: &watch{lasted: time.Duration(times) * time.Second, moves: moves}}
}

// holds and isOff are tries of a second, on a slot that was watched as seen says.
func holds(at *reading) try { return try{took: time.Second, at: at} }

func isOff(by int64, at *reading) try {
	return try{flaw: "off", off: by, took: time.Second, at: at}
}

func TestTriesAreWeighedUntilOtherCustomersOrABreachIsFarLikelier(t *testing.T) {
	t.Parallel()
	var (
		passing         = seen(3, 0)
		calm, busy, mad = seen(10, 0), seen(20, 4), seen(10, 20)
		sure            = try{flaw: "sure", sure: true}
		disturbed       = try{flaw: "disturbed", disturbed: true, took: time.Second, at: busy}
		taken           = try{stopped: notHere("taken meanwhile")}
		lacking         = try{stopped: missing("no slot")}
		blocked         = try{stopped: breach(rule.ReleaseStatus, nil, "want 200")}
	)
	never, always := func() bool { return false }, func() bool { return true }
	for _, test := range []struct {
		name   string
		clean  int
		tries  []try // the last again and again
		late   func() bool
		guilty string // the flaw of the try that decides; "" none
		open   string // why there is nothing to judge by; "" there is
		played int
	}{
		{"it holds", 1, []try{holds(calm)}, never, "", "", 1},
		{"it has to hold three times", 3, []try{holds(calm)}, never, "", "", 3},
		{"it has to hold three times, and there is no time for more than one", 3, []try{holds(calm)}, always, "", "", 1},
		{"it is off in the same way where nobody else is seen", 1, []try{isOff(1, calm)}, never, "off", "", 3},
		{"it is off once, and holds then", 1, []try{isOff(1, calm), holds(calm)}, never, "", "", 5},
		{"it is off once where others are at it, and holds then", 1, []try{isOff(1, busy), holds(calm)}, never, "", "", 4},
		{"it is off each time in another way", 1, []try{isOff(1, busy), isOff(-1, busy), isOff(2, busy), holds(calm), isOff(-2, busy), holds(calm)}, never, "", "", 7},
		{"it is off in the same way where others are seen now and then", 1, []try{isOff(1, busy)}, never, "off", "", 5},
		{"it is off where others move seats all the time", 1, []try{isOff(1, mad)}, never, "", "other customers", 8},
		{"others are seen at it each time", 1, []try{disturbed}, never, "", "other customers", 8},
		{"nobody else can be the reason", 3, []try{holds(calm), sure}, never, "sure", "", 2},
		{"it is off once where nobody else is seen for long, and cannot be tried again", 1, []try{isOff(1, calm), lacking}, never, "off", "", 2},
		{"it is off once where nobody else is seen for long, and there is no time for more", 1, []try{isOff(1, calm)}, always, "off", "", 1},
		{"it is off once where nobody else is seen for a moment, and cannot be tried again", 1, []try{isOff(1, passing), lacking}, never, "", "other customers", 2},
		{"it is off once where others are at it, and cannot be tried again", 1, []try{isOff(1, busy), lacking}, never, "", "other customers", 2},
		{"it cannot be tried", 1, []try{lacking}, never, "", "no slot", 1},
		{"others are quicker each time", 1, []try{taken}, never, "", "taken", 8},
		{"others are quicker at first", 3, []try{taken, holds(calm)}, never, "", "", 4},
		{"another rule is broken", 1, []try{blocked}, never, "", "want 200", 1},
	} {
		played := 0
		guilty, o := weigh(test.clean, func(attempt int) try { played++; return test.tries[min(attempt, len(test.tries)-1)] }, test.late, func(try) bool { return false })
		flaw, open := "", ""
		if guilty != nil {
			flaw = guilty.flaw
		}
		if o != nil {
			open = o.Message
		}
		if flaw != test.guilty || !strings.HasPrefix(open, test.open) || (open == "") != (test.open == "") || played != test.played {
			t.Errorf("%s: want %q and %q after %d tries, got %q and %q after %d", test.name, test.guilty, test.open, test.played, flaw, open, played)
		}
	}
}
