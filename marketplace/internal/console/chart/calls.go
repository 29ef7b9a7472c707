// Package chart computes the charts of the pages, which templates draw as SVG.
package chart

import (
	"fmt"
	"strings"
	"time"

	"partnerkit.dev/marketplace/client"
)

// Calls shows the calls to a partner in the last 24 hours: a bar for each hour, in which failed calls
// stand on top.
type Calls struct {
	Bars                       []Bar
	Total, OK, Refused, Failed int
	Says                       string // a text alternative
}

// Bar is one hour, from left to right.
type Bar struct {
	X             int
	Y, Height     float64 // of the calls that did not fail
	FailY, Failed float64 // of the failed calls; Failed 0: none
	Title         string
}

// Path returns the calls that did not fail as one path, which takes a fraction of the bars' bytes in a list.
func (c Calls) Path() string {
	return pathOf(c.Bars, func(b Bar) (y, height float64) { return b.Y, b.Height })
}

// FailPath returns the failed calls as one path.
func (c Calls) FailPath() string {
	return pathOf(c.Bars, func(b Bar) (y, height float64) { return b.FailY, b.Failed })
}

func pathOf(bars []Bar, of func(Bar) (y, height float64)) string {
	var path strings.Builder
	for _, bar := range bars {
		if y, height := of(bar); height > 0 {
			fmt.Fprintf(&path, "M%d %.4gh3v%.4gh-3z", bar.X, y, height)
		}
	}
	return path.String()
}

// The size of the chart: a bar every step, at most height high.
const (
	hours  = 24
	Step   = 4
	Height = 24
	Width  = hours * Step
	// leastHeight makes a few failed calls among many others visible.
	leastHeight = 3
)

// NewCalls returns the chart of an integration's calls by hour, up to the hour of now.
func NewCalls(by []client.HourOfCalls, now time.Time) (c Calls) {
	first, most := now.UTC().Truncate(time.Hour).Add(-(hours-1)*time.Hour), 1
	for _, h := range by {
		c.OK, c.Refused, c.Failed = c.OK+h.OK, c.Refused+h.Refused, c.Failed+h.Failed
		most = max(most, h.OK+h.Refused+h.Failed)
	}
	c.Total = c.OK + c.Refused + c.Failed
	for _, h := range by {
		at := int(h.Hour.Sub(first) / time.Hour)
		if at < 0 || at >= hours {
			continue
		}
		all := h.OK + h.Refused + h.Failed
		bar := Bar{X: at * Step, Title: fmt.Sprintf("%s UTC: %d ok, %d refused, %d failed", h.Hour.UTC().Format("15:04"), h.OK, h.Refused, h.Failed)}
		total := max(1, float64(all)*Height/float64(most))
		if h.Failed > 0 {
			total = max(total, leastHeight)
			bar.Failed = min(total, max(leastHeight, float64(h.Failed)*total/float64(all)))
		}
		bar.FailY = Height - total
		bar.Y, bar.Height = bar.FailY+bar.Failed, total-bar.Failed
		c.Bars = append(c.Bars, bar)
	}
	c.Says = "No calls in the last 24 hours."
	if c.Total > 0 {
		c.Says = fmt.Sprintf("Calls in the last 24 hours: %d succeeded, %d refused as the contract allows, %d failed.", c.OK, c.Refused, c.Failed)
	}
	return c
}
