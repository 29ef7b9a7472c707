package journal

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// Classes lists the classes of statuses.
func Classes() []string { return []string{"1xx", "2xx", "3xx", "4xx", "5xx", client.NoAnswer} }

func (e *entry) matches(f client.Filter) bool {
	return e.Number > f.After &&
		(f.Endpoint == "" || e.Endpoint == f.Endpoint) &&
		(f.Method == "" || strings.EqualFold(e.Method, f.Method)) &&
		(f.Status == 0 || e.Status == f.Status) &&
		(!f.Done || e.Done) &&
		(f.Class == "" || f.Class == e.class()) &&
		(f.Fault == "" || slices.Contains(e.Faults, f.Fault) || f.Fault == client.AnyFault && len(e.Faults) > 0) &&
		!(f.NoProbes && e.isUneventful()) &&
		strings.Contains(e.Target, f.Contains) &&
		e.matchesTouched(f) &&
		e.holds(f.Body) &&
		(strings.Contains(e.Target, f.Text) || e.holds(f.Text))
}

// holds reports whether a body of the exchange contains the text.
func (e *entry) holds(text string) bool {
	return text == "" || bytes.Contains(e.Request.Body, []byte(text)) || bytes.Contains(e.Answer.Body, []byte(text))
}

// class returns the class of the status, or "" while it is unknown.
func (e *entry) class() string {
	switch {
	case e.Status > 0:
		return strconv.Itoa(e.Status/100) + "xx"
	case e.Done:
		return client.NoAnswer
	}
	return ""
}

// healthPaths are paths that platforms and browsers request to check a service. The contract has no
// such endpoint.
var healthPaths = []string{"/", "/health", "/healthz", "/ready", "/readyz", "/live", "/livez", "/ping", "/status", "/favicon.ico"}

// isUneventful reports whether the exchange is an uninteresting probe: a successful health probe of
// the contract, or a request for a path that only probes use.
func (e *entry) isUneventful() bool {
	if len(e.Faults) > 0 || e.Method != http.MethodGet && e.Method != http.MethodHead {
		return false
	}
	return e.Target == partnerapi.ProductsPath+"?limit=1" && e.class() == "2xx" || slices.Contains(healthPaths, e.Target)
}

func (e *entry) matchesTouched(f client.Filter) bool {
	return (f.Hold == "" || e.isAbout(func(at client.Facts) bool { return at.Hold != nil && at.Hold.Code == f.Hold })) &&
		(f.Slot == "" || e.isAbout(func(at client.Facts) bool { return at.Slot != nil && at.Slot.AvailabilityID == f.Slot })) &&
		(f.Booking == "" || e.isAbout(func(at client.Facts) bool { return at.Booking != nil && at.Booking.ID == f.Booking }))
}

func (e *entry) isAbout(is func(client.Facts) bool) bool {
	return e.Before != nil && is(*e.Before) || e.After != nil && is(*e.After)
}

// Exchanges returns copies of the matching exchanges, in the order of arrival. Bodies and headers
// belong to the journal and must not be changed.
func (j *Journal) Exchanges(f client.Filter) []client.Exchange {
	j.mu.Lock()
	defer j.mu.Unlock()
	found := []client.Exchange{}
	for _, e := range slices.Backward(j.entries) {
		if f.Limit > 0 && len(found) == f.Limit {
			break
		}
		if e.matches(f) {
			found = append(found, e.Exchange)
		}
	}
	slices.Reverse(found)
	return found
}

// Exchange returns a copy of the exchange with that number, and reports whether the journal still
// has it.
func (j *Journal) Exchange(number uint64) (client.Exchange, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, ok := slices.BinarySearchFunc(j.entries, number, func(e *entry, number uint64) int { return cmp.Compare(e.Number, number) })
	if !ok {
		return client.Exchange{}, false
	}
	return j.entries[i].Exchange, true
}

// CountMatching counts the matching exchanges; it ignores the filter's Limit.
func (j *Journal) CountMatching(f client.Filter) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.count(f)
}

// count counts the matching exchanges. The journal must be locked.
func (j *Journal) count(f client.Filter) (n int) {
	for _, e := range j.entries {
		if e.matches(f) {
			n++
		}
	}
	return n
}

// Clear empties the journal, including the testimony. The numbering continues.
func (j *Journal) Clear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range j.entries {
		j.drop(e)
	}
	j.entries, j.testimony = nil, nil
	j.cleared = j.arrived
	for _, w := range j.watchers {
		w.left = w.want
	}
}

// Record is everything that a journal contains, and the numbers of what it no longer contains.
type Record struct {
	Exchanges []client.Exchange // in the order of arrival
	Cleared   uint64            // number of exchanges before the journal was emptied
	Dropped   uint64            // number dropped since then to make room
	Testimony []client.Testimony
}

// Record returns the content of the journal. Bodies and headers belong to the journal and must not
// be changed.
func (j *Journal) Record() Record {
	j.mu.Lock()
	defer j.mu.Unlock()
	record := Record{Exchanges: make([]client.Exchange, 0, len(j.entries)), Cleared: j.cleared, Testimony: slices.Clone(j.testimony)}
	for _, e := range j.entries {
		record.Exchanges = append(record.Exchanges, e.Exchange)
	}
	record.Dropped = j.arrived - j.cleared - uint64(len(j.entries))
	return record
}

// Count is the number of exchanges that a journal has received, and those it still has.
type Count struct {
	Arrived uint64 `json:"arrived"`
	Kept    int    `json:"kept"`
	Bytes   int64  `json:"bytes"`
}

// Count counts the exchanges.
func (j *Journal) Count() Count {
	j.mu.Lock()
	defer j.mu.Unlock()
	return Count{Arrived: j.arrived, Kept: len(j.entries), Bytes: j.bytes}
}
