package judge

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"partnerkit.dev/schemas/partnerapi"
)

// meant is what a path was to name that does not name it.
type meant struct {
	endpoint partnerapi.Endpoint
	code     string
}

// spell finds the calls whose path is a known code or booking id as clients get
// it wrong that do not escape it as one segment (RSV-6).
func (s *story) spell(holds map[string][]*hold) {
	wrong := map[string]meant{}
	for code := range holds {
		for _, target := range misspellings(code, "") {
			wrong[http.MethodDelete+" "+target] = meant{partnerapi.Release, code}
		}
	}
	ids := s.bookingIDs()
	for id := range ids {
		for _, target := range misspellings(id, cancelSuffix) {
			wrong[http.MethodPost+" "+target] = meant{partnerapi.Cancel, id}
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

func (s *story) bookingIDs() map[string]bool {
	ids := map[string]bool{}
	for c := range s.of(partnerapi.Confirm) {
		if answer, ok := answerOf[partnerapi.ConfirmAnswer](c); ok && answer.ExternalBookingID != "" {
			ids[answer.ExternalBookingID] = true
		}
	}
	return ids
}

// misspellings lists the targets that do not name the code though they were to:
// put in as it is, escaped as a whole path or as a query, escaped twice, and what
// becomes of those where directories are resolved.
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

// names reports whether the target names the code, whatever it escapes.
func names(target, code, suffix string) bool {
	segment, ok := strings.CutPrefix(target, bookings)
	segment, ends := strings.CutSuffix(segment, suffix)
	named, err := url.PathUnescape(segment)
	return ok && ends && err == nil && named == code && !strings.ContainsAny(segment, "/?")
}
