package live_test

import (
	"net/http/httptest"
	"testing"

	"partnerkit.dev/conformance/internal/traffic/live"
	"partnerkit.dev/internal/axetest"
	"partnerkit.dev/internal/browsertest"
)

func TestTheStatusPageInABrowser(t *testing.T) {
	t.Parallel()
	axe := axetest.Source(t)
	w := startWatcher(live.Options{})
	confirmTwice(t, w)
	stop(t, w)
	server := httptest.NewServer(w.Admin())
	t.Cleanup(server.Close)
	tab := browsertest.Open(t, browsertest.Start(t), server.URL)
	tab.GoTo("/")
	tab.Shows(".findings", "confirm.repeat.booking")
	browsertest.Value[any](tab, `window.stop()`) // the page would refresh while it is checked
	for _, width := range []int64{1440, 390} {
		tab.Fits(width)
		tab.RequireUncut("td, tbody th, dd")
		axetest.Check(tab, axe)
	}
	// On a phone the column's name is beside each value.
	tab.Is(`getComputedStyle(document.querySelector("tbody td"), "::before").content`, `"Calls"`)
	tab.Is(`String(document.querySelector("tbody tr").scrollWidth <= innerWidth)`, "true")
	tab.RequireNoProblems()
}
