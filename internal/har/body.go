package har

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"partnerkit.dev/internal/bounded"
)

// recordedBody is the body of a request or of an answer, as recorders write it.
type recordedBody struct {
	Size     *float64          `json:"size"`
	MIMEType string            `json:"mimeType"`
	Text     *string           `json:"text"`
	Encoding string            `json:"encoding"`
	SentAs   string            `json:"_encoding"` // some write that of a request there
	File     string            `json:"_file"`     // the body is in a file beside the archive
	Params   []json.RawMessage `json:"params"`    // of a form
}

// isAbsent reports whether nothing of the body was recorded.
func (b *recordedBody) isAbsent() bool {
	return (b.Text == nil || *b.Text == "") && b.File == "" && len(b.Params) == 0
}

// read returns what is known of the body within the limits, and whether it is complete. sizes are what the
// archive says about its size in bytes. Recorders write a negative number for one that they did not measure,
// and some count characters, or bytes before decompression.
func (b *recordedBody) read(header http.Header, l bounded.Limits, sizes ...*float64) (raw []byte, whole bool) {
	raw, known := b.decode(l)
	if !known {
		return nil, false
	}
	if n, err := strconv.ParseFloat(header.Get("Content-Length"), 64); err == nil && len(raw) == 0 {
		sizes = append(sizes, &n) // otherwise the connection may have ended before it was reached
	}
	most, measured, given := 0., false, false
	for _, size := range sizes {
		if size != nil {
			most, measured, given = max(most, *size), measured || *size >= 0, true
		}
	}
	if len(raw) == 0 {
		return nil, b.isAbsent() && most == 0 && (measured || b.Text != nil && !given)
	}
	coding := header.Get("Content-Encoding")
	decoded := utf8.Valid(raw) // most recorders store bodies without their compression
	if decoded {
		coding = ""
	}
	text, err := bounded.Body(coding, raw, l)
	if err != nil || !decoded && header == nil { // it may be compressed: the recorder leaves out headers
		return nil, false
	}
	return text, coding != "" || !decoded || most <= float64(len(text)) || json.Valid(text)
}

// decode returns the recorded text as bytes. It returns false if their encoding is unknown, or they are too many.
func (b *recordedBody) decode(l bounded.Limits) (raw []byte, known bool) {
	if b.Text == nil {
		return nil, true
	}
	switch strings.ToLower(strings.TrimSpace(b.Encoding + b.SentAs)) {
	case "", "utf-8", "utf8":
		return []byte(*b.Text), int64(len(*b.Text)) <= l.Bytes
	case "base64":
		raw, err := bounded.Base64(*b.Text, l.Bytes)
		return raw, err == nil
	default:
		return nil, false
	}
}

// size returns how many bytes of text the body takes.
func (b *recordedBody) size() (n int64) {
	if b.Text != nil {
		n = int64(len(*b.Text))
	}
	return n
}
