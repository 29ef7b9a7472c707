package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"partnerkit.dev/internal/axetest"
	"partnerkit.dev/internal/browsertest"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
)

// holdProducts lets the partner's catalog wait until release is called.
func (s *shop) holdProducts() (release func()) {
	s.t.Helper()
	partner, err := url.Parse(s.base)
	errtest.Check(s.t, err)
	held := make(chan struct{})
	pass := httputil.NewSingleHostReverseProxy(partner)
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/products") {
			<-held
		}
		pass.ServeHTTP(w, r)
	}))
	release = sync.OnceFunc(func() { close(held) })
	s.t.Cleanup(gate.Close)
	s.t.Cleanup(release)
	s.base = gate.URL
	return release
}

func TestASyncThatTakesLongIsSeenByEveryone(t *testing.T) {
	t.Parallel()
	s := open(t)
	release := s.holdProducts()
	made := s.register("Old Town Walks")
	at := "/console/integrations/" + made.ID
	b := browser.Start(t)
	o := s.signedIn(b, at)
	o.Click(`form[action$="/sync"] button`)
	o.Shows("[aria-labelledby=syncs-title] .note", "A full sync runs, started")
	o.requireAccessible(axetest.Source(t))
	o.GoTo("/console/integrations")
	o.GoTo(at)
	o.Shows("[aria-labelledby=syncs-title] .note", "A full sync runs, started")
	o.See(`!document.querySelector("form[action$='/sync']")`)
	without := s.operator() // another browser, without scripts
	without.shows(without.get(at), 200, "A full sync runs, started")
	if found := call[client.Integration](s, domain.Operator, "GET", "/partner-integrations/"+made.ID, ""); found.Syncing == nil || found.Syncing.Mode != "full" || found.Syncing.Cause != "operator" {
		t.Errorf("Expected the API to show the running sync, received %+v", found.Syncing)
	}
	other := s.signedIn(b, at)

	browsertest.Value[any](o.Tab, `window.notLoadedAgain = true`)
	o.Click("#settings-title ~ details summary")
	o.Write("#f-name", "A name that is not saved yet")
	release()
	for _, page := range []tab{o, other} {
		page.Shows("[aria-labelledby=syncs-title] .rows", "products: ")
		page.See(`!document.querySelector("[aria-labelledby=syncs-title] .note") && !!document.querySelector("form[action$='/sync']")`)
	}
	o.Is(`String(window.notLoadedAgain)`, "true")
	o.Is(`document.querySelector("#f-name").value`, "A name that is not saved yetOld Town Walks")
	o.Is(`document.activeElement.id`, "f-name")
	o.RequireNoProblems()
	without.shows(without.get(at), 200, "products: ")
}

func TestTheOverviewFollowsWhatHappens(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	s.sell()
	o := s.signedIn(browser.Start(t), "/console/")
	o.Shows("[aria-labelledby=bookings-title] .figure", "0")
	o.Click("[aria-labelledby=sales-title] summary")
	o.Do(chromedp.Focus("[aria-labelledby=partners-title] tbody a"))
	browsertest.Value[any](o.Tab, `window.notLoadedAgain = true`)
	s.bookUnconfirmed(s.order(made))
	o.Shows("[aria-labelledby=bookings-title] .figure", "1")
	o.Shows("#causes-title", "Why bookings need attention")
	o.Is(`String(window.notLoadedAgain && document.querySelector("[aria-labelledby=sales-title] details").open)`, "true")
	o.Is(`document.activeElement.textContent`, "Old Town Walks")
	o.RequireNoProblems()
}
