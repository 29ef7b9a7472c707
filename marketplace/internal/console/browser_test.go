package console_test

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"partnerkit.dev/internal/axetest"
	"partnerkit.dev/internal/browsertest"
	"partnerkit.dev/internal/connection/connectiontest"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/mockpartner/mocktest"
)

// tab is a page of a shop's console in the browser.
type tab struct {
	*shop
	*browsertest.Tab
}

func (s *shop) look(browser context.Context, path string) tab {
	s.t.Helper()
	o := tab{s, browsertest.Open(s.t, browser, s.address)}
	o.GoTo(path)
	return o
}

// signedIn opens a page and signs in as the operator with the keyboard.
func (s *shop) signedIn(browser context.Context, path string) tab {
	s.t.Helper()
	o := s.look(browser, path)
	o.signIn()
	return o
}

func (o tab) signIn() {
	o.t.Helper()
	o.Write("#f-email", "operator@example.com")
	o.Keys(kb.Tab)
	o.Is(`document.activeElement.id`, "f-password")
	o.Keys(password + kb.Enter)
	o.Shows(".out", "Sign out")
}

func TestTheConsoleInABrowser(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)

	t.Run("an invitation's link, which is shown once, is in sight after the page went to its section", func(t *testing.T) {
		t.Parallel()
		o := open(t).signedIn(b, "/console/accounts")
		o.Do(chromedp.EmulateViewport(1280, 400))
		o.Write("#invitations-title ~ form [name=email]", "boats@example.com")
		o.Click("#invitations-title ~ form button")
		o.See(`location.hash === "#invitations-title" && (() => { const at = document.querySelector("#secret").getBoundingClientRect(), title = document.querySelector("#invitations-title").getBoundingClientRect(); return at.top >= 0 && at.bottom < title.top && title.bottom < innerHeight; })()`)
		o.RequireNoProblems()
	})

	t.Run("an operator settles a paid booking whose confirm has failed", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		id := s.bookUnconfirmed(s.order(s.registerStocked()))
		o := s.signedIn(b, "/console/")
		o.Shows(".due .figure", "1")
		o.Click(".due a.main")
		o.Click("tbody th a")
		o.Shows("#attention-title", "Paid, but the partner did not confirm")
		s.byHand()
		o.Click(".acts button.main")
		o.Shows(".note", "The booking is now CONFIRMED.")
		o.Shows(".timeline", "answered with 409")
		o.Shows(".timeline .good", "CONFIRMED")
		if got := call[booked](s, domain.Operator, "GET", "/operator/bookings/"+id, ""); got.Status != "CONFIRMED" {
			t.Errorf("want it confirmed, got %s", got.Status)
		}
		o.Click(".buttons a.danger")
		o.Do(chromedp.SendKeys(chromedp.ID("f-reason"), "The guests are ill"+kb.Enter))
		o.Shows(".note", "The booking is now CANCELLED.")
		o.RequireNoProblems()
		mocktest.AssertCallerKept(t, s.partner.Default())
	})

	t.Run("an operator approves what the guard holds back", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		made := s.registerStocked()
		for _, gone := range call[[]client.OperatorActivity](s, domain.Operator, "GET", "/operator/activities", "")[1:] {
			errtest.Check(s.t, s.control.Catalog.DeleteProduct(t.Context(), gone.ExternalSync.ExternalProductID))
		}
		call[any](s, domain.Operator, "POST", "/operator/integrations/"+made.ID+"/sync", `{}`)
		o := s.signedIn(b, "/console/")
		o.Shows(".why", "A sync waits for approval")
		o.Click(".rows a")
		o.Shows("#approve-title", "waits for your approval")
		o.Click(".due button.main")
		o.See(`!document.querySelector("#approve-title") && !document.querySelector(".note.open")`)
		o.Shows("[aria-labelledby=syncs-title] li p:nth-child(2)", "deactivated")
		o.GoTo("/console/activities?status=Active")
		o.See(`document.querySelectorAll("tbody tr").length === 1`)
		o.RequireNoProblems()
	})

	t.Run("a price that is edited is in the resellers' list", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		s.registerStocked()
		price := func() (list []client.Activity) {
			return call[[]client.Activity](s, domain.Reseller, "GET", "/resellers/activities?limit=100", "")
		}
		before := price()[0]
		o := s.signedIn(b, "/console/activities/"+before.ID)
		was := before.Variations[0].Pricing.Units[0].Price
		o.Shows("#prices td:nth-of-type(2)", was.Rat().FloatString(2))
		o.Write("#f-admin_price_percentage", "10000")
		o.Shows("#prices", "Expected a percentage from -100 to 1000")
		o.Keys(kb.Backspace + kb.Backspace)
		o.Shows("#prices td:nth-of-type(3) b", new(big.Rat).Add(was.Rat(), was.Rat()).FloatString(2))
		o.Screenshot("prices")
		o.Click(`form[action$="` + before.ID + `"] button.main`)
		o.Shows(".note", "Changed: 1 field.")
		is := price()[0].Variations[0].Pricing.Units[0].Price
		if was.Rat() == nil || is.Rat() == nil || is.Rat().Cmp(was.Rat()) <= 0 {
			t.Errorf("want a higher price than %s, got %s", was, is)
		}
		o.RequireNoProblems()
	})

	t.Run("a group price that is previewed is the resellers' price once it is saved, and so is the partner's once it is cleared", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		s.registerStocked()
		price := func() client.Pricing {
			return call[[]client.Activity](s, domain.Reseller, "GET", "/resellers/activities?limit=100", "")[0].Variations[0].Pricing
		}
		of, before := call[[]client.Activity](s, domain.Reseller, "GET", "/resellers/activities?limit=100", "")[0], price()
		partner, guests := before.Units[0].Price.Rat().FloatString(2), len(before.Units)
		o := s.signedIn(b, "/console/activities/"+of.ID+"/variations/"+of.Variations[0].ID)
		o.Shows("#prices td:nth-of-type(2)", partner)
		o.Write("#f-pricing-group_price", "180.55555")
		o.Shows("#prices", "Expected an amount from 0 to 1000000000 of at most 4 decimals")
		o.Keys(kb.Backspace)
		o.Shows("#prices tr:first-child td:nth-of-type(3) b", "180.56")
		o.See(fmt.Sprintf(`document.querySelectorAll("#prices tbody tr").length === %d`, guests+1))
		o.requireAccessible(axetest.Source(t))
		if got := price(); got.GroupPrice != "" {
			t.Errorf("Expected nothing saved, received %+v", got)
		}
		o.Click(`form[action] button.main`)
		o.Shows(".note", "Changed: 1 field.")
		if got := price(); got.GroupPrice != "180.56" || len(got.Units) != 0 {
			t.Errorf("Expected the previewed group price, received %+v", got)
		}
		o.See(`document.querySelectorAll("#prices tbody tr").length === 1`)
		o.Write("#f-pricing-group_price", "")
		o.Control("a")
		o.Keys(kb.Backspace)
		o.Shows("#prices tr:nth-child(2) td:nth-of-type(3) b", partner)
		o.Screenshot("group-price-cleared")
		o.Click(`form[action] button.main`)
		o.See(`document.querySelector("[name='was:pricing.group_price']").value === ""`)
		if got := price(); got.GroupPrice != "" || len(got.Units) != guests || got.Units[0].Price != before.Units[0].Price {
			t.Errorf("Expected the partner's prices again, received %+v", got)
		}
		o.RequireNoProblems()
	})

	t.Run("a file of rates is uploaded, and imported by force where it is refused", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		file := filepath.Join(t.TempDir(), "eurofxref-daily.xml")
		errtest.Check(t, os.WriteFile(file, []byte(`<Envelope><Cube><Cube time="`+s.now().Format(time.DateOnly)+`"><Cube currency="USD" rate="12"/></Cube></Cube></Envelope>`), 0o600))
		call[any](s, domain.Operator, "PUT", "/operator/rates", `{"base":"EUR","rates":{"USD":"1.2"}}`)
		o := s.signedIn(b, "/console/terms")
		o.Do(chromedp.SetUploadFiles(chromedp.ID("f-import-upload"), []string{file}))
		o.Click(`form[enctype] button.main`)
		o.Shows(".note.failed", "12 is more than twice the rate in force, 1.2")
		o.Click("#f-import-force")
		o.Click(`form[enctype] button.main`)
		o.Shows(".note", "Imported the rates of "+s.now().Format(time.DateOnly))
		o.Is(`document.querySelector("#f-rates-USD").value`, "12")
	})

	t.Run("a slash goes to the search, also from a page without one", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		o := s.signedIn(b, "/console/terms")
		o.See(`document.readyState === "complete"`) // the script listens
		o.Keys("/")
		o.See(`location.pathname === "/console/bookings" && document.activeElement.id === "f-q"`)
		o.Keys("7/8") // in a field it is a character
		o.Is(`document.querySelector("#f-q").value`, "7/8")
		o.Keys(kb.Escape)
		o.Is(`document.activeElement.tagName`, "BODY")
		o.GoTo("/console/accounts")
		o.See(`document.readyState === "complete"`)
		o.Keys("/")
		o.Is(`document.activeElement.type`, "search")
		o.RequireNoProblems()
	})

	t.Run("no page keeps anybody out, in light and dark, wide and narrow", func(t *testing.T) {
		t.Parallel()
		axe := axetest.Source(t)
		s := open(t)
		pages := s.fillShop()
		o := s.look(b, "/console/signin")
		o.requireAccessible(axe)
		o.signIn()
		for _, path := range pages {
			o.GoTo(path)
			o.requireAccessible(axe)
		}
		o.GoTo(pages["integration"])
		o.Click("#settings-title ~ details summary")
		o.Write("#f-auth_key", "a-wrong-key")
		o.Click(`button[value="test"]`)
		o.Shows(".note.failed", "does not work with these settings")
		o.requireAccessible(axe)
		o.Write("#f-client_certificate", "no certificate")
		o.Click(`button[value="test"]`)
		o.Shows("#f-client_certificate-error", "Expected a certificate")
		o.requireAccessible(axe)
		o.GoTo(pages["terms"])
		for _, width := range []int64{1000, 1280} {
			o.Fits(width)
			o.Is(`String(document.querySelector(".out").getBoundingClientRect().top < document.querySelector(".top nav").getBoundingClientRect().bottom)`, "true")
		}
		o.Do(chromedp.SendKeys(chromedp.ID("f-currency"), "XXY"+kb.Enter))
		o.Shows(".note.failed", "ISO 4217")
		o.requireAccessible(axe)
	})
}

