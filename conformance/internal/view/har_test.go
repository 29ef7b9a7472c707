package view

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/har"
)

// archive writes the calls of r and reads them as a browser does; they must be
// what the format demands.
func archive(t *testing.T, r *report.Result) (entries []har.Entry) {
	t.Helper()
	var out bytes.Buffer
	if err := drawHAR(&out, r); err != nil {
		t.Fatal(err)
	}
	schema, err := os.ReadFile("testdata/har-1.2.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var document any
	if err := json.Unmarshal(out.Bytes(), &document); err != nil {
		t.Fatalf("run.har is no JSON: %v", err)
	}
	if err := jsonschema.MustCompileString("har.json", string(schema)).Validate(document); err != nil {
		t.Fatalf("run.har is no HTTP archive: %#v", err)
	}
	var file struct{ Log struct{ Entries []har.Entry } }
	if err := json.Unmarshal(out.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	return file.Log.Entries
}

func TestTheArchiveHasEveryCallOfTheRun(t *testing.T) {
	t.Parallel()
	entries := archive(t, sampleResult(t))
	if len(entries) != 2 {
		t.Fatalf("%d entries, want 2", len(entries))
	}
	reserved, want := entries[0], reserveExchange()
	if reserved.Request.Method != "POST" || reserved.Request.URL != want.Request.URL || reserved.Request.PostData.Text != want.Request.Body.Text ||
		reserved.Response.Status != 200 || reserved.Response.StatusText != "OK" || reserved.Response.Content.Text != want.Response.Body.Text ||
		reserved.Response.Content.MIMEType != "application/json" || reserved.Comment != "#41 reserve 3 seats" {
		t.Errorf("the call reads %+v", reserved)
	}
	if reserved.Time != 212 || reserved.Time != reserved.Timings.Send+reserved.Timings.Wait+reserved.Timings.Receive {
		t.Errorf("it took %g ms, of %+v: want 212, and the sum of these", reserved.Time, reserved.Timings)
	}
	if reserved.BadInput {
		t.Error("a call that a marketplace sends is marked as bad input")
	}
	if late := entries[1]; late.Response.Status != 0 || late.Response.Error != "timeout: the deadline of 12 s passed before the last byte" {
		t.Errorf("a call without an answer has status %d and says %q", late.Response.Status, late.Response.Error)
	}
}

func TestTheArchiveSaysWhereABodyWasCut(t *testing.T) {
	t.Parallel()
	x := reserveExchange()
	x.Response.Body = report.Body{Text: strings.Repeat("a", 8<<10), Size: 14_000_000, Cut: true}
	x.Response.Header.Set("Set-Cookie", "session=abc; Path=/")
	x.Request.URL += "?limit=1&b=%C3%A4"
	entry := archive(t, &report.Result{Calls: []*report.Exchange{&x}})[0]
	if content := entry.Response.Content; content.Size != 14_000_000 || content.Comment != "the first 8.0 KiB of 13.4 MiB" {
		t.Errorf("the body has %d bytes, and the note %q", content.Size, content.Comment)
	}
	x.Response.Body.Whole = strings.Repeat("a", 14_000)
	if content := archive(t, &report.Result{Calls: []*report.Exchange{&x}})[0].Response.Content; content.Text != x.Response.Body.Whole || content.Comment != "" {
		t.Errorf("the complete body has %d bytes, and the note %q", len(content.Text), content.Comment)
	}
	if cookies := entry.Response.Cookies; len(cookies) != 1 || cookies[0] != (har.Pair{Name: "session", Value: "abc"}) {
		t.Errorf("the cookies are %v", cookies)
	}
	if query := entry.Request.Query; len(query) != 2 || query[0] != (har.Pair{Name: "b", Value: "ä"}) {
		t.Errorf("the query is %v", query)
	}
}

func TestTheArchiveHoldsHostileText(t *testing.T) {
	t.Parallel()
	for name, text := range hostileTexts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive(t, hostileResult(t, text))
		})
	}
}

func TestTheArchiveOfARunWithoutCallsIsOne(t *testing.T) {
	t.Parallel()
	if entries := archive(t, &report.Result{}); len(entries) != 0 {
		t.Errorf("%d entries, want none", len(entries))
	}
	archive(t, &report.Result{Calls: []*report.Exchange{{Request: report.Request{Header: http.Header(nil)}}}})
}

func TestTheArchiveMarksBadInput(t *testing.T) {
	t.Parallel()
	x := reserveExchange()
	x.BadInput = true
	if entry := archive(t, &report.Result{Calls: []*report.Exchange{&x}})[0]; !entry.BadInput {
		t.Errorf("the call is not marked: %+v", entry)
	}
}
