package judge

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

type call struct {
	client.Exchange
	path, query string
	endpoint    partnerapi.Endpoint // empty if it is not one of the six
	code        string              // of a hold; for a cancel, the booking's id
	misspelt    bool                // the path does not name the code correctly
	// died is when the caller's process died, which may have lost the answer. It is zero if no
	// death was reported.
	died    time.Time
	process string // of the caller; empty if it has no name

	schema   string            // the schema of the body; empty for other calls
	problems []schemas.Problem // of the body
	// The parsed body; nil if it cannot be read.
	asks     *partnerapi.AvailabilityRequest
	reserves *partnerapi.ReserveRequest
	confirms *partnerapi.ConfirmRequest
	releases *partnerapi.ReleaseRequest
}

func newCall(e client.Exchange) *call {
	c := &call{Exchange: e}
	c.path, c.query, _ = strings.Cut(e.Target, "?")
	c.endpoint, c.code = endpointOf(e.Method, c.path)
	c.readBody()
	return c
}

// endpointOf returns the endpoint of a method and an escaped path, and the code or booking id in the
// path.
func endpointOf(method, path string) (endpoint partnerapi.Endpoint, code string) {
	switch {
	case method == http.MethodGet && path == partnerapi.ProductsPath:
		return partnerapi.Products, ""
	case method == http.MethodPost && path == partnerapi.AvailabilityPath:
		return partnerapi.Availability, ""
	case method == http.MethodPost && path == partnerapi.ReservePath:
		return partnerapi.Reserve, ""
	case method == http.MethodPost && path == partnerapi.ConfirmPath:
		return partnerapi.Confirm, ""
	}
	segment, below := strings.CutPrefix(path, bookings)
	endpoint = partnerapi.Release
	if method == http.MethodPost {
		endpoint = partnerapi.Cancel
		segment, below = strings.CutSuffix(segment, cancelSuffix)
		below = below && strings.HasPrefix(path, bookings)
	}
	code, err := url.PathUnescape(segment)
	if !below || err != nil || segment == "" || strings.Contains(segment, "/") || method != http.MethodPost && method != http.MethodDelete {
		return "", ""
	}
	return endpoint, code
}

// These are the parts of a path around a code or a booking id.
const (
	bookings     = "/bookings/"
	cancelSuffix = "/cancel"
)

func (c *call) readBody() {
	switch c.endpoint {
	case partnerapi.Availability:
		c.asks = bodyOf[partnerapi.AvailabilityRequest](c, schemas.AvailabilityRequest)
	case partnerapi.Reserve:
		c.reserves = bodyOf[partnerapi.ReserveRequest](c, schemas.ReserveRequest)
	case partnerapi.Confirm:
		if c.confirms = bodyOf[partnerapi.ConfirmRequest](c, schemas.ConfirmRequest); c.confirms != nil {
			c.code = c.confirms.ReservationConfirmationCode
		}
	case partnerapi.Release:
		if c.hasBody() {
			c.releases = bodyOf[partnerapi.ReleaseRequest](c, schemas.ReleaseRequest)
		}
	case partnerapi.Cancel:
		if c.hasBody() {
			bodyOf[partnerapi.CancelRequest](c, schemas.CancelRequest)
		}
	}
}

func (c *call) hasBody() bool { return len(c.Request.Body) > 0 }

// bodyOf reads a body and records its problems. A body that violates its schema is still decoded if
// its types allow, because the other rules are judged on it too.
func bodyOf[T any](c *call, schema string) *T {
	if c.schema = schema; c.Request.Truncated {
		return nil
	}
	value := new(T)
	c.problems = schemas.Decode(schema, c.Request.Body, value)
	if len(c.problems) > 0 && json.Unmarshal(c.Request.Body, value) != nil {
		return nil
	}
	return value
}

// limit returns how long the caller must wait for the complete answer of a healthy partner (LIM-1).
func (c *call) limit() time.Duration {
	if c.endpoint == partnerapi.Products && strings.Contains(c.query, "limit=") {
		return partnerapi.ProbeTimeout
	}
	return c.endpoint.Timeout(partnerapi.Healthy)
}

