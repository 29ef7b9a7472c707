package chart_test

import (
	"strings"
	"testing"
	"time"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/console/chart"
)

func TestFailedCallsStandOutAmongManyOthers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 7, 1, 9, 30, 0, 0, time.UTC)
	hour := func(ago int) time.Time { return now.Truncate(time.Hour).Add(-time.Duration(ago) * time.Hour) }
	c := chart.NewCalls([]client.HourOfCalls{
		{Hour: hour(30), OK: 1}, {Hour: hour(23), OK: 1000}, {Hour: hour(2), OK: 499, Refused: 500, Failed: 1}, {Hour: hour(1), Failed: 1}, {Hour: hour(0), OK: 1},
	}, now)
	if c.Total != 2003 || c.Failed != 2 || c.Refused != 500 || len(c.Bars) != 4 {
		t.Fatalf("want sums, and the hours that have room, got %+v", c)
	}
	if first, last := c.Bars[0], c.Bars[3]; first.X != 0 || first.Height != chart.Height || first.Failed != 0 || last.X != chart.Width-chart.Step || last.Height != 1 {
		t.Errorf("want the highest bar first, and the present hour last, got %+v and %+v", first, last)
	}
	for _, bar := range c.Bars {
		if top := bar.Height + bar.Failed; top > chart.Height || bar.FailY+top != chart.Height || bar.Y != bar.FailY+bar.Failed {
			t.Errorf("want the parts stacked on the ground, got %+v", bar)
		}
	}
	if one, only := c.Bars[1], c.Bars[2]; one.Failed < 3 || only.Failed < 3 || only.Height != 0 {
		t.Errorf("want one failed call visible, got %+v and %+v", one, only)
	}
	if strings.Count(c.Path(), "M") != 3 || strings.Count(c.FailPath(), "M") != 2 || !strings.HasPrefix(c.Path(), "M0 0h3v24h-3z") {
		t.Errorf("Expected three bars and two failed ones as paths, received %q and %q", c.Path(), c.FailPath())
	}
	if got := chart.NewCalls(nil, now); got.Says != "No calls in the last 24 hours." || len(got.Bars) != 0 {
		t.Errorf("want words without calls, got %+v", got)
	}
}
