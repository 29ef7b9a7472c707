package console_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"partnerkit.dev/internal/axetest"
)

func TestABookingThatWasOpenedFromAListLeadsToItsNeighboursAndBackToTheFilters(t *testing.T) {
	t.Parallel()
	s, ids := openStuck(t) // the newest is the first of the list
	v := s.operator()
	list := "/console/bookings?attention=true&reason=confirm_refused"
	at := func(id, at string) string {
		return "/console/bookings/" + id + "?" + url.Values{"list": {"attention=true&reason=confirm_refused"}, "at": {at}}.Encode()
	}
	href := func(address string) string { return `href="` + strings.ReplaceAll(address, "&", "&amp;") + `"` }
	v.shows(v.get(list), 200, href(at(ids[2], "0")), href(at(ids[1], "1")), href(at(ids[0], "2")))
	v.shows(v.get(at(ids[1], "1")), 200, href(list), `rel="prev" `+href(at(ids[2], "0")), `rel="next" `+href(at(ids[0], "2")))
	if p := v.get(at(ids[0], "2")); strings.Contains(p.text, `rel="next"`) {
		t.Error("Expected nothing after the last one")
	}

	// What was dealt with has left the list: the one after it has its place.
	v.shows(v.post(strings.Replace(at(ids[1], "1"), "?", "/cancel?", 1)), 200, "The booking is now", href(list), `rel="prev" `+href(at(ids[2], "0")), `rel="next" `+href(at(ids[0], "1")))

	for _, wrong := range []string{"?list=attention%3Dtrue&at=-1", "?list=%zz&at=0", "?at=1", "?list=cursor%3Dnonsense&at=0", "?list=partner%3Dunknown&at=0"} {
		v.shows(v.get("/console/bookings/"+ids[0]+wrong), 200, "Ana Sousa", ">Bookings</a>")
	}
}

// firstActivity matches the address of the first activity in a list.
var firstActivity = regexp.MustCompile(`/console/activities/[^"]+at=0[^"]*`)

func TestAnActivityKeepsItsPlaceInTheListWhileItIsEdited(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.registerStocked()
	v := s.operator()
	link := html.UnescapeString(firstActivity.FindString(v.get("/console/activities?status=Active").text))
	page := v.get(link)
	v.shows(page, 200, `href="/console/activities?status=Active"`, `rel="next"`)
	v.shows(v.post(link), 200, "Nothing changed.", `href="/console/activities?status=Active"`, `rel="next"`)
}

func TestKeysLeadThroughAList(t *testing.T) {
	t.Parallel()
	s, _ := openStuck(t)
	axe := axetest.Source(t)
	o := s.signedIn(browser.Start(t), "/console/bookings?attention=true")
	o.Shows("h1", "Bookings")
	o.Keys("jj")
	o.Is(`document.activeElement.textContent`, "Bea Costa")
	o.Keys("k\r")
	o.Shows("h1", "Carl Lima")
	o.Keys("j")
	o.Shows("h1", "Bea Costa")
	o.requireAccessible(axe)
	o.Screenshot("walk")
	o.Keys("j")
	o.Shows("h1", "Ana Sousa")
	o.Keys("k")
	o.Shows("h1", "Bea Costa")
	o.RequireNoProblems()
}
