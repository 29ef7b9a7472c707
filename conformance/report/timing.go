package report

// timing is the answer times of one endpoint as a bar against its limits.
// Positions are percent of the bar, whose end lies a little beyond the largest
// of them all, so that a mark at the end can be seen.
type timing struct {
	Latency
	State      string // passed: within the limit; warned: within that of a degraded partner; failed: beyond
	Median     string // empty: too near the start for a mark
	P95        string
	Worst      string
	Healthy    string
	Degraded   string
	TwoLimits  bool
	BeyondSays string
}

func timings(all []Latency) []timing {
	var rows []timing
	for _, l := range all {
		end := max(l.WorstMS, l.HealthyLimitMS, l.DegradedLimitMS) * 1.04
		t := timing{
			Latency:   l,
			State:     string(Passed),
			P95:       percent(l.P95MS, end),
			Worst:     percent(l.WorstMS, end),
			Healthy:   percent(l.HealthyLimitMS, end),
			Degraded:  percent(l.DegradedLimitMS, end),
			TwoLimits: l.DegradedLimitMS > l.HealthyLimitMS,
		}
		if l.MedianMS > end/100 {
			t.Median = percent(l.MedianMS, end)
		}
		switch {
		case l.WorstMS > max(l.HealthyLimitMS, l.DegradedLimitMS):
			t.State, t.BeyondSays = string(Failed), "the slowest answer came after the limit"
		case l.WorstMS > l.HealthyLimitMS:
			t.State, t.BeyondSays = string(Warned), "the slowest answer came after the limit of a healthy partner"
		}
		rows = append(rows, t)
	}
	return rows
}
