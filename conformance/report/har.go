package report

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"partnerkit.dev/conformance/probe"
)

// The types of the HTTP Archive format, version 1.2, as far as a run has them.
type (
	harCreator struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Comment string `json:"comment,omitempty"`
	}
	harPage struct {
		StartedDateTime time.Time      `json:"startedDateTime"`
		ID              string         `json:"id"`
		Title           string         `json:"title"`
		PageTimings     map[string]int `json:"pageTimings"`
	}
	harEntry struct {
		Pageref         string      `json:"pageref"`
		StartedDateTime time.Time   `json:"startedDateTime"`
		Time            float64     `json:"time"` // milliseconds
		Request         harRequest  `json:"request"`
		Response        harResponse `json:"response"`
		Cache           struct{}    `json:"cache"`
		Timings         harTimings  `json:"timings"`
		Comment         string      `json:"comment"`
	}
	harRequest struct {
		Method      string       `json:"method"`
		URL         string       `json:"url"`
		HTTPVersion string       `json:"httpVersion"`
		Cookies     []harPair    `json:"cookies"`
		Headers     []harPair    `json:"headers"`
		QueryString []harPair    `json:"queryString"`
		PostData    *harPostData `json:"postData,omitempty"`
		HeadersSize int          `json:"headersSize"`
		BodySize    int64        `json:"bodySize"`
	}
	harPostData struct {
		MimeType string    `json:"mimeType"`
		Params   []harPair `json:"params"`
		Text     string    `json:"text"`
		Comment  string    `json:"comment,omitempty"`
	}
	harResponse struct {
		Status      int        `json:"status"` // 0: no answer came
		StatusText  string     `json:"statusText"`
		HTTPVersion string     `json:"httpVersion"`
		Cookies     []harPair  `json:"cookies"`
		Headers     []harPair  `json:"headers"`
		Content     harContent `json:"content"`
		RedirectURL string     `json:"redirectURL"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int64      `json:"bodySize"`
		Error       string     `json:"_error,omitempty"` // browsers write and show it
	}
	harContent struct {
		Size     int64  `json:"size"`
		MimeType string `json:"mimeType"`
		Text     string `json:"text"`
		Comment  string `json:"comment,omitempty"`
	}
	harTimings struct {
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
)

// harRun is the id of the one page of an archive: a run.
const harRun = "run"

// HAR writes all calls of r as an HTTP archive, version 1.2, which browsers and
// proxies open. Headers and bodies are as evidence shows them: without the key,
// and cut. A call is one Write, so that a long run is never in memory twice.
func HAR(w io.Writer, r *Result) error {
	archive := harWriter{w: w}
	archive.raw(`{"log":{"version":"1.2","creator":`)
	archive.value(harCreator{Name: "partnerkit conformance", Version: r.SuiteVersion, Comment: sealWords(r)})
	archive.raw(`,"pages":[`)
	archive.value(harPage{StartedDateTime: r.StartedAt, ID: harRun, Title: "conformance run: " + shorten(r.Target.BaseURL, maxText), PageTimings: map[string]int{"onContentLoad": -1, "onLoad": -1}})
	archive.raw(`],"entries":[`)
	for i, call := range r.Calls {
		if i > 0 {
			archive.raw(",")
		}
		archive.value(newHAREntry(*call))
	}
	archive.raw("]}}\n")
	if archive.err != nil {
		return fmt.Errorf("write the calls of the run: %w", archive.err)
	}
	return nil
}

// harWriter writes the pieces of an archive, until one cannot be written.
type harWriter struct {
	w   io.Writer
	err error
}

func (a *harWriter) raw(text string) {
	if a.err == nil {
		_, a.err = io.WriteString(a.w, text)
	}
}

func (a *harWriter) value(v any) {
	if a.err == nil {
		enc := json.NewEncoder(a.w)
		enc.SetEscapeHTML(false)
		a.err = enc.Encode(v)
	}
}

func newHAREntry(x probe.Exchange) harEntry {
	took := float64(x.Duration) / float64(time.Millisecond)
	entry := harEntry{
		Pageref: harRun, StartedDateTime: x.StartedAt, Time: took, Timings: harTimings{Wait: took},
		Comment: fmt.Sprintf("#%d %s", x.Number, x.Purpose),
		Request: harRequest{
			Method: x.Request.Method, URL: x.Request.URL, HTTPVersion: "HTTP/1.1", Cookies: []harPair{},
			Headers: harHeaders(x.Request.Header), QueryString: harQuery(x.Request.URL), HeadersSize: -1, BodySize: x.Request.Body.Size,
		},
		Response: harResponse{Cookies: []harPair{}, Headers: []harPair{}, HeadersSize: -1, BodySize: -1},
	}
	if body := x.Request.Body; body.Size > 0 {
		entry.Request.PostData = &harPostData{MimeType: x.Request.Header.Get("Content-Type"), Params: []harPair{}, Text: body.Text, Comment: cutWords(body)}
	}
	if x.Response != nil {
		entry.Request.HTTPVersion = x.Response.Proto
		entry.Response = newHARResponse(*x.Response)
	}
	if x.Failure != nil {
		entry.Response.Error = fmt.Sprintf("%s: %s", x.Failure.Kind, x.Failure.Message)
	}
	return entry
}

func newHARResponse(response probe.Response) harResponse {
	return harResponse{
		Status: response.Status, StatusText: http.StatusText(response.Status), HTTPVersion: response.Proto,
		Cookies: harCookies(response.Header), Headers: harHeaders(response.Header), RedirectURL: response.Header.Get("Location"),
		HeadersSize: -1, BodySize: -1,
		Content: harContent{
			Size: response.Body.Size, MimeType: response.Header.Get("Content-Type"),
			Text: response.Body.Text, Comment: cutWords(response.Body),
		},
	}
}

func harHeaders(h http.Header) []harPair {
	pairs := []harPair{}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			pairs = append(pairs, harPair{name, value})
		}
	}
	return pairs
}

func harCookies(h http.Header) []harPair {
	pairs := []harPair{}
	for _, cookie := range (&http.Response{Header: h}).Cookies() {
		pairs = append(pairs, harPair{cookie.Name, cookie.Value})
	}
	return pairs
}

func harQuery(address string) []harPair {
	pairs := []harPair{}
	parsed, err := url.Parse(address)
	if err != nil {
		return pairs // what was redacted, or cut, need not be a URL any more
	}
	query := parsed.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, value := range query[name] {
			pairs = append(pairs, harPair{name, value})
		}
	}
	return pairs
}

// cutWords says how much of a body is there, where it is not all.
func cutWords(body probe.Body) string {
	if !body.Cut {
		return ""
	}
	return fmt.Sprintf("the first %s of %s", size(int64(len(body.Text))), size(body.Size))
}
