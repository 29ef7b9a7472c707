package journal

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// Filter says which exchanges are wanted; zero values do not choose.
type Filter struct {
	Endpoint partnerapi.Endpoint
	Method   string
	Status   int
	// Class is a class of statuses such as 5xx, or NoAnswer.
	Class    string
	Contains string // in the target
	Text     string // in the target, or in the body of request or answer
	Body     string // in the body of request or answer
	Hold     string // code of the hold that the exchange touched
	Slot     string // id of the slot that it touched
	Booking  string // id of the booking that it touched
	Fault    string // name of a fault that broke it, or AnyFault
	NoProbes bool   // without probes, except those that did not succeed
	Done     bool   // only those that are complete
	After    uint64 // numbers above it
	Limit    int    // the newest so many
}

const (
	// NoAnswer is the Class of exchanges that ended without an answer.
	NoAnswer = "none"
	// AnyFault is the Fault of exchanges that any fault broke.
	AnyFault = "*"
)

// Classes lists the classes of statuses.
func Classes() []string { return []string{"1xx", "2xx", "3xx", "4xx", "5xx", NoAnswer} }

func (f Filter) keeps(e *entry) bool {
	return e.Number > f.After &&
		(f.Endpoint == "" || e.Endpoint == f.Endpoint) &&
		(f.Method == "" || strings.EqualFold(e.Method, f.Method)) &&
		(f.Status == 0 || e.Status == f.Status) &&
		(!f.Done || e.Done) &&
		(f.Class == "" || f.Class == e.class()) &&
		(f.Fault == "" || slices.Contains(e.Faults, f.Fault) || f.Fault == AnyFault && len(e.Faults) > 0) &&
		!(f.NoProbes && e.uneventful()) &&
		strings.Contains(e.Target, f.Contains) &&
		f.touched(e) &&
		e.holds(f.Body) &&
		(strings.Contains(e.Target, f.Text) || e.holds(f.Text))
}

// holds reports whether a body of the exchange holds the text.
func (e *entry) holds(text string) bool {
	return text == "" || bytes.Contains(e.Request.Body, []byte(text)) || bytes.Contains(e.Answer.Body, []byte(text))
}

// class is the class of the status; empty until it is known.
func (e *entry) class() string {
	switch {
	case e.Status > 0:
		return strconv.Itoa(e.Status/100) + "xx"
	case e.Done:
		return NoAnswer
	}
	return ""
}

// healthPaths are where platforms and browsers look whether a service is there. None of
// them is an endpoint of the contract.
var healthPaths = []string{"/", "/health", "/healthz", "/ready", "/readyz", "/live", "/livez", "/ping", "/status", "/favicon.ico"}

// uneventful reports whether the exchange is a probe that tells nothing: a health probe of
// the contract that succeeded, or a look at a path that only probes know.
func (e *entry) uneventful() bool {
	if len(e.Faults) > 0 || e.Method != http.MethodGet && e.Method != http.MethodHead {
		return false
	}
	return e.Target == partnerapi.ProductsPath+"?limit=1" && e.class() == "2xx" || slices.Contains(healthPaths, e.Target)
}

func (f Filter) touched(e *entry) bool {
	return (f.Hold == "" || e.about(func(at platform.Facts) bool { return at.Hold != nil && at.Hold.Code == f.Hold })) &&
		(f.Slot == "" || e.about(func(at platform.Facts) bool { return at.Slot != nil && at.Slot.AvailabilityID == f.Slot })) &&
		(f.Booking == "" || e.about(func(at platform.Facts) bool { return at.Booking != nil && at.Booking.ID == f.Booking }))
}

func (e *entry) about(is func(platform.Facts) bool) bool {
	return e.Before != nil && is(*e.Before) || e.After != nil && is(*e.After)
}

// Exchanges returns copies of the exchanges that the filter keeps, in the order
// of arrival. Bodies and headers are the journal's own: they must not be changed.
func (j *Journal) Exchanges(f Filter) []Exchange {
	j.mu.Lock()
	defer j.mu.Unlock()
	found := []Exchange{}
	for _, e := range slices.Backward(j.entries) {
		if f.Limit > 0 && len(found) == f.Limit {
			break
		}
		if f.keeps(e) {
			found = append(found, e.Exchange)
		}
	}
	slices.Reverse(found)
	return found
}

// Exchange returns a copy of the exchange of that number, if it is still there.
func (j *Journal) Exchange(number uint64) (Exchange, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, ok := slices.BinarySearchFunc(j.entries, number, func(e *entry, number uint64) int { return cmp.Compare(e.Number, number) })
	if !ok {
		return Exchange{}, false
	}
	return j.entries[i].Exchange, true
}

// Matching counts the exchanges that the filter keeps; its Limit is not regarded.
func (j *Journal) Matching(f Filter) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.count(f)
}

// count wants the lock.
func (j *Journal) count(f Filter) (n int) {
	for _, e := range j.entries {
		if f.keeps(e) {
			n++
		}
	}
	return n
}

// Clear empties the journal, of testimony too; numbers go on from where they were.
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

// Record is everything that a journal holds, and how much it does not hold any
// more.
type Record struct {
	Exchanges []Exchange // in the order of arrival
	Cleared   uint64     // how many came before the journal was emptied
	Dropped   uint64     // how many since then had to make room for others
	Testimony []Testimony
}

// Record returns what the journal holds. Bodies and headers are the journal's
// own: they must not be changed.
func (j *Journal) Record() Record {
	j.mu.Lock()
	defer j.mu.Unlock()
	record := Record{Exchanges: make([]Exchange, 0, len(j.entries)), Cleared: j.cleared, Testimony: slices.Clone(j.testimony)}
	for _, e := range j.entries {
		record.Exchanges = append(record.Exchanges, e.Exchange)
	}
	record.Dropped = j.arrived - j.cleared - uint64(len(j.entries))
	return record
}

// Count is how many exchanges a journal has seen and still has.
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