// fillShop fills the shop with data, and returns the pages to look at.
func (s *shop) fillShop() map[string]string {
	s.t.Helper()
	errtest.Check(s.t, s.control.Defects.Apply(s.t.Context(), "age-limit-is-text"))
	made := s.registerStocked()
	booking := s.bookUnconfirmed(s.order(made))
	pgtest.Exec(s.t, s.store, `UPDATE bookings SET ends_at = starts_at + interval '20 hours', contact = contact || '{"fullName": "Bartholomew Featherstonehaugh-Cholmondeley"}'`) // values that take room
	reseller := s.accounts[domain.Reseller].ID.String()
	call[any](s, domain.Operator, "POST", "/operator/accounts/"+reseller+"/api-tokens", `{"name":"web shop"}`)
	errtest.Check(s.t, s.control.Defects.Remove(s.t.Context(), "age-limit-is-text"))
	s.arm(`{match: {endpoint: products}, times: 3, status: 503}`)
	v := s.operator()
	for range 3 { // makes it DEGRADED
		s.ahead.Add(int64(40 * time.Minute))
		v.sync("/console/integrations/"+made.ID, "full")
	}
	s.ahead.Add(int64(90 * time.Minute))
	call[any](s, domain.Operator, "PUT", "/operator/rates", `{"base":"EUR","rates":{"USD":"1.08","JPY":"171.94","GBP":"0.8464"}}`)
	call[any](s, domain.Operator, "PUT", "/operator/rates", `{"base":"EUR","rates":{"USD":"1.0804","JPY":"271.94"}}`)
	pgtest.Exec(s.t, s.store, `UPDATE pricing_terms SET rates_as_of = '2026-06-20', rates_refused = 'date: 2026-07-02 is in the future'`)
	pgtest.Exec(s.t, s.store, `UPDATE exchange_rates SET as_of = CASE currency WHEN 'JPY' THEN date '2026-06-19' WHEN 'GBP' THEN '2026-06-03' ELSE '2026-06-20' END`)
	pgtest.Exec(s.t, s.store, `UPDATE variations SET option = jsonb_set(option, '{units,0,pricingFrom,0,currency}', '"XPF"') WHERE id = (SELECT min(id::text)::uuid FROM variations)`)
	ours, _ := connectiontest.NewCertificate(s.t, "marketplace.example", time.Until(s.now().AddDate(0, 0, 10)))
	cert, key := connectiontest.Encode(s.t, ours)
	identified := call[registered](s, domain.Partner, "POST", "/partner-integrations", fmt.Sprintf(`{"name":"Boats","base_url":"https://boats.example","auth_key":"partner-key","client_certificate":%q,"client_key":%q}`, cert, key))
	errtest.Check(s.t, s.store.Runs.Govern(s.t.Context(), conformance.Rules{Default: conformance.Require}))
	errtest.Check(s.t, s.store.Catalog.BeginNight(s.t.Context(), s.now()))
	activity := call[[]client.OperatorActivity](s, domain.Operator, "GET", "/operator/activities?q=tokyo-market", "")[0]
	return map[string]string{
		"overview": "/console/", "partners": "/console/partners", "integrations": "/console/integrations", "integration": "/console/integrations/" + made.ID, "identified": "/console/integrations/" + identified.ID, "delete": "/console/integrations/" + made.ID + "/delete", "rotate": "/console/integrations/" + made.ID + "/rotate",
		"bookings": "/console/bookings", "booking": "/console/bookings/" + booking, "cancel": "/console/bookings/" + booking + "/cancel", "activities": "/console/activities",
		"activity": "/console/activities/" + activity.ID, "variation": "/console/activities/" + activity.ID + "/variations/" + activity.Variations[0].ID, "terms": "/console/terms",
		"language": "/console/activities/" + activity.ID + "?language=pt", "filters": "/console/bookings?activity=unknown&start_from=2026-07-01", "webhooks": "/console/accounts/" + reseller + "/webhooks",
		"accounts": "/console/accounts", "account": "/console/accounts/" + reseller, "nothing": "/console/nothing",
	}
}

// requireAccessible requires that the page has no accessibility problem, is not wider than the window, and
// cuts off no value.
func (o tab) requireAccessible(axe string) {
	o.t.Helper()
	for _, width := range []int64{1440, 1280, 390} {
		o.Fits(width)
		o.RequireUncut("dd, td, tbody th, .who")
	}
	axetest.Check(o.Tab, axe)
}
