package conformance

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/schemas/partnerapi"
)

const (
	// mostPending is the number of breaches that wait to be stored.
	mostPending = 10_000
	// mostEvidence limits the stored evidence of a breach, and longestLine a line of the judge, in
	// bytes.
	mostEvidence = 16 << 10
	longestLine  = 1 << 20
	// longestText limits a stored text, in bytes.
	longestText = 1000
)

// Breach is a rule of the contract that a partner's answers broke.
type Breach struct {
	Integration uuid.UUID
	Rule        string
	Title       string
	Clause      string
	Level       string // MUST or SHOULD
	Endpoint    partnerapi.Endpoint
	Message     string // of the last breach
	Fix         string
	Count       int64
	FirstSeen   time.Time
	LastSeen    time.Time
	Evidence    json.RawMessage // the calls of the last breach, as in report.json
}

// UncountedSeats is the breach of a partner whose availability does not count the marketplace's holds
// and bookings, as the database finds it.
var UncountedSeats = Breach{
	Rule: "availability.own-seats", Title: "Vacancies count the marketplace's holds and bookings", Clause: "RSV-3", Level: "MUST", Endpoint: partnerapi.Availability,
	Fix:   "Subtract every hold and booking from vacancies until the marketplace releases or cancels it, in every answer. Do not end one of them on your side.",
	Count: 1, Evidence: json.RawMessage("[]"),
}

// judgeLine is a line of the judge's output.
type judgeLine struct {
	History  string              `json:"history"`
	Rule     string              `json:"rule"`
	Title    string              `json:"title"`
	Level    string              `json:"level"`
	Clause   string              `json:"clause"`
	Endpoint partnerapi.Endpoint `json:"endpoint"`
	Message  string              `json:"message"`
	Fix      string              `json:"fix"`
	Times    int64               `json:"times"`
	At       time.Time           `json:"at"`
	Evidence []json.RawMessage   `json:"exchanges"`
}

// findings collects breaches until they are stored.
type findings struct {
	mu      sync.Mutex
	pending map[breachKey]Breach
}

// add adds a line of the judge. Lines that cannot be read are ignored: the judge may be newer.
func (f *findings) add(line []byte) {
	var found judgeLine
	if json.Unmarshal(line, &found) != nil || found.Rule == "" || found.Times < 1 {
		return
	}
	id, err := integrationOf(found.History)
	if err != nil {
		return
	}
	f.merge(Breach{
		Integration: id, Rule: shortText(found.Rule), Title: shortText(found.Title), Clause: shortText(found.Clause), Level: shortText(found.Level), Endpoint: found.Endpoint,
		Message: shortText(found.Message), Fix: shortText(found.Fix), Count: found.Times, FirstSeen: found.At, LastSeen: found.At, Evidence: lastCalls(found.Evidence),
	})
}

// merge adds a breach to the pending ones.
func (f *findings) merge(b Breach) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := breachKey{b.Integration, b.Rule}
	before, known := f.pending[key]
	switch {
	case known:
		newer := b
		if before.LastSeen.After(b.LastSeen) {
			newer = before
		}
		newer.Count = before.Count + b.Count
		if newer.FirstSeen = b.FirstSeen; before.FirstSeen.Before(b.FirstSeen) {
			newer.FirstSeen = before.FirstSeen
		}
		f.pending[key] = newer
	case len(f.pending) < mostPending:
		f.pending[key] = b
	}
}

func (f *findings) take() (all []Breach) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.pending {
		all = append(all, b)
	}
	clear(f.pending)
	return all
}

func (f *findings) putBack(all []Breach) {
	for _, b := range all {
		f.merge(b)
	}
}

// shortText returns text that PostgreSQL can store, shortened.
func shortText(text string) string {
	text = storableText(text)
	if len(text) > longestText {
		text = strings.ToValidUTF8(text[:longestText], "") + "…"
	}
	return text
}

// lastCalls returns as many of the last calls as may be stored, as a list.
func lastCalls(calls []json.RawMessage) json.RawMessage {
	first, size := len(calls), 0
	for first > 0 && size+len(calls[first-1]) <= mostEvidence {
		first--
		size += len(calls[first])
	}
	list, err := json.Marshal(calls[first:])
	if err != nil || first == len(calls) {
		return json.RawMessage("[]")
	}
	return list
}

// lines calls each with every line that is written to it. Lines that are too long are left out.
type lines struct {
	each func([]byte)
	rest []byte
	skip bool // until the end of a line that is too long
}

// Write never fails.
func (l *lines) Write(text []byte) (int, error) {
	written := len(text)
	for {
		line, rest, more := bytes.Cut(text, []byte("\n"))
		if len(l.rest)+len(line) > longestLine {
			l.rest, l.skip = l.rest[:0], true
		}
		if !l.skip {
			l.rest = append(l.rest, line...)
		}
		if !more {
			return written, nil
		}
		if !l.skip {
			l.each(l.rest)
		}
		l.rest, l.skip, text = l.rest[:0], false, rest
	}
}
