package api_test

import (
	"strings"
	"testing"

	"partnerkit.dev/internal/browsertest"
)

// The tests of package apidocs check what is on such a page, and its accessibility.
func TestTheDocumentsAreReadInABrowser(t *testing.T) {
	t.Parallel()
	b, browser := shared(t), browsertest.Start(t)
	o := browsertest.Open(t, browser, b.address)
	o.GoTo("/docs?tag=Reseller#activities")
	o.Shows("#activities h3", "The activities that can be sold")
	o.Shows("#activities-curl", `curl "`+b.address+`/api/v1/resellers/activities"`)
	o.Shows("#activities-curl", `x-api-token: $TOKEN`) // as in the reseller guide
	o.Fits(360, 1400)
	o.Click(`nav[aria-label="Documents"] a[href="docs/partner"]`)
	o.Shows("h1", "Partner API")
	o.Is(`[...document.querySelectorAll("main .operation > .address")].map(e => e.innerText.replace(/\s+/g, " ")).join()`,
		"GET /products,POST /availability,POST /bookings/reserve,POST /bookings/confirm,DELETE /bookings/{reservationCode},POST /bookings/{externalBookingId}/cancel")
	o.Fits(360, 1400)
	o.RequireNoProblems()
}

func TestThePagesOfTheDocumentsLoadNothing(t *testing.T) {
	t.Parallel()
	b := shared(t)
	for _, path := range []string{"/docs", "/docs?tag=Operator", "/docs/partner"} {
		a := b.do(t, "GET", path, "")
		policy := a.Header.Get("Content-Security-Policy")
		if a.StatusCode != 200 || !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: want a strict policy, got %d with %q", path, a.StatusCode, policy)
		}
		if text := string(a.body); strings.Contains(text, " src=") || strings.Contains(text, `rel="stylesheet"`) {
			t.Errorf("%s: want nothing that is loaded", path)
		}
	}
	if a := b.do(t, "GET", "/docs/partner.yaml", ""); a.StatusCode != 200 || !strings.HasPrefix(string(a.body), "openapi: 3.1") {
		t.Errorf("want the partner's document, got %d %.100s", a.StatusCode, a.body)
	}
	plain, packed := b.do(t, "GET", "/openapi.yaml", ""), b.do(t, "GET", "/openapi.yaml", "", header{"Accept-Encoding", "gzip"})
	if packed.Header.Get("Content-Encoding") != "gzip" || len(packed.body) > len(plain.body)/5 {
		t.Errorf("want the document compressed, got %d bytes of %d", len(packed.body), len(plain.body))
	}
	if again := b.do(t, "GET", "/openapi.yaml", "", header{"If-None-Match", plain.Header.Get("Etag")}); again.StatusCode != 304 {
		t.Errorf("want 304 for who has it, got %d", again.StatusCode)
	}
}
