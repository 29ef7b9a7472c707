package console_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"partnerkit.dev/internal/browsertest"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// leftNumbers lists the cells of columns of numbers that are not at the right, with those of their heads.
const leftNumbers = `[...document.querySelectorAll("table")].flatMap(table => [...table.querySelectorAll("thead th")].flatMap((head, i) => {
	const cells = [...table.querySelectorAll("tbody tr")].map(row => row.children[i]).filter(cell => cell && !cell.querySelector(".pill"));
	const texts = cells.map(cell => cell.innerText.trim().split("\n")[0]).filter(text => text && text !== "–");
	const number = /^[+−]?\d[\d.,]*( ?(%|ms|times?|[A-Z]{3}|of \d[\d.,]*))*(, \d.*)?$/;
	return texts.length && texts.every(text => number.test(text)) ? [head, ...cells].filter(cell => getComputedStyle(cell).textAlign !== "right").map(cell => head.innerText + ": " + cell.innerText) : [];
})).join("\n")`

func TestEveryColumnOfNumbersIsAtTheRight(t *testing.T) {
	t.Parallel()
	s := open(t)
	pages := s.fillShop()
	s.sell()
	o := s.signedIn(browser.Start(t), "/console/bookings/triage?attention=true")
	o.Is(leftNumbers, "")
	for _, path := range pages {
		o.GoTo(path)
		browsertest.Value[any](o.Tab, `document.querySelectorAll("details").forEach(d => d.open = true)`)
		o.Is(leftNumbers, "")
	}
}

// sell counts many bookings and calls of the partner.
func (s *shop) sell() {
	s.t.Helper()
	for _, statement := range []string{
		`INSERT INTO booking_days SELECT '2026-06-30', id, 'EUR', 3473, 2002, 1001, 1234567.5 FROM integrations`,
		`INSERT INTO confirm_days SELECT '2026-06-30', id, 2000, 1, 2, 1490 FROM integrations`,
		`INSERT INTO integration_hours (integration_id, hour, ok, refused, failed) SELECT id, '2026-07-01 08:00Z', 3798, 0, 0 FROM integrations ON CONFLICT DO NOTHING`,
	} {
		pgtest.Exec(s.t, s.store, statement)
	}
}

func TestNumbersAreGroupedAsTheBrowserAsks(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	s.sell()
	pgtest.Exec(t, s.store, `UPDATE syncs SET synced = 5169, created = 5168, updated = 1167, deactivated = 1166`)
	v := s.operator()
	v.shows(v.get("/console/"), 200, "3,473 bookings in the last", "2,002 of them confirmed", `>3,473<`, `>2,002<`, `>1,001<`, "1,490 ms")
	v.shows(v.get("/console/integrations/"+made.ID), 200, "5,169 products: 5,168 created, 1,167 updated, 1,166 deactivated")
}

func TestAListIsFewStopsAway(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.bookUnconfirmed(s.order(s.registerStocked()))
	o := s.signedIn(browser.Start(t), "/console/bookings")
	for path, first := range map[string]string{"bookings": "tbody th a", "activities": "tbody th a", "integrations": "tbody th a", "accounts": "tbody th a", "partners": ".tiles a"} {
		o.GoTo("/console/" + path)
		o.See(`document.readyState === "complete"`)
		stops, found := 0, false
		for ; !found && stops < 25; stops++ {
			o.Keys(kb.Tab)
			if strings.Contains(browsertest.Value[string](o.Tab, `document.activeElement.textContent`), "Skip to the results") {
				o.Keys(kb.Enter)
			}
			found = browsertest.Value[bool](o.Tab, `document.activeElement === document.querySelector("#content `+first+`")`)
		}
		if !found || stops > 3 {
			t.Errorf("%s: expected at most 3 stops to the first row, counted %d", path, stops)
		}
	}
	o.RequireNoProblems()
}
