package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"

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
