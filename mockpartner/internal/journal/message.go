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

// UnmarshalJSON implements json.Unmarshaler.
func (b *Body) UnmarshalJSON(text []byte) error {
	var bytes struct{ Base64 []byte }
	if len(text) > 0 && text[0] == '{' {
		err := json.Unmarshal(text, &bytes)
		*b = bytes.Base64
		return err
	}
	var plain string
	err := json.Unmarshal(text, &plain)
	*b = Body(plain)
	return err
}

// Milliseconds is a duration that JSON shows as a number of milliseconds.
type Milliseconds time.Duration

// MarshalJSON implements json.Marshaler.
func (m Milliseconds) MarshalJSON() ([]byte, error) {
	return json.Marshal(float64(m) / float64(time.Millisecond))
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Milliseconds) UnmarshalJSON(text []byte) error {
	var number float64
	err := json.Unmarshal(text, &number)
	*m = Milliseconds(number * float64(time.Millisecond))
	return err
}
