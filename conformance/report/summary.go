package report

import "partnerkit.dev/conformance/internal/probe"

// Count says how many rules came to each outcome. Every outcome has its entry,
// 0 where no rule came to it.
func Count(rules []RuleResult) map[Outcome]int {
	counts := make(map[Outcome]int, len(Outcomes()))
	for _, o := range Outcomes() {
		counts[o] = 0
	}
	for _, r := range rules {
		counts[r.Outcome]++
	}
	return counts
}

// complete returns a copy of r as every view wants it: the summary is that of
// the rules, and no list is null.
func complete(r *Result) *Result {
	whole := *r
	whole.Summary = Count(r.Rules)
	whole.Rules = make([]RuleResult, len(r.Rules))
	for i, rule := range r.Rules {
		if rule.Exchanges == nil {
			rule.Exchanges = []probe.Exchange{}
		}
		whole.Rules[i] = rule
	}
	if whole.Latency == nil {
		whole.Latency = []Latency{}
	}
	if whole.Vacancies == nil {
		whole.Vacancies = []SlotVacancies{}
	}
	if whole.NotUndone == nil {
		whole.NotUndone = []Leftover{}
	}
	return &whole
}
