// Package callerrules is the caller's side of the partner contract: the rules for what a marketplace
// sends, and the judges of single requests. The mock partner judges its callers by them, and the
// suite the callers in recorded traffic.
//
// A judge returns what is wrong with a request as a clause without a full stop, or "".
package callerrules

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Probe is the query of the health probe.
const Probe = "limit=1"

// ProductsQuery judges the query of GET /products (ProductsForm).
func ProductsQuery(raw string) string {
	if raw == "" || raw == Probe {
		return ""
	}
	query, err := url.ParseQuery(raw)
	since := query["updated_since"]
	switch {
	case err != nil:
		return fmt.Sprintf("the query %.100q has invalid escapes", raw)
	case len(query) > 1 || len(since) != 1:
		return fmt.Sprintf("GET /products?%.100s: expected no query, ?updated_since=, or exactly ?%s", raw, Probe)
	}
	if _, err := partnerapi.ParseDateTime(since[0]); err != nil {
		return fmt.Sprintf("updated_since: %v; escape a + as %%2B", err)
	}
	return ""
}

// ContentType judges the header of a request that has a body (BodyType).
func ContentType(endpoint partnerapi.Endpoint, header http.Header) string {
	sent := header.Get("Content-Type")
	if kind, _, err := mime.ParseMediaType(sent); err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json")) {
		return ""
	}
	return fmt.Sprintf("the body of %s has the Content-Type %.80q: expected application/json", endpoint, sent)
}

// Segment judges the escaped path segment of a code or booking id (Escaped).
func Segment(escaped, code string) string {
	right := partnerapi.EscapeSegment(code)
	if escaped == right {
		return ""
	}
	return fmt.Sprintf("%.100q does not name %.100q: escaped as one segment, that is %.150s", escaped, code, right)
}

// WindowKind is what a window of availability is for.
type WindowKind int

const (
	OtherWindow WindowKind = iota // a window that the marketplace never requests
	SyncWindow                    // today and the 60 days after it
	DayWindow                     // one of these days
)

// drift is how far the caller's date may be off around midnight. Calls take time to arrive, and
// clocks differ.
const drift = time.Minute

// WindowOf returns the kind of a window that was requested at a time (Window). zone is the
// product's.
func WindowOf(from, to string, zone *time.Location, at time.Time) WindowKind {
	for _, moment := range []time.Time{at, at.Add(-drift), at.Add(drift)} {
		first, last := Lookahead(moment.In(zone))
		switch {
		case from == first && to == last:
			return SyncWindow
		// Dates compare as strings; the schema validates their form.
		case from == to && from >= first && to <= last:
			return DayWindow
		}
	}
	return OtherWindow
}

// Lookahead returns the first and the last date of a sync on that day.
func Lookahead(today time.Time) (first, last string) {
	end := time.Date(today.Year(), today.Month(), today.Day()+partnerapi.LookaheadDays, 12, 0, 0, 0, time.UTC)
	return today.Format(partnerapi.DateLayout), end.Format(partnerapi.DateLayout)
}
