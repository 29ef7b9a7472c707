package selftest

import (
	"slices"
	"strconv"
)

// Depth is the outcome of the deep defects whose instances differ in one dimension.
type Depth struct {
	Dimension string `json:"dimension"`
	Defects   int    `json:"defects"`
	Killed    int    `json:"killed"`
	Missed    int    `json:"missed"`     // their rule was not found broken
	WrongRule int    `json:"wrong_rule"` // another rule was found broken
}

// byDimension counts deep defects by dimension, in the order in which the dimensions occur.
func byDimension(deep []Trial) (all []Depth) {
	all = []Depth{}
	for _, trial := range deep {
		at := slices.IndexFunc(all, func(d Depth) bool { return d.Dimension == trial.Dimension })
		if at < 0 {
			at, all = len(all), append(all, Depth{Dimension: trial.Dimension})
		}
		all[at].Defects++
		switch trial.Outcome {
		case Killed:
			all[at].Killed++
		case WrongRule:
			all[at].WrongRule++
		default:
			all[at].Missed++
		}
	}
	return all
}

func countKilled(trials []Trial) (n int) {
	for _, trial := range trials {
		if trial.Outcome == Killed {
			n++
		}
	}
	return n
}

func (d Depth) row() []string {
	return []string{d.Dimension, strconv.Itoa(d.Defects), strconv.Itoa(d.Killed), strconv.Itoa(d.Missed), strconv.Itoa(d.WrongRule)}
}
