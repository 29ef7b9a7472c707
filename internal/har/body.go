package har

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
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

// read returns what is known of the body, and whether it is complete. sizes are what the archive says
// about its size in bytes. Recorders write a negative number for one that they did not measure, and some
// count characters, or bytes before decompression.
func (b *recordedBody) read(header http.Header, sizes ...*float64) (raw []byte, whole bool) {
	raw, known := b.decode()
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
	packed := strings.ToLower(header.Get("Content-Encoding"))
	switch { // some recorders store bodies without decompressing them
	case bytes.HasPrefix(raw, gzipMagic):
		raw, cut := Unzip(raw)
		return raw, !cut
	case packed == "" || packed == "identity" || utf8.Valid(raw):
		return raw, most <= float64(len(raw)) || json.Valid(raw)
	case packed == "deflate":
		reader, err := zlib.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, false
		}
		raw, err = readAll(reader)
		return raw, err == nil
	default:
		return nil, false
	}
}

// decode returns the recorded text as bytes. It returns false if their encoding is unknown.
func (b *recordedBody) decode() (raw []byte, known bool) {
	if b.Text == nil {
		return nil, true
	}
	switch strings.ToLower(strings.TrimSpace(b.Encoding + b.SentAs)) {
	case "", "utf-8", "utf8":
		return []byte(*b.Text), true
	case "base64": // with any alphabet, padding and line breaks
		text := strings.NewReplacer("-", "+", "_", "/", "=", "").Replace(strings.Join(strings.Fields(*b.Text), ""))
		raw, err := base64.RawStdEncoding.DecodeString(text)
		return raw, err == nil
	default:
		return nil, false
	}
}

var gzipMagic = []byte{0x1f, 0x8b}

// Unzip returns a body without its compression, and whether it is only the beginning.
func Unzip(packed []byte) (raw []byte, cut bool) {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return packed, true
	}
	raw, err = readAll(reader)
	return raw, err != nil
}

// readAll reads a decompressed body, up to the maximum size of an entry.
func readAll(from io.Reader) (raw []byte, err error) {
	raw, err = io.ReadAll(io.LimitReader(from, largestEntry))
	if err == nil && len(raw) == largestEntry {
		err = io.ErrShortBuffer
	}
	return raw, err
}
