package view

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"partnerkit.dev/conformance/report"
)

// timing is the answer times of one endpoint on a line, with its limits. The line is logarithmic,
// to show answers of milliseconds and a limit of seconds together.
type timing struct {
	report.Latency
	State    string // passed: within the limit; warned: within that of a degraded partner; failed: beyond both
	Within   string // a path with a stroke for each call within the limit
	Late     string // for each call within the limit of a degraded partner only
	Beyond   string // for each call beyond both; may be ""
	Median   string // percent of the line
	Healthy  string
	Degraded string
	Ticks    []tick

	TwoLimits  bool
	BeyondSays string
}

type tick struct{ At, Says string }

const (
	lineStart = 0.5  // milliseconds at the start of a line; faster answers are drawn there
	lineWide  = 1000 // width of a line in its picture, in units
	lineSpare = 1.4  // how far beyond the largest time and limit a line ends
)

func newTiming(l report.Latency) timing {
	last := max(l.HealthyLimitMS, l.DegradedLimitMS)
	end := max(l.WorstMS, last, 1) * lineSpare
	at := func(ms float64) string { return percent(linePosition(ms, end), 1) }
	t := timing{
		Latency: l, State: string(report.Passed), TwoLimits: l.DegradedLimitMS > l.HealthyLimitMS,
		Median: at(l.MedianMS), Healthy: at(l.HealthyLimitMS), Degraded: at(l.DegradedLimitMS),
	}
	t.Within, t.Late, t.Beyond = strokes(l, end)
	for ms := 1.0; ms < end; ms *= 10 {
		t.Ticks = append(t.Ticks, tick{at(ms), milliseconds(ms)})
	}
	switch {
	case l.WorstMS > last:
		t.State, t.BeyondSays = string(report.Failed), "the slowest answer came after the limit"
	case l.WorstMS > l.HealthyLimitMS:
		t.State, t.BeyondSays = string(report.Warned), "the slowest answer came after the limit of a healthy partner"
	}
	return t
}

// milliseconds formats a whole power of ten, short.
func milliseconds(ms float64) string {
	return strings.ReplaceAll(duration(time.Duration(ms)*time.Millisecond), ".0", "")
}

func linePosition(ms, end float64) float64 {
	if !(ms > lineStart) {
		return 0
	}
	return math.Log(ms/lineStart) / math.Log(end/lineStart)
}

// strokes draws the calls. If only the worst time is known, it draws that one.
func strokes(l report.Latency, end float64) (within, late, beyond string) {
	times := l.TimesMS
	if len(times) == 0 {
		times = []float64{l.WorstMS}
	}
	var paths [3]strings.Builder
	for _, ms := range times {
		path := &paths[0]
		switch {
		case ms > max(l.HealthyLimitMS, l.DegradedLimitMS):
			path = &paths[2]
		case ms > l.HealthyLimitMS:
			path = &paths[1]
		}
		fmt.Fprintf(path, "M%.0f 0v16", lineWide*linePosition(ms, end))
	}
	return paths[0].String(), paths[1].String(), paths[2].String()
}

// slotView is the vacancies of one slot as steps, one for each reading. The steps have equal
// widths: readings come in bursts, and what happened between two of them matters, not how long it
// took.
type slotView struct {
	report.SlotVacancies
	Steps  string // a path, in a box of 1000 by 100
	Points []pointView
	Says   string // describes the picture

	FromZero bool // the lowest line is 0 seats
}

// heights returns the seats at the lowest and at the highest line of a picture. The lowest line is
// not 0 if that would make small changes in a large number invisible.
func heights(readings []report.SeatsReading) (floor, most int64) {
	floor, most = readings[0].Left, readings[0].Left
	for _, r := range readings {
		floor, most = min(floor, r.Left), max(most, r.Left)
	}
	if floor = floor - 2*(most-floor) - 1; floor < most/2 {
		floor = 0
	}
	return floor, max(most, floor+1)
}

type pointView struct {
	report.SeatsReading
	X, Y string
	Text string // "" if it would overlap another text or repeat it
}

const (
	stepsOpen    = 6  // slots whose pictures are expanded
	slotsOpen    = 6  // slots with other seats than before that are listed expanded
	mostLabelled = 20 // maximum number of readings of a slot that are labelled
	stepsTop     = 28 // percent of the height above the highest line
	stepsBottom  = 92 // percent of the height down to the lowest line
)

func newSlotView(slot report.SlotVacancies) slotView {
	v := slotView{SlotVacancies: slot}
	floor, most := heights(slot.Readings)
	v.FromZero = floor == 0
	width := 1 / float64(len(slot.Readings))
	var steps strings.Builder
	var numbers []string
	for i, r := range slot.Readings {
		y := stepsBottom - (stepsBottom-stepsTop)*max(0, float64(r.Left-floor)/float64(most-floor))
		from, to := 1000*width*float64(i), 1000*width*float64(i+1)
		if i == 0 {
			fmt.Fprintf(&steps, "M%.1f %.1f", from, y)
		}
		fmt.Fprintf(&steps, "V%.1fH%.1f", y, to)
		point := pointView{SeatsReading: r, X: percent(width*(float64(i)+.5), 1), Y: fmt.Sprintf("%.1f%%", y)}
		if len(slot.Readings) <= mostLabelled && (i == 0 || r.Left != slot.Readings[i-1].Left) {
			point.Text = strconv.FormatInt(r.Left, 10)
		}
		v.Points, numbers = append(v.Points, point), append(numbers, strconv.FormatInt(r.Left, 10))
	}
	v.Steps, v.Says = steps.String(), "seats left: "+strings.Join(numbers, ", ")
	return v
}

// percent formats part of whole for an SVG attribute. Bars are drawn with these, because the page's
// policy forbids style attributes.
func percent(part, whole float64) string {
	if !(whole > 0) || !(part > 0) { // also covers NaN
		return "0%"
	}
	return fmt.Sprintf("%.2f%%", min(part/whole, 1)*100)
}
