package har_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/bounded"
	"partnerkit.dev/internal/har"
)

var limits = bounded.Limits{Bytes: 1 << 20, Depth: 100, Values: 1000}

// entry returns an entry with a request and a response of a form, each without its braces.
func entry(request, response string) string {
	return `{"startedDateTime":"2026-07-01T12:00:00.000Z","time":1,"request":{"method":"POST","url":"https://a/bookings/confirm",` + request + `},"response":{"status":200,` + response + `}}`
}

func readOne(t *testing.T, text string) (all []*har.Exchange) {
	t.Helper()
	for x, err := range har.Read(strings.NewReader(text)) {
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		x.Expand(limits, limits)
		all = append(all, x)
	}
	return all
}

func pack(writer func(io.Writer) io.WriteCloser, text string) string {
	var packed bytes.Buffer
	w := writer(&packed)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}

// The bodies of an exchange as recorders write them. An empty want stands for a body that is known to be
// empty, and ? for one that is unknown or incomplete.
func TestABodyIsCompleteEmptyOrUnknown(t *testing.T) {
	t.Parallel()
	const sent, answered = `"bodySize":7,"postData":{"mimeType":"application/json","text":"{\"a\":1}"}`, `"content":{"size":7,"text":"{\"b\":2}"}`
	zipped := pack(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, `{"b":2}`)
	bomb := pack(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, strings.Repeat(" ", 1<<20)+"[]")
	deflated := pack(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, `{"b":2}`)
	for _, c := range []struct{ what, request, response, body, answer string }{
		{"both", sent, answered, `{"a":1}`, `{"b":2}`},
		{"Chrome, without content", sent, `"bodySize":30,"content":{"size":7,"mimeType":"application/json","compression":-3}`, `{"a":1}`, "?"},
		{"Chrome, an empty answer", sent, `"bodySize":0,"content":{"size":0,"mimeType":"x-unknown"}`, `{"a":1}`, ""},
		{"Chrome, the body of a request cannot be read", `"headers":[{"name":"content-length","value":"7"}],"bodySize":0`, answered, "?", `{"b":2}`},
		{"Firefox, bodies discarded", `"bodySize":-1,"postData":{"mimeType":"application/json","params":[],"comment":"Request bodies are not included."}`,
			`"content":{"mimeType":"application/json","size":-1,"comment":"Response bodies are not included."},"bodySize":-1`, "?", "?"},
		{"Firefox, an answer above its limit", sent, `"content":{"size":9000000,"text":"[{\"id\":"},"bodySize":200`, `{"a":1}`, "?"},
		{"Safari, in Base64", sent, `"content":{"size":7,"text":"eyJiIjoyfQ==","encoding":"Base64"}`, `{"a":1}`, `{"b":2}`},
		{"Charles, in lines of base64", sent, `"content":{"size":7,"text":"eyJi\r\nIjoyfQ","encoding":" BASE64 "}`, `{"a":1}`, `{"b":2}`},
		{"Fiddler, still compressed", sent, `"headers":[{"name":"Content-Encoding","value":"gzip"}],"content":{"size":7,"text":"` + zipped + `","encoding":"base64"}`, `{"a":1}`, `{"b":2}`},
		{"Fiddler, deflated", sent, `"headers":[{"name":"Content-Encoding","value":"deflate"}],"content":{"size":9,"text":"` + deflated + `","encoding":"base64"}`, `{"a":1}`, `{"b":2}`},
		{"gzip that no header declares", sent, `"headers":[{"name":"Content-Type","value":"application/json"}],"content":{"text":"` + zipped + `","encoding":"base64"}`, `{"a":1}`, unzippable(zipped)},
		{"gzip without any header", sent, `"content":{"text":"` + zipped + `","encoding":"base64"}`, `{"a":1}`, "?"},
		{"gzip that expands to more than is read", sent, `"headers":[{"name":"Content-Encoding","value":"gzip"}],"content":{"text":"` + bomb + `","encoding":"base64"}`, `{"a":1}`, "?"},
		{"more values than are read", sent, `"content":{"text":"[` + strings.Repeat("0,", 1000) + `0]"}`, `{"a":1}`, "?"},
		{"a nesting that is not read", sent, `"content":{"text":"` + strings.Repeat("[", 101) + `"}`, `{"a":1}`, "?"},
		{"compressed with something else", sent, `"headers":[{"name":"Content-Encoding","value":"br"}],"content":{"size":3,"text":"/wAB","encoding":"base64"}`, `{"a":1}`, "?"},
		{"mitmproxy, the size before decompression", sent, `"headers":[{"name":"Content-Encoding","value":"gzip"}],"content":{"size":27,"compression":-20,"text":"{\"b\":2}"}`, `{"a":1}`, `{"b":2}`},
		{"a size in another charset, or of a byte order mark", sent, `"content":{"size":16,"text":"{\"b\":2}"}`, `{"a":1}`, `{"b":2}`},
		{"a size in characters", sent, `"content":{"size":9,"text":"{\"b\":\"éé\"}"}`, `{"a":1}`, `{"b":"éé"}`},
		{"attached files", `"bodySize":7,"postData":{"mimeType":"application/json","params":[],"text":"","_file":"1.json"}`, `"content":{"size":-1,"mimeType":"application/json","_file":"2.json"}`, "?", "?"},
		{"a form", `"bodySize":-1,"postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"a","value":"1"}]}`, answered, "?", `{"b":2}`},
		{"a request in base64", `"bodySize":7,"postData":{"text":"eyJhIjoxfQ","_encoding":"base64"}`, answered, `{"a":1}`, `{"b":2}`},
		{"an unknown encoding", `"postData":{"text":"x","encoding":"hex"}`, `"content":{"text":"x","encoding":"quoted-printable"}`, "?", "?"},
		{"base64 with a wrong character", `"postData":{"text":"?","encoding":"base64"}`, `"content":{"text":"?","encoding":"base64"}`, "?", "?"},
		{"Postman and Insomnia, sizes as they are unknown", `"headersSize":-1,"bodySize":-1,"postData":{"mimeType":"application/json","text":"{\"a\":1}"}`, `"bodySize":-1,"content":{"size":-1,"text":"{\"b\":2}"}`, `{"a":1}`, `{"b":2}`},
		{"an empty text, unmeasured", `"bodySize":-1,"headers":[{"name":"Content-Type","value":"application/json"}],"postData":{"text":""}`, `"bodySize":-1,"content":{"size":-1,"text":""}`, "?", "?"},
		{"a journal with nothing but texts", `"postData":{"text":""}`, `"content":{"text":""}`, "", ""},
		{"a journal without a word", `"postData":null`, `"content":null`, "?", "?"},
		{"a request without a header about a body", `"headers":[{"name":"accept","value":"*/*"}]`, answered, "", `{"b":2}`},
		{"a request with one", `"headers":[{"name":"Content-Type","value":"application/json"}]`, answered, "?", `{"b":2}`},
		{"an answer that the partner cut short", sent, `"headers":[{"name":"Content-Length","value":"70"}],"content":{"size":4,"text":"{\"b\""}`, `{"a":1}`, `{"b"`},
		{"a length that is zero", `"headers":[{"name":"Content-Length","value":"0"}]`, `"headers":[{"name":"content-length","value":"0"}],"content":{}`, "", ""},
	} {
		x := readOne(t, entry(c.request, c.response))[0]
		for of, got := range map[string][2]string{"request": {c.body, shown(x.Body, x.BodyCut)}, "answer": {c.answer, shown(x.Answer, x.AnswerCut)}} {
			if got[0] != got[1] {
				t.Errorf("%s: expected the body of the %s to be %q, received %q", c.what, of, got[0], got[1])
			}
		}
	}
}

