package suite

import (
	"fmt"
	"strings"

	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// ending is how a run ended, as far as its verdict depends on it.
type ending struct {
	config      Config
	interrupted bool
	fault       string        // why the suite itself failed; "" if it did not
	ranOut      bool          // the time was used up
	catalog     *partner.Stop // why there is no catalog; nil if there is one, or if none was needed
	outside     string        // what the user selected and the catalog lacks; "" if nothing
	unreachable string        // why the partner was not reached, at first or any more; "" if it was
	nothingFree string        // why no slot can be booked; "" if one can
	words       func(string) string
}

func (r *run) newEnding() ending {
	e := ending{
		config: r.config, interrupted: r.player.Time.WasInterrupted(), fault: r.fault, ranOut: r.player.Time.RanOut(),
		nothingFree: r.player.Book.Traits().NothingFree, words: r.client.Redactor().Words,
	}
	if survey := r.player.LastSurvey(); survey != nil {
		e.catalog, e.outside = survey.Stop, survey.Outside
	}
	if v := r.verdicts.Get(rule.Reachable.ID); v != nil && v.Outcome == report.Inconclusive {
		e.unreachable = r.announcer.showVerdict(v).Message
	}
	return e
}

// verdict returns the verdict of the rules, and the reason if the rules do not show it. A run that
// the user narrowed is partial: it cannot prove that the partner is conformant.
func (e ending) verdict(result *report.Result) (report.Verdict, string) {
	if result.Summary[report.Failed] > 0 {
		return report.Nonconformant, ""
	}
	if why := e.incompleteReason(result.Summary[report.Inconclusive]); why != "" {
		return report.Incomplete, why
	}
	if len(result.NarrowedBy) > 0 {
		return report.Partial, "the run was narrowed by " + strings.Join(result.NarrowedBy, ", ")
	}
	return report.Conformant, ""
}

// incompleteReason returns why the partner could not be judged, or "".
func (e ending) incompleteReason(inconclusive int) string {
	switch {
	case e.interrupted:
		return "the run was interrupted"
	case e.fault != "":
		return e.fault
	case e.catalog.OnlyMissing():
		return e.words(e.catalog.Message)
	case e.unreachable != "":
		return "the partner could not be reached: " + e.unreachable
	case e.outside != "":
		return e.words(e.outside)
	case e.config.Ledger.Err() != nil:
		return "the ledger could not be written: " + e.config.Ledger.Err().Error()
	case e.ranOut && inconclusive > 0: // otherwise only cases of the plan were left out
		return fmt.Sprintf("the run's time, %s, was used up before every rule was judged (--max-duration)", e.config.MaxDuration)
	case e.nothingFree != "":
		return e.words(e.nothingFree) + "; holds and bookings were not judged"
	case e.config.Strict && inconclusive > 0:
		return "rules are inconclusive, and the run is strict (--strict)"
	default:
		return ""
	}
}
