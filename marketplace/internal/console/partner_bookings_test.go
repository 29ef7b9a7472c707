package console_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"partnerkit.dev/internal/axetest"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestAPartnerFindsAllItsBookings(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	s.bookUnconfirmed(s.order(made))
	pgtest.Exec(t, s.store, `ALTER TABLE bookings DROP CONSTRAINT bookings_payment`) // that of the copies
	pgtest.Exec(t, s.store, `DO $$ BEGIN EXECUTE (
		SELECT format('INSERT INTO bookings (%1$s) SELECT %1$s FROM (SELECT (jsonb_populate_record(b, jsonb_build_object(''id'', gen_random_uuid(), ''code'', n))).* FROM bookings b, generate_series(1, 24) n) AS more', string_agg(column_name, ', '))
		FROM information_schema.columns WHERE table_name = 'bookings' AND is_generated = 'NEVER'); END $$`)
	o := s.look(browser.Start(t), "/partners/integrations/"+made.ID)
	o.Write("#f-email", "partner@example.com")
	o.Write("#f-password", password)
	o.Click("form button.main")
	o.See(`document.querySelectorAll("[aria-labelledby=bookings-title] tbody tr").length === 10`)
	o.Click("[aria-labelledby=bookings-title] a.step")
	o.Shows("h1", "Bookings")
	o.See(`document.querySelectorAll("tbody tr").length === 20`)
	o.requireAccessible(axetest.Source(t))
	o.Click(".pager a[rel=next]")
	o.See(`document.querySelectorAll("tbody tr").length === 5`)
	o.Do(chromedp.SetValue(chromedp.CSS("#f-status"), "CANCELLED"))
	o.Click("form.filter button")
	o.Shows(".empty", "No booking has this status")
	o.Do(chromedp.SetValue(chromedp.CSS("#f-status"), "PAID"))
	o.Click("form.filter button")
	o.See(`document.querySelectorAll("tbody tr").length === 20`)
	o.RequireNoProblems()

	ana := s.enter("/partners", "partner@example.com", password)
	own := "/partners/integrations/" + made.ID + "/bookings"
	ana.shows(ana.get(own+"?status=LOST"), 422, "Status")
	if p := ana.get(own); strings.Contains(p.text, "Ana Sousa") || strings.Contains(p.text, "R-1017") {
		t.Errorf("Expected neither guest nor reseller, received %s", p.text)
	}
}
