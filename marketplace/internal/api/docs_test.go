package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"partnerkit.dev/internal/browsertest"
	"partnerkit.dev/marketplace/internal/domain"
)

// The tests of package apidocs check the accessibility of such a page.
func TestTheDocumentsAreReadInABrowser(t *testing.T) {
	t.Parallel()
	b, browser := shared(t), browsertest.Start(t)

	t.Run("the marketplace's, whose requests can be tried", func(t *testing.T) {
		t.Parallel()
		token := strings.TrimPrefix(b.signIn(t, domain.Reseller).value, "Bearer ")
		o := browsertest.Open(t, browser, b.address)
		o.GoTo("/docs#tag/reseller/GET/api/v1/resellers/activities")
		o.Shows("h3", "The activities that can be sold")
		o.Fits(360, 1400)
		o.Write(`input[placeholder="Token"]`, token)
		o.Click(`[id$="tag/reseller/GET/api/v1/resellers/activities"] button.show-api-client-button`)
		o.Shows("[role=dialog]", "Send Request")
		o.Control("\r")
		o.Shows("[role=dialog]", "200 OK")
		o.Shows("[role=dialog]", `"success"`)
		o.RequireNoProblems()
		if asked := o.CountRequests(); asked < 4 {
			t.Errorf("want the requests to have been seen, got %d", asked)
		}
	})

	t.Run("the partners'", func(t *testing.T) {
		t.Parallel()
		o := browsertest.Open(t, browser, b.address)
		o.GoTo("/docs/partner")
		o.Shows("h1", "Partner API")
		// The page draws an operation when a reader scrolls to it. The list beside it has all of them.
		for _, operation := range []string{"GET/products", "POST/availability", "POST/bookings/reserve", "POST/bookings/confirm", "DELETE/bookings/{reservationCode}", "POST/bookings/{externalBookingId}/cancel"} {
			o.See(fmt.Sprintf(`[...document.querySelectorAll("aside a")].some(a => decodeURIComponent(a.hash).endsWith(%q))`, "/"+operation))
		}
		o.Is(`String([...document.querySelectorAll("aside a")].filter(a => /[/](GET|POST|PUT|PATCH|DELETE)[/]/.test(a.hash)).length)`, "6")
		o.Is(`String(document.querySelector("button.show-api-client-button"))`, "null")
		o.Fits(360, 1400)
		o.RequireNoProblems()
	})
}

func TestThePagesOfTheDocumentsLoadNothingThatIsNotTheServices(t *testing.T) {
	t.Parallel()
	b := shared(t)
	for _, path := range []string{"/docs", "/docs/partner"} {
		a := b.do(t, "GET", path, "")
		policy := a.Header.Get("Content-Security-Policy")
		if a.StatusCode != 200 || !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self';") {
			t.Errorf("%s: want a strict policy, got %d with %q", path, a.StatusCode, policy)
		}
		if text := string(a.body); strings.Contains(text, "<script>") || strings.Contains(strings.NewReplacer("http://www.w3.org/2000/svg", "", `<a href="https://partnerkit.dev/"`, "").Replace(text), "//") {
			t.Errorf("%s: want no script and no address of another in it, got %s", path, text)
		}
	}
	if a := b.do(t, "GET", "/docs/partner.yaml", ""); a.StatusCode != 200 || !strings.HasPrefix(string(a.body), "openapi: 3.1") {
		t.Errorf("want the partner's document, got %d %.100s", a.StatusCode, a.body)
	}
	for name, kind := range map[string]string{
		"page.js": "text/javascript", "page.css": "text/css", "scalar.js": "text/javascript",
	} {
		first := b.do(t, "GET", "/docs/assets/"+name, "")
		if first.StatusCode != 200 || !strings.HasPrefix(first.Header.Get("Content-Type"), kind) || len(first.body) == 0 {
			t.Errorf("%s: want %s, got %d, %q", name, kind, first.StatusCode, first.Header.Get("Content-Type"))
		}
		packed := b.do(t, "GET", "/docs/assets/"+name, "", header{"Accept-Encoding", "gzip, br"})
		if library := name == "scalar.js"; library != (packed.Header.Get("Content-Encoding") == "gzip") || library && len(packed.body) >= len(first.body)/2 {
			t.Errorf("%s: want it packed for who takes that, got %q, %d bytes for %d", name, packed.Header.Get("Content-Encoding"), len(packed.body), len(first.body))
		}
		if again := b.do(t, "GET", "/docs/assets/"+name, "", header{"Accept-Encoding", "gzip"}, header{"If-None-Match", packed.Header.Get("Etag")}); again.StatusCode != 304 {
			t.Errorf("%s: want 304 for who has it, got %d", name, again.StatusCode)
		}
		if other := b.do(t, "GET", "/docs/assets/"+name, "", header{"Accept-Encoding", "gzip;q=0"}, header{"If-None-Match", packed.Header.Get("Etag")}); packed.Header.Get("Content-Encoding") != "" && other.StatusCode != 200 {
			t.Errorf("%s: want another tag for the plain file, got %d", name, other.StatusCode)
		}
	}
	for _, name := range []string{"nothing.js", "page.html", "LICENSE.scalar", "..%2Fpage.js", "%00"} {
		wantProblem(t, b.do(t, "GET", "/docs/assets/"+name, ""), http.StatusNotFound, "no such file")
	}
}
