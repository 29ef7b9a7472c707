package main_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// encode sends the partner's answers as packed returns them, with this Content-Encoding; "" leaves it out.
func encode(label string, packed func([]byte) []byte) change {
	return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		if label != "" {
			w.Header().Set("Content-Encoding", label)
		}
		w.WriteHeader(answer.Code)
		if answer.Body.Len() > 0 {
			_, _ = w.Write(packed(answer.Body.Bytes()))
		}
	}
}

func zipped(body []byte) []byte {
	var packed bytes.Buffer
	return closed(&packed, gzip.NewWriter(&packed), body)
}

func deflated(body []byte) []byte {
	var packed bytes.Buffer
	writer, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		panic(err) // the level exists
	}
	return closed(&packed, writer, body)
}

func closed(packed *bytes.Buffer, writer io.WriteCloser, body []byte) []byte {
	_, _ = writer.Write(body)
	_ = writer.Close()
	return packed.Bytes()
}

func TestAnAnswerInAnotherCodingThanRequestedIsABreachThatNamesTheCoding(t *testing.T) {
	t.Parallel()
	for _, coding := range []struct {
		name     string
		endpoint partnerapi.Endpoint
		change   change
		says     string
	}{
		{"br that was not requested", partnerapi.Availability, encode("br", deflated), `its Content-Encoding is "br", and the request accepts only gzip`},
		{"gzip without a header", partnerapi.Confirm, encode("", zipped), "compressed with gzip that no Content-Encoding declares"},
		{"a byte order mark", partnerapi.Products, encode("", func(body []byte) []byte { return append([]byte("\xef\xbb\xbf"), body...) }), "a byte order mark (UTF-8)"},
	} {
		t.Run(coding.name, func(t *testing.T) {
			t.Parallel()
			r := judge(t, serveChanged(t, newMock(t, mockpartner.Options{}), changeEndpoint(coding.endpoint, coding.change)), "--depth", "quick")
			r.hasOneFinding(t, string(coding.endpoint)+".json", coding.endpoint)
			if message := r.rule(t, string(coding.endpoint)+".json").Message; !strings.Contains(message, coding.says) {
				t.Errorf("Expected %q, received %q", coding.says, message)
			}
		})
	}
}

func TestXGzipIsGzip(t *testing.T) {
	t.Parallel()
	r := judge(t, serveChanged(t, newMock(t, mockpartner.Options{}), encode("x-gzip", zipped)), "--depth", "quick")
	if broken := append(r.outcomes(report.Failed), r.outcomes(report.Warned)...); len(broken) > 0 {
		t.Errorf("Expected no breach, received %q\n%s", broken, r.notPassed())
	}
}