func (c *call) endTime() time.Time { return c.Arrived.Add(time.Duration(c.Duration)) }

func (c *call) hasSucceeded() bool { return c.Delivered && c.Status >= 200 && c.Status < 300 }

// notice is how long the mock may take to notice that a caller has disconnected.
const notice = time.Second

// unansweredSince returns the time from which, in real time, the caller may regard the call as
// unanswered. The caller broke off, the complete answer did not arrive within the limit, or the
// process that would read it died. It returns false if the answer arrived.
func (c *call) unansweredSince() (since time.Time, ok bool) {
	switch {
	case !c.died.IsZero():
		return c.died, true
	case c.LeftAfter != nil:
		return c.Arrived.Add(time.Duration(*c.LeftAfter) - notice), true
	case c.Done && !c.Delivered:
		return c.endTime(), true
	case c.Delivered && time.Duration(c.Duration) <= c.limit():
		return time.Time{}, false
	}
	return c.Arrived.Add(c.limit()), true
}

func answerOf[T any](c *call) (answer T, ok bool) {
	ok = c.hasSucceeded() && !c.Answer.Truncated && json.Unmarshal(c.Answer.Body, &answer) == nil
	return answer, ok
}

// intendedCall is what a misspelt path was supposed to name.
type intendedCall struct {
	endpoint partnerapi.Endpoint
	code     string
}

// spell finds the calls whose path contains a known code or booking id, misspelt by a client that
// does not escape it as one segment (RSV-6).
func (s *history) spell(holds map[string][]*hold) {
	wrong := map[string]intendedCall{}
	for code := range holds {
		for _, target := range misspellings(code, "") {
			wrong[http.MethodDelete+" "+target] = intendedCall{partnerapi.Release, code}
		}
	}
	ids := s.bookingIDs()
	for id := range ids {
		for _, target := range misspellings(id, cancelSuffix) {
			wrong[http.MethodPost+" "+target] = intendedCall{partnerapi.Cancel, id}
		}
	}
	for _, c := range s.calls {
		m, ok := wrong[c.Method+" "+c.Target]
		if !ok || c.endpoint == partnerapi.Release && holds[c.code] != nil || c.endpoint == partnerapi.Cancel && ids[c.code] {
			continue
		}
		c.endpoint, c.code, c.misspelt = m.endpoint, m.code, true
		c.readBody()
	}
}

func (s *history) bookingIDs() map[string]bool {
	ids := map[string]bool{}
	for c := range s.callsTo(partnerapi.Confirm) {
		if answer, ok := answerOf[partnerapi.ConfirmAnswer](c); ok && answer.ExternalBookingID != "" {
			ids[answer.ExternalBookingID] = true
		}
	}
	return ids
}

// misspellings lists the wrong targets for the code: unescaped, escaped as a path or as a query, or
// escaped twice. It also lists what these become when dot segments are resolved.
func misspellings(code, suffix string) (wrong []string) {
	right := partnerapi.EscapeSegment(code)
	if right == code {
		return nil
	}
	asItIs, _, _ := strings.Cut(bookings+code+suffix, "#")
	for _, target := range []string{
		asItIs,
		(&url.URL{Path: bookings + code + suffix}).EscapedPath(),
		bookings + url.QueryEscape(code) + suffix,
		bookings + partnerapi.EscapeSegment(right) + suffix,
	} {
		address, query, asked := strings.Cut(target, "?")
		resolved := path.Clean(address)
		if asked {
			resolved += "?" + query
		}
		for _, target := range []string{target, resolved} {
			if !names(target, code, suffix) {
				wrong = append(wrong, target)
			}
		}
	}
	return wrong
}

// names reports whether the target names the code, whatever its escaping.
func names(target, code, suffix string) bool {
	segment, ok := strings.CutPrefix(target, bookings)
	segment, ends := strings.CutSuffix(segment, suffix)
	named, err := url.PathUnescape(segment)
	return ok && ends && err == nil && named == code && !strings.ContainsAny(segment, "/?")
}
