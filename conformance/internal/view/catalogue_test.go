package view

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"partnerkit.dev/conformance/internal/rule"
)

func TestTheCatalogueShowsEveryRuleWholeAndItsLinksLeadToRules(t *testing.T) {
	t.Parallel()
	doc := rendered(t, Catalogue(rule.All()))
	shown := strings.Join(strings.Fields(text(doc)), " ")
	for _, r := range rule.All() {
		for _, want := range []string{r.ID, string(r.Level) + " (" + r.Clause + "): " + r.Title + ".", "Why: " + r.Why, "Fix: " + r.Fix} {
			if !strings.Contains(shown, want) {
				t.Errorf("%s: want %q on the page", r.ID, want)
			}
		}
		byID(t, doc, r.ID)
	}
	for _, link := range elements(doc, func(e *html.Node) bool { return hasAttr(e, "href") }) {
		if id, own := strings.CutPrefix(attr(link, "href"), "#"); !own {
			t.Errorf("want links within the page only, got %q", attr(link, "href"))
		} else {
			byID(t, doc, id)
		}
	}
}
