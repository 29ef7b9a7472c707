package registry_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/axetest"
	"partnerkit.dev/internal/browsertest"
	"partnerkit.dev/marketplace/internal/registry"
)

// entries returns certified partners, and one whose certificate has ended.
func entries() []registry.Entry {
	since := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	list := []registry.Entry{
		{Name: "Boats of the Old Harbour", BaseURL: "https://api.boats.example/partner/v2"},
		{Name: "Музей & <Söhne>", BaseURL: "https://museum.example/" + strings.Repeat("a-long-path/", 12)},
		{Name: strings.Repeat("Walks", 40), BaseURL: "https://walks.example"},
	}
	for i := range list {
		list[i].Integration, list[i].ContractVersion, list[i].Certificate = uuid.UUID{15: byte(i + 1)}, "b108f45032ff", "a.b.c"
		list[i].IssuedAt, list[i].ValidUntil = since, since.AddDate(0, 0, 90)
	}
	return append(list, registry.Entry{Integration: uuid.UUID{15: 9}})
}

func TestThePageInABrowser(t *testing.T) {
	t.Parallel()
	browser, axe, all := browsertest.Start(t), axetest.Source(t), entries()
	served := map[string]registry.Page{
		"":         {Entries: all[:3], Next: "next"},
		"?q=boats": {Words: "boats", Entries: all[:1]},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/registry", func(w http.ResponseWriter, r *http.Request) {
		p := served[strings.TrimPrefix(r.URL.String(), "/registry")]
		p.Address = "https://market.example"
		text, err := p.HTML()
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Security-Policy", registry.Policy())
		_, _ = w.Write(text)
	})
	for _, e := range all {
		mux.HandleFunc(registry.BadgePath(e.Integration.String()), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/svg+xml")
			_, _ = w.Write(e.Badge())
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	tab := browsertest.Open(t, browser, server.URL)
	tab.GoTo("/registry")
	tab.Fits(1280, 390)
	axetest.Check(tab, axe)
	tab.See(`document.querySelectorAll("img").length === 3 && [...document.images].every(i => i.complete && i.naturalWidth > 200)`)
	tab.Write("#q", "boats")
	tab.Click("form button")
	tab.See(`location.search === "?q=boats" && document.querySelectorAll("li").length === 1`)
	tab.RequireNoProblems()
	for _, e := range []registry.Entry{all[0], all[3]} {
		tab.GoTo(registry.BadgePath(e.Integration.String()))
		tab.See(`document.documentElement.getBoundingClientRect().width > 100 && [...document.querySelectorAll("text")].every(t => t.getBBox().width > 10)`)
		tab.Screenshot(fmt.Sprint("badge ", e.Integration))
	}
}

func TestAPageWithoutPartnersSaysWhy(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]registry.Page{
		"No certified partner has “nothing” in its name": {Words: "nothing"}, "No more certified partners": {Later: true}, "No certified partner is shown here yet": {},
	} {
		text, err := p.HTML()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("Expected %q, received %s, %v", want, text, err)
		}
	}
}

func TestABadgeSaysUntilWhenAPartnerIsCertified(t *testing.T) {
	t.Parallel()
	all := entries()
	all[0].ContractVersion = `<b>"version" of the contract`
	for i, want := range map[int]string{0: "contract &lt;b&gt;&#34;version&#34; of the… · conformant until 2026-09-29", 3: "contract · not certified"} {
		if badge := string(all[i].Badge()); !strings.Contains(badge, "<title>"+want+"</title>") || !strings.Contains(badge, `role="img" aria-label="`+want+`"`) || strings.Contains(badge, "<b>") {
			t.Errorf("Expected %q, received %s", want, badge)
		}
	}
}
