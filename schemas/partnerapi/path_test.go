package partnerapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"partnerkit.dev/schemas/partnerapi"
)

// opaque are codes that a partner may answer, the awkward ones.
var opaque = []string{
	"HOLD-1", "a/b", "a+b", "a b", "100%", "%2F", "%252F", "..", ".", "../../etc", "a?b#c", "a;b=c", "ß/日本", "\\", "reserve", "",
}

func TestACodeStaysOnePathSegmentAllTheWay(t *testing.T) {
	t.Parallel()
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.URL.EscapedPath() }))
	defer server.Close()
	base, err := url.Parse(server.URL + "/partner/v2/")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range opaque {
		for path, want := range map[string]string{
			partnerapi.ReleasePath(code): "/partner/v2/bookings/" + partnerapi.EscapeSegment(code),
			partnerapi.CancelPath(code):  "/partner/v2/bookings/" + partnerapi.EscapeSegment(code) + "/cancel",
		} {
			address, err := partnerapi.URL(base, path, nil)
			if err != nil {
				t.Fatalf("%q: %v", code, err)
			}
			answer, err := http.Get(address.String())
			if err != nil {
				t.Fatalf("%q: %v", code, err)
			}
			answer.Body.Close()
			if got != want {
				t.Errorf("%q: want the path %s on the wire, got %s", code, want, got)
			}
		}
		if back, err := url.PathUnescape(partnerapi.EscapeSegment(code)); err != nil || back != code {
			t.Errorf("%q comes back as %q %v", code, back, err)
		}
	}
}

func TestPathsLieBelowTheBaseURLWhateverItsSlash(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://h":               "https://h/products?limit=1",
		"https://h/":              "https://h/products?limit=1",
		"https://h/partner/v2":    "https://h/partner/v2/products?limit=1",
		"https://h/partner/v2///": "https://h/partner/v2/products?limit=1",
		"https://h/a%2Fb":         "https://h/a%2Fb/products?limit=1",
		"https://h?x=1#top":       "https://h/products?limit=1",
	} {
		parsed, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		before := *parsed
		got, err := partnerapi.URL(parsed, partnerapi.ProductsPath, url.Values{"limit": {"1"}})
		if err != nil || got.String() != want {
			t.Errorf("%s: want %s, got %v %v", base, want, got, err)
		}
		if *parsed != before {
			t.Errorf("%s: the base URL was changed to %s", base, parsed)
		}
	}
	if _, err := partnerapi.URL(&url.URL{}, "/bookings/%zz", nil); err == nil {
		t.Error("a path that is not escaped is joined")
	}
}
