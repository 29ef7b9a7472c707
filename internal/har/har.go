// Package har reads and writes HTTP archives, HAR 1.2, the format of browsers and debugging
// proxies.
package har

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Unknown is the format's value for a size that was not measured.
const Unknown = -1

// These are the parts of an archive that this project uses. Their order and names are the format's.
type (
	// Creator is the program that created the archive.
	Creator struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Comment string `json:"comment,omitempty"`
	}
	// Page is a page that entries belong to.
	Page struct {
		Started time.Time   `json:"startedDateTime"`
		ID      string      `json:"id"`
		Title   string      `json:"title"`
		Timings PageTimings `json:"pageTimings"`
	}
	// PageTimings are milliseconds since the page began.
	PageTimings struct {
		OnContentLoad int `json:"onContentLoad"`
		OnLoad        int `json:"onLoad"`
	}
	// Entry is one exchange.
	Entry struct {
		Page     string    `json:"pageref,omitempty"` // the id of a page
		Started  time.Time `json:"startedDateTime"`
		Time     float64   `json:"time"` // milliseconds
		Request  Request   `json:"request"`
		Response Response  `json:"response"`
		Cache    struct{}  `json:"cache"`
		Timings  Timings   `json:"timings"`
		// Connection identifies the connection of the exchange.
		Connection string `json:"connection,omitempty"`
		Comment    string `json:"comment,omitempty"`
		// BadInput marks a request that the caller knows to be invalid.
		BadInput bool `json:"_bad_input,omitempty"`
		Stream
	}
	// Stream says how an entry belongs to a stream of entries that is judged while it is written. The
	// format allows fields of an application, which start with an underscore.
	Stream struct {
		History string    `json:"_history,omitempty"`                 // each history is judged by itself
		Until   time.Time `json:"_until,omitzero"`                    // no later entry of the history started before
		Tickets bool      `json:"_handles_ticket_delivery,omitempty"` // the partner delivers its own tickets
	}
	// Request is a request. Its sizes are bytes.
	Request struct {
		Method      string    `json:"method"`
		URL         string    `json:"url"`
		HTTPVersion string    `json:"httpVersion"`
		Cookies     []Pair    `json:"cookies"`
		Headers     []Pair    `json:"headers"`
		Query       []Pair    `json:"queryString"`
		PostData    *PostData `json:"postData,omitempty"`
		HeadersSize int64     `json:"headersSize"`
		BodySize    int64     `json:"bodySize"`
	}
	// PostData is the body of a request.
	PostData struct {
		MIMEType string `json:"mimeType"`
		Params   []Pair `json:"params"`
		Text     string `json:"text"`
		Comment  string `json:"comment,omitempty"`
	}
	// Response is a response. Its sizes are bytes.
	Response struct {
		Status      int     `json:"status"` // 0 if there was no answer
		StatusText  string  `json:"statusText"`
		HTTPVersion string  `json:"httpVersion"`
		Cookies     []Pair  `json:"cookies"`
		Headers     []Pair  `json:"headers"`
		Content     Content `json:"content"`
		RedirectURL string  `json:"redirectURL"`
		HeadersSize int64   `json:"headersSize"`
		BodySize    int64   `json:"bodySize"`
		Error       string  `json:"_error,omitempty"` // why there was no answer; browsers write and show it
	}
	// Content is the body of a response.
	Content struct {
		Size     int64  `json:"size"` // bytes
		MIMEType string `json:"mimeType"`
		Text     string `json:"text"`
		Encoding string `json:"encoding,omitempty"` // of the text: "base64", or "" if it is not encoded
		Comment  string `json:"comment,omitempty"`
	}
	// Timings are the parts of an exchange's time, in milliseconds.
	Timings struct {
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
	// Pair is a header, a cookie or a parameter.
	Pair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
)

// NewRequest returns a request without a body. Its URL is address as it was sent. A part of the
// query with invalid escapes appears only in the URL.
func NewRequest(method, address, version string, header http.Header) Request {
	_, text, _ := strings.Cut(address, "?")
	query, _ := url.ParseQuery(text)
	return Request{
		Method: method, URL: address, HTTPVersion: version,
		Cookies: []Pair{}, Headers: pairs(header), Query: pairs(query), HeadersSize: Unknown,
	}
}

// NoResponse returns a response that stands for a missing answer, with the reason.
func NoResponse(why string) Response {
	return Response{Cookies: []Pair{}, Headers: []Pair{}, HeadersSize: Unknown, BodySize: Unknown, Error: why}
}

// NewResponse returns a response with its content. Its size on the wire is unknown.
func NewResponse(status int, version string, header http.Header, content Content) Response {
	content.MIMEType = header.Get("Content-Type")
	cookies := []Pair{}
	for _, cookie := range (&http.Response{Header: header}).Cookies() {
		cookies = append(cookies, Pair{cookie.Name, cookie.Value})
	}
	return Response{
		Status: status, StatusText: http.StatusText(status), HTTPVersion: version,
		Cookies: cookies, Headers: pairs(header), RedirectURL: header.Get("Location"),
		HeadersSize: Unknown, BodySize: Unknown, Content: content,
	}
}

// pairs lists the values by name, in the order of the names. It never returns nil, because the
// format requires lists.
func pairs(values map[string][]string) []Pair {
	list := []Pair{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, value := range values[name] {
			list = append(list, Pair{name, value})
		}
	}
	return list
}

// Write writes an archive of the exchanges, each rendered by entry. It renders them one at a time,
// so that a long archive is never in memory as a whole.
func Write[Exchange any](w io.Writer, creator Creator, pages []Page, exchanges []Exchange, entry func(Exchange) Entry) error {
	archive := writer{w: w}
	archive.writeText(`{"log":{"version":"1.2","creator":`)
	archive.value(creator)
	if len(pages) > 0 {
		archive.writeText(`,"pages":`)
		archive.value(pages)
	}
	archive.writeText(`,"entries":[`)
	for i, exchange := range exchanges {
		if i > 0 {
			archive.writeText(",")
		}
		archive.value(entry(exchange))
	}
	archive.writeText("]}}\n")
	if archive.err != nil {
		return fmt.Errorf("write the HTTP archive: %w", archive.err)
	}
	return nil
}

// writer writes the pieces of an archive, until a write fails.
type writer struct {
	w   io.Writer
	err error
}

func (a *writer) writeText(text string) {
	if a.err == nil {
		_, a.err = io.WriteString(a.w, text)
	}
}

func (a *writer) value(v any) {
	if a.err == nil {
		enc := json.NewEncoder(a.w)
		enc.SetEscapeHTML(false)
		a.err = enc.Encode(v)
	}
}
