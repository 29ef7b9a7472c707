package domain

import (
	"encoding/json"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Breach is a breach of the partner contract as an integration shows it: a rule that the partner's
// answers break, or an answer about a booking that broke the contract and was used.
type Breach struct {
	At       time.Time           `json:"at"`         // the last time
	Since    time.Time           `json:"since"`      // the first time
	Count    int64               `json:"count"`      // how often since then
	Booking  string              `json:"booking_id"` // "": it is not about one booking
	Endpoint partnerapi.Endpoint `json:"endpoint"`
	Message  string              `json:"message"`
	Rule     string              `json:"rule"` // "": no rule of the conformance command found it
	Title    string              `json:"title"`
	Clause   string              `json:"clause"`
	Level    string              `json:"level"` // MUST or SHOULD
	Fix      string              `json:"fix"`
	Evidence json.RawMessage     `json:"exchanges"` // the calls of the last time, as in report.json
}
