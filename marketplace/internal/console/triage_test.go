package console_test

import (
	"net/http"
	"strings"
	"testing"

	"partnerkit.dev/internal/axetest"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/mockpartner/client"
)

// openStuck opens a service with three paid bookings that the partner refused to confirm.
func openStuck(t *testing.T) (s *shop, ids []string) {
	t.Helper()
	s = open(t)
	order := s.order(s.registerStocked())
	for _, guest := range []string{"Ana Sousa", "Bea Costa", "Carl Lima"} {
		ids = append(ids, s.bookUnconfirmed(strings.Replace(order, "Ana Sousa", guest, 1)))
	}
	for _, hold := range s.partner.Default().Holds() {
		_, err := s.control.Journal.Testify(t.Context(), client.Testimony{ByHand: hold.Code})
		errtest.Check(t, err)
	}
	return s, ids
}

func TestOperatorsActOnAllBookingsOfACauseTogether(t *testing.T) {
	t.Parallel()
	s, ids := openStuck(t)
	v := s.operator()
	v.shows(v.get("/console/"), 200, "Old Town Walks</a>: Paid, but the partner did not confirm", "The hold is gone.", "/console/bookings/triage?attention=true")
	list := v.get("/console/bookings?attention=true&reason=confirm_refused")
	v.shows(list, 200, ids[0], ids[2], "/console/bookings/triage?attention=true&amp;reason=confirm_refused")
	v.shows(v.get("/console/bookings?reason=late_payment"), 200, "No booking matches")

	v.shows(v.get("/console/bookings/triage?attention=true"), 200, `value="`+ids[1]+`" checked`, "3 bookings. ", "Confirm again", "Cancel booking")
	preview := v.post("/console/bookings/triage", "action", "confirm", "query", "attention=true", "id", ids[0], "id", ids[1], "id", ids[2])
	v.shows(preview, 200, "3 bookings, ", "Asks the partner once more", "Confirm again: 3 bookings", `href="/console/bookings?attention=true"`)
	if got := call[booked](s, domain.Operator, "GET", "/operator/bookings/"+ids[0], ""); got.Status != "PAID" {
		t.Errorf("Expected nothing to be done by the preview, received %s", got.Status)
	}

	call[any](s, domain.Operator, "POST", "/operator/bookings/"+ids[2]+"/cancel", "{}") // somebody else was faster
	s.arm(`{match: {endpoint: confirm}, times: 1, status: 409, body: '{"message":"Still sold out"}'}`)
	done := v.post("/console/bookings/triage/confirm", "query", "attention=true", "id", ids[0], "id", ids[1], "id", ids[2])
	v.shows(done, 200, "1 of 2 bookings need no attention any more", "The booking is now CONFIRMED.", "still needs attention: paid, but the partner did not confirm", "Still sold out")

	v.shows(v.post("/console/bookings/triage", "action", "cancel", "id", ids[2]), 200, "None of the chosen bookings allows this", "Not for these", "Carl Lima")
	v.shows(v.post("/console/bookings/triage", "action", "confirm"), 200, "or none was chosen")
	v.shows(v.post("/console/bookings/triage", "action", "steal", "id", ids[0]), http.StatusNotFound)
	v.shows(v.post("/console/bookings/triage", append([]string{"action", "confirm"}, strings.Fields(strings.Repeat("id x ", 101))...)...), 422, "at most 100 bookings")
	v.shows(v.postFrom("cross-site", "/console/bookings/triage/cancel", "id", ids[0]), http.StatusForbidden)
}

func TestStuckBookingsAreClearedInThreeClicks(t *testing.T) {
	t.Parallel()
	s, ids := openStuck(t)
	axe := axetest.Source(t)
	o := s.signedIn(browser.Start(t), "/console/")
	o.Screenshot("overview-causes")
	for i, step := range []struct{ click, shows string }{
		{`a[href^="/console/bookings/triage"]`, "Act on several bookings"}, {`button[value="cancel"]`, "Cancel booking"}, {"form .danger", "Cancel booking"},
	} {
		o.Click(step.click)
		o.Shows("h1", step.shows)
		o.requireAccessible(axe)
		o.Screenshot("triage-" + string(rune('1'+i)))
	}
	o.Shows("[role=status]", "3 of 3 bookings need no attention any more")
	for _, id := range ids {
		if got := call[booked](s, domain.Operator, "GET", "/operator/bookings/"+id, ""); got.Status != "CANCELLED" {
			t.Errorf("%s: Expected it to be cancelled, received %s", id, got.Status)
		}
	}
	o.RequireNoProblems()
}
