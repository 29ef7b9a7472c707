package view

import (
	"fmt"
	"strings"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// Catalogue returns the rules as a page of Markdown, by endpoint: of each its id,
// its level and clause, what must hold, why, how to mend it, and which rules it
// needs, as links within the page.
func Catalogue(rules []rule.Rule) []byte {
	var page strings.Builder
	count := map[rule.Level]int{}
	for _, r := range rules {
		count[r.Level]++
	}
	fmt.Fprintf(&page, "# The rules of the partner contract\n\n%s: %d MUST, %d SHOULD, %d MAY. A partner that breaks a MUST rule is not conformant;\na SHOULD rule that is broken is a warning, and the use of what a MAY rule allows is noted.\n",
		plural(len(rules), "rule"), count[rule.Must], count[rule.Should], count[rule.May])
	for _, e := range partnerapi.Endpoints() {
		method, path := route(e)
		fmt.Fprintf(&page, "\n## %s: `%s %s`\n", e, method, path)
		for _, r := range rules {
			if r.Endpoint == e {
				entry(&page, r)
			}
		}
	}
	return []byte(page.String())
}

// entry is one rule of the catalogue.
func entry(page *strings.Builder, r rule.Rule) {
	fmt.Fprintf(page, "\n<a id=\"%s\"></a>\n### `%s`\n\n**%s** (%s): %s.\n\n- Why: %s\n- Fix: %s\n", r.ID, r.ID, r.Level, r.Clause, escaped(r.Title), escaped(r.Why), escaped(r.Fix))
	if len(r.Needs) == 0 {
		return
	}
	links := make([]string, len(r.Needs))
	for i, id := range r.Needs {
		links[i] = fmt.Sprintf("[`%s`](#%s)", id, id)
	}
	fmt.Fprintf(page, "- Needs: %s\n", strings.Join(links, ", "))
}
