package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	version = 1
	// longestID is how many bytes of an id are kept to be shown.
	longestID = 1000
	// longestCode is how many bytes a code or booking id may have that is kept to
	// be used. No server takes a longer path.
	longestCode = 8 << 10
	// mostUnits is how many units of a party are kept.
	mostUnits = 20
)

// Head is the first line: what the ledger is about. The key is never in it.
type Head struct {
	Version      int                 `json:"ledger"` // of this format
	Run          string              `json:"run"`    // tells this run's references from any other's
	BaseURL      string              `json:"base_url"`
	AuthType     partnerapi.AuthType `json:"auth_type"`
	SuiteVersion string              `json:"suite_version"`
	StartedAt    time.Time           `json:"started_at"`
}

// line is one change of an entry. The first of an entry tells the attempt, each
// further one what has become of it since, whole.
type line struct {
	Entry int       `json:"entry"` // 1 is the first
	At    time.Time `json:"at"`
	State State     `json:"state"`

	*Slot
	Units     []partnerapi.UnitQuantity `json:"units,omitempty"`
	Reference string                    `json:"reference,omitempty"`

	Code      string `json:"code,omitempty"`
	ExpiresAt string `json:"expires_at,omitempty"`
	BookingID string `json:"booking_id,omitempty"`
	Trouble   string `json:"trouble,omitempty"`
}

func attemptLine(e *Entry, _ time.Time, redact func(string) string) line {
	shown := shower(redact)
	l := line{
		Entry: e.number, At: e.At, State: e.State, Reference: e.Reference,
		Slot: &Slot{ProductID: shown(e.ProductID), OptionID: shown(e.OptionID), AvailabilityID: shown(e.AvailabilityID), Start: shown(e.Start)},
	}
	for _, unit := range e.Units[:min(len(e.Units), mostUnits)] {
		l.Units = append(l.Units, partnerapi.UnitQuantity{ID: shown(unit.ID), Quantity: unit.Quantity})
	}
	return l
}

func changeLine(e *Entry, at time.Time, redact func(string) string) line {
	shown := shower(redact)
	l := line{Entry: e.number, At: at, State: e.State, Code: e.Code, ExpiresAt: shown(e.ExpiresAt), BookingID: e.BookingID, Trouble: shown(e.Trouble)}
	for _, id := range []*string{&l.Code, &l.BookingID} {
		if len(*id) > longestCode || redact(*id) != *id {
			*id, l.Trouble = "", "the code or booking id holds the auth key, or is longer than 8 KB: no file keeps it"
		}
	}
	return l
}

// shower returns a function that shows text without the key, and cut.
func shower(redact func(string) string) func(string) string {
	return func(text string) string {
		beginning, _ := probe.Beginning(text, longestID, redact)
		return beginning
	}
}

// apply has the ledger's entries follow what a line says.
func (l *Ledger) apply(next line) error {
	switch {
	case !slices.Contains(states(), next.State):
		return fmt.Errorf("want a state, got %q", next.State)
	case next.At.IsZero():
		return errors.New(`want the time of it in "at"`)
	case next.Entry == len(l.entries)+1 && next.Slot != nil:
		l.entries = append(l.entries, &Entry{
			Slot: *next.Slot, Units: next.Units, Reference: next.Reference, At: next.At, State: next.State, number: next.Entry,
		})
		return nil
	case next.Entry < 1 || next.Entry > len(l.entries):
		return fmt.Errorf("want the attempt of entry %d, or a change of one before it, got entry %d", len(l.entries)+1, next.Entry)
	case next.Slot != nil:
		return fmt.Errorf("want entry %d attempted once, got it again", next.Entry)
	}
	e := l.entries[next.Entry-1]
	e.State, e.Code, e.ExpiresAt, e.BookingID, e.Trouble = next.State, next.Code, next.ExpiresAt, next.BookingID, next.Trouble
	return nil
}

// decode reads one line strictly.
func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("want one JSON object a line, got more")
	}
	return nil
}
