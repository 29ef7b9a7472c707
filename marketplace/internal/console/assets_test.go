package console_test

import (
	"net/http"
	"testing"

	"partnerkit.dev/internal/errtest"
)

func TestPagesAndTheirFilesAreCompressedForBrowsers(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := s.operator()
	for _, path := range []string{"/console/", "/console/bookings", styleAddress.FindString(v.get("/console/").text)} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address+path, nil)
		errtest.Check(t, err)
		request.Header.Set("Accept-Encoding", "gzip") // so that the client does not unpack it
		response, err := v.client.Do(request)
		errtest.Check(t, err)
		errtest.Check(t, response.Body.Close())
		if response.StatusCode != 200 || response.Header.Get("Content-Encoding") != "gzip" || response.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: Expected it compressed, received %d with %v", path, response.StatusCode, response.Header)
		}
	}
}