// unzippable returns what a text in base64 encodes.
func unzippable(text string) string {
	raw, _ := base64.StdEncoding.DecodeString(text)
	return string(raw)
}

func shown(body []byte, cut bool) string {
	if cut {
		return "?"
	}
	return string(body)
}

func TestEveryFormOfATimeIsReadWithItsOffset(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 7, 1, 12, 0, 0, 500_000_000, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-07-01T12:00:00.500Z": noon, "2026-07-01T14:00:00.5+02:00": noon, "2026-07-01T13:00:00.500+0100": noon, "2026-07-01T07:00:00.5000000-05:00": noon,
		"2026-07-01 13:00:00,500 +0100": noon, "2026-07-01t12:00:00.5z": noon, "2026-07-01T13:00:00.5+01": noon,
		"2026-07-01T12:00:00.500": {}, "": {}, "1782907200": {}, "Wed, 01 Jul 2026 12:00:00 GMT": {},
	} {
		x := readOne(t, strings.Replace(entry(`"bodySize":0`, `"content":{}`), "2026-07-01T12:00:00.000Z", text, 1))[0]
		if !x.Started.Equal(want) || want.IsZero() != (x.Unreadable != "") {
			t.Errorf("%q: expected %s, received %s (%s)", text, want, x.Started, x.Unreadable)
		}
	}
}

