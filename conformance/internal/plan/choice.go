package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2/types"

	"partnerkit.dev/conformance/internal/rule"
)

// Choice is the rules that a run is about, by id: those that it judges, and those
// that it runs, which are the judged ones and what they need.
type Choice struct{ Judged, Run map[string]bool }

// Choose chooses the rules that the filter fits, of those with the ids, or of
// all where ids is nil. Its error says what cannot be read, or fits nothing.
func Choose(filter string, ids []string) (Choice, error) {
	fits, err := types.ParseLabelFilter(filter)
	if err != nil {
		return Choice{}, fmt.Errorf("the label filter %q cannot be read: want names joined by && and ||, such as 'reserve && MUST'", filter)
	}
	for _, id := range ids {
		if _, err := rule.Find(id); err != nil {
			return Choice{}, err
		}
	}
	chosen := Choice{Judged: map[string]bool{}, Run: map[string]bool{}}
	for _, r := range rule.All() {
		if fits(Labels(r)) && (ids == nil || slices.Contains(ids, r.ID)) {
			chosen.Judged[r.ID] = true
			chosen.include(r)
		}
	}
	switch {
	case len(chosen.Judged) > 0:
		return chosen, nil
	case ids == nil:
		return Choice{}, fmt.Errorf("the label filter %q fits no rule: want ids as 'conformance rules' lists them, endpoints such as reserve, or MUST, SHOULD and MAY", filter)
	case len(ids) == 0:
		return Choice{}, errors.New("no rule is named: want ids as 'conformance rules' lists them")
	default:
		return Choice{}, fmt.Errorf("the label filter %q fits none of the rules that are named", filter)
	}
}

// include adds a rule and all that it needs to what is run.
func (c Choice) include(r rule.Rule) {
	if c.Run[r.ID] {
		return
	}
	c.Run[r.ID] = true
	for _, id := range r.Needs {
		if needed, ok := rule.Lookup(id); ok {
			c.include(needed)
		}
	}
}

// Labels returns what a label filter can name a rule by.
func Labels(r rule.Rule) []string { return []string{r.ID, string(r.Level), string(r.Endpoint)} }
