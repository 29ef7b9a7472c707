package axetest

import (
	"fmt"

	"partnerkit.dev/internal/browsertest"
)

// ofColours are the rules whose findings depend on the colours of a page.
const ofColours = `["color-contrast", "link-in-text-block"]`

// findings promises what is serious or critical on the page: a text for each finding, with
// its rule, its element and what is wrong there. A rule is run if it is in the list, or if
// it does not exist.
const findings = `(rules => axe.run(document, {resultTypes: ["violations"], ...(rules && {runOnly: {type: "rule", values: rules}})}).then(found => found.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.flatMap(v => v.nodes.map(n => v.id + " " + n.target.join(" ") + ": " + n.failureSummary))))(%s)`

// Check fails the test for all that axe-core, whose source this is, finds serious or
// critical on the page that is open, in the light and in the dark.
func Check(tab *browsertest.Tab, source string) {
	tab.T.Helper()
	tab.Do(browsertest.Media("screen", "light"))
	report(tab, "light", browsertest.Value[[]string](tab, source+";"+fmt.Sprintf(findings, "null")))
	tab.Do(browsertest.Media("screen", "dark")) // which changes nothing but the colours
	report(tab, "dark", browsertest.Value[[]string](tab, fmt.Sprintf(findings, ofColours)))
}

func report(tab *browsertest.Tab, scheme string, found []string) {
	tab.T.Helper()
	for _, finding := range found {
		tab.T.Errorf("%s, in the %s: %s", browsertest.Value[string](tab, `location.href`), scheme, finding)
	}
}
