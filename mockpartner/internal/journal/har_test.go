package journal

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"partnerkit.dev/internal/har"
)

func TestAnArchiveHoldsWhatWasSaid(t *testing.T) {
	t.Parallel()
	j := New(Limits{})
	j.Begin(Exchange{Method: "POST", Target: "/availability?a=1&a=2&b=%2F", Request: Message{
		Header: http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer x"}}, Body: Body(`{"q":"<>"}`),
	}}).End(200, Message{Header: http.Header{"Content-Type": {"application/json"}}, Body: Body("[]")}, false)
	j.Begin(Exchange{Method: "GET", Target: "/products"}).End(502, Message{Body: Body("\xff\xfe")}, false)
	var text strings.Builder
	if err := WriteHAR(&text, "http://127.0.0.1/s/mine", j.Exchanges(Filter{})); err != nil {
		t.Fatal(err)
	}
	var archive struct {
		Log struct {
			Version string
			Entries []har.Entry
		}
	}
	if err := json.Unmarshal([]byte(text.String()), &archive); err != nil {
		t.Fatalf("%v: %s", err, text.String())
	}
	if archive.Log.Version != "1.2" || len(archive.Log.Entries) != 2 {
		t.Fatalf("want version 1.2 and two entries, got %+v", archive)
	}
	first, second := archive.Log.Entries[0], archive.Log.Entries[1]
	if first.Request.URL != "http://127.0.0.1/s/mine/availability?a=1&a=2&b=%2F" || len(first.Request.Query) != 3 || first.Request.Query[2] != (har.Pair{Name: "b", Value: "/"}) {
		t.Errorf("want URL and query, got %+v", first.Request)
	}
	if first.Request.PostData == nil || first.Request.PostData.Text != `{"q":"<>"}` || first.Request.PostData.MIMEType != "application/json" || first.Request.BodySize != 10 {
		t.Errorf("want the request's body, got %+v", first.Request)
	}
	if first.Request.Headers[0] != (har.Pair{Name: "Authorization", Value: "Bearer [redacted]"}) {
		t.Errorf("want headers without keys, got %+v", first.Request.Headers)
	}
	if first.Response.Status != 200 || first.Response.StatusText != "OK" || first.Response.Content.Text != "[]" || first.Started.IsZero() {
		t.Errorf("want the answer, got %+v", first)
	}
	if second.Request.PostData != nil || second.Response.Content.Encoding != "base64" || second.Response.Content.Text != "//4=" {
		t.Errorf("want a body of bytes in base64, got %+v", second)
	}
}

// fragile fails after some writes.
type fragile int

func (f *fragile) Write(p []byte) (int, error) {
	if *f--; *f < 0 {
		return 0, errors.New("broken")
	}
	return len(p), nil
}

func TestAWriterThatFailsEndsTheArchive(t *testing.T) {
	t.Parallel()
	j := New(Limits{})
	enter(j, "GET", "/", 200, "")
	enter(j, "GET", "/", 200, "")
	for writes := range 5 {
		if err := WriteHAR(new(fragile(writes)), "", j.Exchanges(Filter{})); err == nil {
			t.Errorf("want the error of write %d", writes+1)
		}
	}
}
