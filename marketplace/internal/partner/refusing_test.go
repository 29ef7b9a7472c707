package partner_test

import (
	"crypto/x509"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"partnerkit.dev/marketplace/internal/partner"
)

// A connection that checks the time of a call carries one call at a time. So bookings are not
// affected by what HTTP/2 may do with a stream, such as refusing it in favour of another one.
func TestABookingCallIsMadeOverHTTP1EvenWhereThePartnerSpeaksHTTP2(t *testing.T) {
	t.Parallel()
	versions := map[string]int{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if versions[r.URL.Path] = r.ProtoMajor; strings.HasSuffix(r.URL.Path, "/reserve") {
			_, _ = io.WriteString(w, goodHold)
			return
		}
		_, _ = io.WriteString(w, goodBooking)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	b := setup(t, nil)
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	b.Trust(trusted)
	var err error
	if b.target.BaseURL, err = url.Parse(server.URL); err != nil {
		t.Fatal(err)
	}
	check(t, b.Probe(t.Context(), b.target))
	_, reserved := b.reserve(t.Context())
	_, confirmed := b.confirm(t.Context())
	if reserved.Kind != partner.Done || confirmed.Kind != partner.Done {
		t.Errorf("want both done, got %+v and %+v", reserved, confirmed)
	}
	if want := map[string]int{"/products": 2, "/bookings/reserve": 1, "/bookings/confirm": 1}; !maps.Equal(versions, want) {
		t.Errorf("want %v, got %v", want, versions)
	}
}
