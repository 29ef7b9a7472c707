package journal

import (
	"encoding/base64"
	"encoding/json"
	"time"
	"unicode/utf8"
)

// Body is what a message carried. In JSON it is a string; bytes that are no
// UTF-8 are an object {"base64": "…"}.
type Body []byte

// MarshalJSON implements json.Marshaler.
func (b Body) MarshalJSON() ([]byte, error) {
	if utf8.Valid(b) {
		return json.Marshal(string(b))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString(b)})
}

// Milliseconds is a duration that JSON shows as a number of milliseconds.
type Milliseconds time.Duration

// MarshalJSON implements json.Marshaler.
func (m Milliseconds) MarshalJSON() ([]byte, error) {
	return json.Marshal(float64(m) / float64(time.Millisecond))
}
