package view

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"partnerkit.dev/conformance/report"
)

// coveredView is how much of one dimension a rule was judged on, as a bar.
type coveredView struct {
	report.Covered
	Dimension string
	Width     string // of the bar, in percent
	Whole     bool   // everything was exercised
}

func newCoveredView(dimension string, covered report.Covered) coveredView {
	return coveredView{
		Covered: covered, Dimension: strings.ReplaceAll(dimension, "_", " "),
		Width: percent(float64(covered.Exercised), float64(covered.Of)), Whole: covered.Exercised >= covered.Of,
	}
}

// coveredViews returns the dimensions of a rule, in the order of their names.
func coveredViews(dimensions map[string]report.Covered) (all []coveredView) {
	for _, dimension := range slices.Sorted(maps.Keys(dimensions)) {
		all = append(all, newCoveredView(dimension, dimensions[dimension]))
	}
	return all
}

// dimensionView is how many of the rules with a dimension were judged on all of it.
type dimensionView struct {
	coveredView
	Least string // the rule with the smallest share
}

// dimensionViews summarizes the coverage of all rules, one row for each dimension.
func dimensionViews(rules map[string]map[string]report.Covered) (all []dimensionView) {
	totals, least := map[string]report.Covered{}, map[string]string{}
	share := func(c report.Covered) float64 { return float64(c.Exercised) / float64(max(c.Of, 1)) }
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		for dimension, covered := range rules[id] {
			total := totals[dimension]
			total.Of++
			if covered.Exercised >= covered.Of {
				total.Exercised++
			} else if worst, ok := least[dimension]; !ok || share(covered) < share(rules[worst][dimension]) {
				least[dimension] = id
			}
			totals[dimension] = total
		}
	}
	for dimension, total := range totals {
		view := dimensionView{coveredView: newCoveredView(dimension, total)}
		if id := least[dimension]; id != "" {
			c := rules[id][dimension]
			view.Least = fmt.Sprintf("%s: %d of %d", id, c.Exercised, c.Of)
		}
		all = append(all, view)
	}
	slices.SortFunc(all, func(a, b dimensionView) int { return cmp.Compare(a.Dimension, b.Dimension) })
	return all
}
