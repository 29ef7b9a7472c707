package journal

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// WriteHAR writes exchanges as an HTTP archive, HAR 1.2, the form in which
// browsers and debugging proxies keep and show traffic. Targets are below base,
// such as http://127.0.0.1:8081/s/mine. One exchange is rendered at a time.
func WriteHAR(w io.Writer, base string, exchanges []Exchange) error {
	if _, err := io.WriteString(w, `{"log":{"version":"1.2","creator":{"name":"mockpartner","version":"1"},"entries":[`); err != nil {
		return err
	}
	if err := writeList(w, exchanges, func(e Exchange) any { return harOf(base, e) }); err != nil {
		return err
	}
	_, err := io.WriteString(w, "]}}\n")
	return err
}

// WriteJSON writes exchanges as the elements of a JSON array, without its
// brackets. One exchange is rendered at a time.
func WriteJSON(w io.Writer, exchanges []Exchange) error {
	return writeList(w, exchanges, func(e Exchange) any { return e })
}

func writeList(w io.Writer, exchanges []Exchange, shown func(Exchange) any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for i, e := range exchanges {
		if i > 0 {
			if _, err := io.WriteString(w, ","); err != nil {
				return err
			}
		}
		if err := encoder.Encode(shown(e)); err != nil {
			return fmt.Errorf("exchange %d: %w", e.Number, err)
		}
	}
	return nil
}

// The types of HAR 1.2. Numbers that are not known are -1, as it wants.
type (
	harEntry struct {
		Started  time.Time    `json:"startedDateTime"`
		Time     Milliseconds `json:"time"`
		Request  harRequest   `json:"request"`
		Response harResponse  `json:"response"`
		Cache    struct{}     `json:"cache"`
		Timings  harTimings   `json:"timings"`
		// Connection tells exchanges of one connection from others.
		Connection string `json:"connection,omitempty"`
		Comment    string `json:"comment,omitempty"`
	}
	harRequest struct {
		Method      string       `json:"method"`
		URL         string       `json:"url"`
		HTTPVersion string       `json:"httpVersion"`
		Cookies     []harPair    `json:"cookies"`
		Headers     []harPair    `json:"headers"`
		Query       []harPair    `json:"queryString"`
		PostData    *harPostData `json:"postData,omitempty"`
		HeadersSize int          `json:"headersSize"`
		BodySize    int          `json:"bodySize"`
	}
	harResponse struct {
		Status      int        `json:"status"`
		StatusText  string     `json:"statusText"`
		HTTPVersion string     `json:"httpVersion"`
		Cookies     []harPair  `json:"cookies"`
		Headers     []harPair  `json:"headers"`
		Content     harContent `json:"content"`
		RedirectURL string     `json:"redirectURL"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int        `json:"bodySize"`
	}
	harPostData struct {
		MIMEType string    `json:"mimeType"`
		Params   []harPair `json:"params"`
		Text     string    `json:"text"`
	}
	harContent struct {
		Size     int    `json:"size"`
		MIMEType string `json:"mimeType"`
		Text     string `json:"text"`
		Encoding string `json:"encoding,omitempty"`
	}
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	harTimings struct {
		Send    int          `json:"send"`
		Wait    Milliseconds `json:"wait"`
		Receive int          `json:"receive"`
	}
)

// httpVersion is what the mock's server speaks.
const httpVersion = "HTTP/1.1"

func harOf(base string, e Exchange) harEntry {
	entry := harEntry{
		Started: e.Arrived.UTC(),
		Time:    e.Duration,
		Timings: harTimings{Wait: e.Duration},
		Request: harRequest{
			Method: e.Method, URL: base + e.Target, HTTPVersion: httpVersion,
			Cookies: []harPair{}, Headers: harHeaders(e.Request.Header), Query: harQuery(e.Target),
			HeadersSize: -1, BodySize: len(e.Request.Body),
		},
		Response: harResponse{
			Status: e.Status, StatusText: http.StatusText(e.Status), HTTPVersion: httpVersion,
			Cookies: []harPair{}, Headers: harHeaders(e.Answer.Header), Content: harContentOf(e.Answer),
			HeadersSize: -1, BodySize: len(e.Answer.Body),
		},
		Connection: e.Caller,
		Comment:    fmt.Sprintf("exchange %d, %s", e.Number, cmp.Or(string(e.Endpoint), "no endpoint")),
	}
	if len(e.Request.Body) > 0 {
		entry.Request.PostData = &harPostData{
			MIMEType: e.Request.Header.Get("Content-Type"), Params: []harPair{},
			Text: strings.ToValidUTF8(string(e.Request.Body), "\uFFFD"),
		}
	}
	return entry
}

func harHeaders(header http.Header) []harPair {
	pairs := []harPair{}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			pairs = append(pairs, harPair{name, value})
		}
	}
	return pairs
}

func harQuery(target string) []harPair {
	pairs := []harPair{}
	_, query, _ := strings.Cut(target, "?")
	// A part that is not well escaped is in the URL all the same.
	values, _ := url.ParseQuery(query)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, value := range values[name] {
			pairs = append(pairs, harPair{name, value})
		}
	}
	return pairs
}

func harContentOf(m Message) harContent {
	content := harContent{Size: len(m.Body), MIMEType: m.Header.Get("Content-Type")}
	if utf8.Valid(m.Body) {
		content.Text = string(m.Body)
	} else {
		content.Text, content.Encoding = base64.StdEncoding.EncodeToString(m.Body), "base64"
	}
	return content
}
