package view

import (
	"fmt"
	"strconv"
	"strings"

	"partnerkit.dev/conformance/report"
)

// slotView is the vacancies of one slot as steps, a step a reading. The steps are
// of one width: readings come in bursts, and what happened between two of them
// matters, not how long that took.
type slotView struct {
	report.SlotVacancies
	Steps  string // a path, in a box of 1000 by 100
	Points []pointView
	Says   string // the picture in words

	FromZero bool // the lowest line is no seats
}

// heights are the seats at the lowest and at the highest line of a picture. Where
// few of many seats move, none would be too far away for that to be seen.
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

// pointView is one reading in the picture; X and Y are percent.
type pointView struct {
	report.SeatsReading
	X, Y string
	Text string // "" where it would stand in another's way, or say the same again
}

const (
	stepsOpen    = 6  // slots whose pictures are not folded
	mostLabelled = 20 // readings of a slot whose numbers are written into its picture
	stepsTop     = 28 // percent of a picture's height above the most seats
	stepsBottom  = 92 // percent at the lowest line
)

func slotViews(all []report.SlotVacancies) []slotView {
	var views []slotView
	for _, slot := range all {
		views = append(views, newSlotView(slot))
	}
	return views
}

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
