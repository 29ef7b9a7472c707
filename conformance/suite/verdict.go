package suite

import (
	"fmt"
	"strings"

	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/report"
)

// verdict returns the verdict of the rules, and the reason if the rules do not show it. A run that
// the user narrowed is partial: it cannot prove that the partner is conformant.
func (r *run) verdict(result *report.Result) (report.Verdict, string) {
	if result.Summary[report.Failed] > 0 {
		return report.Nonconformant, ""
	}
	if why := r.incomplete(result); why != "" {
		return report.Incomplete, why
	}
	if len(result.NarrowedBy) > 0 {
		return report.Partial, "the run was narrowed by " + strings.Join(result.NarrowedBy, ", ")
	}
	return report.Conformant, ""
}

// incomplete returns why the partner could not be judged, or "".
func (r *run) incomplete(result *report.Result) string {
	survey, words := r.player.Surveyed(), r.client.Redactor().Words
	var catalog *partner.Stop
	outside := ""
	if survey != nil {
		catalog, outside = survey.Stop, survey.Outside
	}
	nothingFree := r.player.Book.Traits().NothingFree
	switch {
	case r.player.Time.Interrupted():
		return "the run was interrupted"
	case catalog.OnlyMissing():
		return words(catalog.Message)
	case catalog != nil:
		return "the partner could not be reached: " + words(catalog.Message)
	case outside != "":
		return words(outside)
	case r.config.Ledger.Trouble() != nil:
		return "the ledger could not be written: " + r.config.Ledger.Trouble().Error()
	case r.player.Time.RanOut() && result.Summary[report.Inconclusive] > 0: // otherwise only cases of the plan were left out
		return fmt.Sprintf("the run's time, %s, was used up before every rule was judged (--max-duration)", r.config.MaxDuration)
	case nothingFree != "":
		return words(nothingFree) + "; holds and bookings were not judged"
	case r.config.Strict && result.Summary[report.Inconclusive] > 0:
		return "rules are inconclusive, and the run is strict (--strict)"
	default:
		return ""
	}
}

// narrowedBy returns the flags by which the user left something out of the run.
func (r *run) narrowedBy() []string {
	flags := r.config.narrowedBy()
	if r.filtered() {
		flags = append(flags, "Ginkgo's own filters")
	}
	return flags
}

// filtered reports whether Ginkgo left out a rule that was to be run.
func (r *run) filtered() bool {
	if r.player.Time.Interrupted() || r.news.stopped() != nil {
		return false
	}
	for id := range r.choice.Run {
		if r.verdicts.Get(id) == nil {
			return true
		}
	}
	return false
}

func (c Config) narrowedBy() (flags []string) {
	b := c.Bounds
	for _, one := range []struct {
		flag string
		set  bool
	}{
		{"--rule", c.Rules != nil}, {"--label", c.LabelFilter != ""},
		{"--product", b.Products != nil}, {"--option", b.Options != nil}, {"--from", b.From != ""}, {"--to", b.To != ""},
		{"--read-only", b.ReadOnly}, {"--max-holds 0", *b.MaxHolds == 0}, {"--max-bookings 0", *b.MaxBookings == 0},
		{"--no-races", c.NoRaces}, {"--fail-fast", c.FailFast}, {"--depth quick", c.Depth == string(plan.Quick)},
	} {
		if one.set {
			flags = append(flags, one.flag)
		}
	}
	return flags
}