func TestAnEntryOfAnotherFormDoesNotEndTheFile(t *testing.T) {
	t.Parallel()
	fine := entry(`"bodySize":0`, `"content":{"size":0}`)
	for what, odd := range map[string]string{
		"headers that are an object":   entry(`"headers":{}`, `"content":{}`),
		"a status that is a text":      strings.Replace(fine, `"status":200`, `"status":"200"`, 1),
		"a time that is a number":      strings.Replace(fine, `"2026-07-01T12:00:00.000Z"`, "1782907200", 1),
		"an address with a bad escape": strings.Replace(fine, "confirm", "50%", 1),
		"no entry at all":              `{"x":1}`,
	} {
		for form, text := range map[string]string{
			"an archive":   fmt.Sprintf(`{"log":{"entries":[%s,%s,%s],"pages":[{}]}}`, fine, odd, fine),
			"lines":        fine + "\n" + odd + "\n" + fine + "\n" + `{"cut`,
			"two archives": fmt.Sprintf(`{"log":{"entries":[%s]}}{"log":{"pages":[],"entries":[%s,%s]}}`, fine, odd, fine),
		} {
			all := readOne(t, text)
			if len(all) != 3 || all[0].Unreadable != "" || all[1].Unreadable == "" || all[2].Unreadable != "" {
				t.Errorf("%s, %s: expected three entries, the second unreadable, received %+v", what, form, all)
			}
		}
	}
}

func TestWhatTheClientAnsweredItselfIsNoAnswerOfThePartner(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		entry  string
		cached bool
		status int
	}{
		"the partner":               {entry("", `"content":{}`), false, 200},
		"Chrome's cache":            {strings.Replace(entry("", `"content":{}`), `"time"`, `"_fromCache":"memory","time"`, 1), true, 200},
		"a service worker":          {entry("", `"_fetchedViaServiceWorker":true,"content":{}`), true, 200},
		"Safari's cache":            {strings.Replace(entry("", `"content":{}`), `"time"`, `"_fetchType":"Disk Cache","time"`, 1), true, 200},
		"Safari, from the network":  {strings.Replace(entry("", `"content":{}`), `"time"`, `"_fetchType":"Network Load","time"`, 1), false, 200},
		"HSTS":                      {strings.Replace(entry("", `"statusText":"Internal Redirect"`), "200", "307", 1), true, 307},
		"a redirect of the partner": {strings.Replace(entry("", `"statusText":"Temporary Redirect"`), "200", "307", 1), false, 307},
		"nothing changed":           {strings.Replace(entry(`"headers":[{"name":"if-none-match","value":"x"}]`, `"content":{}`), "200", "304", 1), true, 304},
		"an aborted call":           {strings.Replace(entry("", `"_error":"net::ERR_ABORTED"`), "200", "0", 1), false, 0},
		"a failed call":             {strings.Replace(entry("", `"_error":"refused"`), "200", "-1", 1), false, 0},
	} {
		text := strings.NewReplacer(`confirm",}`, `confirm"}`, `confirm",,`, `confirm",`).Replace(c.entry)
		if x := readOne(t, text)[0]; x.Cached != c.cached || x.Status != c.status || x.Unreadable != "" {
			t.Errorf("%s: expected cached %v and status %d, received %+v", what, c.cached, c.status, x)
		}
	}
}

func TestHeadersAreReadInAnyCaseWithoutThoseOfHTTP2(t *testing.T) {
	t.Parallel()
	x := readOne(t, entry(`"headers":[{"name":":authority","value":"a"},{"name":"authorization","value":"Bearer x"},{"name":"ACCEPT","value":"1"},{"name":"accept","value":"2"}],"postData":{"mimeType":"application/json","text":"{}"}`, `"content":{}`))[0]
	if got := fmt.Sprint(x.Header); got != "map[Accept:[1 2] Authorization:[Bearer x] Content-Type:[application/json]]" {
		t.Errorf("Expected the headers without :authority, received %s", got)
	}
	if x := readOne(t, entry(`"headers":[]`, `"headers":[]`))[0]; x.Header != nil {
		t.Errorf("Expected unknown headers, received %v", x.Header)
	}
}
