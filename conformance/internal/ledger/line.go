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
	version = 2
	// withoutMACs is the previous version. Its files can be read but prove nothing.
	withoutMACs = 1
	// longestID is how many bytes of an id are kept for display.
	longestID = 1000
	// longestCode is the longest code or booking id, in bytes, that is kept for use. No server
	// accepts a longer path.
	longestCode = 8 << 10
	// mostUnits is the maximum number of units of a party that are kept.
	mostUnits = 20
)

// Head is the first line: what the ledger is about. It never contains the key.
type Head struct {
	Version      int                 `json:"ledger"` // of this format
	Run          string              `json:"run"`    // identifies this run in its references
	BaseURL      string              `json:"base_url"`
	AuthType     partnerapi.AuthType `json:"auth_type"`
	SuiteVersion string              `json:"suite_version"`
	StartedAt    time.Time           `json:"started_at"`
}

// line is one change of an entry. The first line of an entry is the attempt. Each further line is
// the complete new state.
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
	Problem   string `json:"trouble,omitempty"`
}

func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("expected one JSON object a line, received more")
	}
	return nil
}
