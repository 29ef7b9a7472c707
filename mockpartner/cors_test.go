package mockpartner_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

const shop = "http://localhost:3000"

func withOrigins(origins ...string) func(*mockpartner.Options) {
	return func(o *mockpartner.Options) { o.CORS = origins }
}

// preflight asks as a browser does before it sends a reserve.
func (c caller) preflight(path, origin string) answer {
	c.t.Helper()
	c.key = "" // browsers send none
	return c.send("OPTIONS", path, "", http.Header{
		"Origin": {origin}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"authorization,content-type"},
	})
}

func TestPagesOfAllowedOriginsCanCallThePartnerEndpoints(t *testing.T) {
	t.Parallel()
	for allowed, want := range map[string]string{shop: shop, "*": "*"} {
		c := start(t, withOrigins("https://other.example", allowed))
		a := c.preflight(partnerapi.ReservePath, shop)
		if a.status != http.StatusNoContent || a.header.Get("Access-Control-Allow-Origin") != want || a.header.Get("Access-Control-Allow-Headers") != "authorization,content-type" ||
			a.header.Get("Access-Control-Allow-Methods") != "POST" || !strings.Contains(strings.Join(a.header.Values("Vary"), ","), "Origin") || a.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: want reserve allowed, got %d %v", allowed, a.status, a.header)
		}
		if kept := c.mock.Default().Journal().Exchanges(client.Filter{}); len(kept) != 0 {
			t.Errorf("%s: want the journal to have calls of the contract only, got %+v", allowed, kept)
		}
		for _, faults := range []string{"[]", "status: 500", "slow_header: {over: 1ms}", "send: {lower: true}", "send: {chunked: true}", "slow_close: {delay: 1ms}"} {
			c.mock.Default().Faults().Clear()
			c.arm(faults)
			a := c.send("GET", "/products?limit=1", "", http.Header{"Origin": {shop}})
			if a.header.Get("Access-Control-Allow-Origin") != want || !slices.Contains(a.header.Values("Vary"), "Origin") {
				t.Errorf("%s, %s: want the page to read the answer, got %v", allowed, faults, a.header)
			}
		}
	}
}

func TestPagesOfOtherOriginsCannotReadAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]caller{"no origin": start(t), "another origin": start(t, withOrigins("http://localhost:3001"))} {
		for _, a := range []answer{c.preflight(partnerapi.ReservePath, shop), c.send("GET", "/products", "", http.Header{"Origin": {shop}})} {
			if a.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s: %s: want no permission, got %v", name, a.what, a.header)
			}
		}
	}
	c := start(t, withOrigins("*"))
	for _, a := range []answer{
		c.preflight("/_mock/faults", shop), c.preflight("/s/default/_mock/faults", shop), c.send("GET", "/_mock/state", "", http.Header{"Origin": {shop}, "Sec-Fetch-Site": {"cross-site"}}),
	} {
		if a.status < 400 || a.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: want the control API closed to other sites, got %d %v", a.what, a.status, a.header)
		}
	}
	if a := c.preflight("/s/default"+partnerapi.ReservePath, shop); a.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("want each sandbox's partner endpoints open, got %d %v", a.status, a.header)
	}
}

func TestAnOriginHasTheFormThatBrowsersSend(t *testing.T) {
	t.Parallel()
	for origin, want := range map[string]string{
		"*": "", "http://localhost:3000": "", "https://shop.example": "", "http://[::1]:3000": "",
		"":                          `expected * or an origin such as http://localhost:3000, received ""`,
		"localhost:3000":            "expected * or an origin",
		"shop.example":              "expected * or an origin",
		"null":                      "expected * or an origin",
		"ftp://shop.example":        "expected * or an origin",
		"https://*.shop.example":    "expected * or an origin",
		"http://":                   "expected * or an origin",
		"https://shop.example/":     "as https://shop.example: expected that",
		"https://shop.example/page": "as https://shop.example: expected that",
		"https://a:b@shop.example":  "as https://shop.example: expected that",
		"https://Shop.Example":      "as https://shop.example: expected that",
		"https://shop.example:443":  "as https://shop.example: expected that",
		"http://shop.example:80":    "as http://shop.example: expected that",
		"https://lójá.example":      "beginning with xn--",
	} {
		_, err := mockpartner.New(mockpartner.Options{AuthKey: key, CORS: []string{"http://localhost:3000", origin}})
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "cors: ")) {
			t.Errorf("%q: want %q, got %v", origin, want, err)
		}
	}
}
