package console_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
)

// hand is an operator who works with a mouse, and uses the keyboard only to write.
type hand struct {
	tab
	clicks int
}

func (h *hand) click(selector string) {
	h.t.Helper()
	h.Click(selector)
	h.clicks++
}

func (h *hand) write(selector, text string) {
	h.t.Helper()
	h.click(selector)
	h.Keys(kb.End + text)
}

func TestEachTaskOfAnOperatorTakesFewClicks(t *testing.T) {
	t.Parallel()
	s := open(t)
	errtest.Check(t, s.control.Defects.Apply(t.Context(), "age-limit-is-text"))
	made := s.registerStocked()
	s.bookUnconfirmed(s.order(made))
	errtest.Check(t, s.store.Runs.Govern(t.Context(), conformance.Rules{Default: conformance.Advise, Approval: true}))
	s.arm(`{match: {endpoint: products}, times: 1, status: 503}`)
	s.operator().sync("/console/integrations/"+made.ID, "full")
	s.enter("/partners", "partner@example.com", password).post("/partners/integrations/" + made.ID + "/go-live")
	call[registered](s, domain.Partner, "POST", "/partner-integrations", fmt.Sprintf(`{"name":"Boats","base_url":%q,"auth_key":"partner-key","mode":"test"}`, s.base))
	call[any](s, domain.Operator, "PUT", "/operator/rates", `{"base":"EUR","rates":{"USD":"1.08"}}`)

	h := &hand{tab: s.signedIn(browser.Start(t), "/console/")}
	for _, task := range []struct {
		name string
		most int
		do   func()
	}{
		{"find a booking by its guest", 3, func() {
			h.click(`nav a[href="/console/bookings"]`)
			h.write("#f-q", "sou"+kb.Enter)
			h.click("tbody th a")
			h.Shows("h1", "Ana Sousa")
		}},
		{"see why a sync failed", 1, func() {
			h.click(`#due-title ~ ul a[href$="` + made.ID + `"]`)
			h.Shows("[aria-labelledby=syncs-title]", "answered GET /products with 503")
		}},
		{"see why a product is set aside", 2, func() {
			h.click(`#due-title ~ ul a[href$="#syncs-title"]`)
			h.click("[aria-labelledby=syncs-title] details summary")
			h.Shows("[aria-label='Products that were set aside']", "restrictions")
		}},
		{"change the price of an activity", 4, func() {
			h.click(`nav a[href="/console/activities"]`)
			h.click("tbody th a")
			h.write("#f-admin_price_percentage", "10")
			h.click("form[action*=activities] button.main")
			h.Shows(".note", "Changed: 1 field.")
		}},
		{"approve a partner that asks to go live", 2, func() {
			h.click(`#due-title ~ ul a[href$="` + made.ID + `"]`)
			h.click(`button[value="approve"]`)
			h.Shows(".note", "Approved.")
		}},
		{"set an exchange rate", 3, func() {
			h.click(`#age-title ~ dl a[href="/console/terms"]`)
			h.write("#f-rates-USD", "5") // 1.085
			h.click(`form[action$="/rates"] button.main`)
			h.Shows(".note", "Saved: USD.")
		}},
		{"import a catalog for the first time", 2, func() {
			h.click(`#due-title ~ ul li:last-child .title a`)
			h.click(`button[value="full"]`)
			h.Shows("[aria-labelledby=syncs-title] li", "created")
		}},
	} {
		h.GoTo("/console/")
		h.clicks = 0
		task.do()
		t.Logf("%s: %d clicks", task.name, h.clicks)
		if h.clicks > task.most {
			t.Errorf("%s: want at most %d clicks, got %d", task.name, task.most, h.clicks)
		}
	}
	h.RequireNoProblems()
}
