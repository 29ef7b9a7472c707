package axetest

import (
	"fmt"

	"partnerkit.dev/internal/browsertest"
)

// ofColours are the rules whose findings depend on the colours of a page.
const ofColours = `["color-contrast", "link-in-text-block"]`

// findings returns a promise of the serious and critical findings on the page. Each is a text with
// its rule, its element and the problem. Only the rules of the list run, or all rules if the list
// is null.
const findings = `(rules => axe.run(document, {resultTypes: ["violations"], ...(rules && {runOnly: {type: "rule", values: rules}})}).then(found => found.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.flatMap(v => v.nodes.map(n => v.id + " " + n.target.join(" ") + ": " + n.failureSummary))))(%s)`

// Check fails the test for every serious or critical finding of axe-core on the open page, in the
// light and in the dark scheme. The parameter source is axe-core's script. If SCREENSHOTS names a
// folder, it contains pictures of the page afterwards.
func Check(tab *browsertest.Tab, source string) {
	tab.T.Helper()
	tab.Do(browsertest.Media("screen", "light"))
	report(tab, "light", browsertest.Value[[]string](tab, source+";"+fmt.Sprintf(findings, "null")))
	tab.Screenshot("light")
	tab.Do(browsertest.Media("screen", "dark")) // changes only the colours
	report(tab, "dark", browsertest.Value[[]string](tab, fmt.Sprintf(findings, ofColours)))
	tab.Screenshot("dark")
}

func report(tab *browsertest.Tab, scheme string, found []string) {
	tab.T.Helper()
	for _, finding := range found {
		tab.T.Errorf("%s, in the %s: %s", browsertest.Value[string](tab, `location.href`), scheme, finding)
	}
}
