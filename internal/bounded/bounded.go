// Package bounded reads what may be larger inside than outside: compressed bodies, nested JSON, encoded
// text. The caller says how much it takes. Nothing is decompressed because of its first bytes, only because
// its sender says so, and no more of it than the caller takes.
package bounded

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits is how much a caller takes of one text.
type Limits struct {
	Bytes  int64 // after decompression
	Depth  int   // of arrays and objects
	Values int   // names and values of JSON: each takes memory, however short it is
}

// ErrTooLarge is the error of a text that exceeds its limits.
var ErrTooLarge = errors.New("too large")

// ErrCoding is the error of a content coding that is not read.
var ErrCoding = errors.New("unknown content coding")

// Decompress returns a reader of a body with that Content-Encoding, which decompresses while it is read.
// A compressed body without a byte is empty.
func Decompress(coding string, body io.Reader) (io.Reader, error) {
	switch strings.ToLower(strings.TrimSpace(coding)) {
	case "", "identity":
		return body, nil
	case "gzip", "x-gzip":
		return &lazy{body: body, open: func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }}, nil
	case "deflate":
		return &lazy{body: body, open: func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }}, nil
	default:
		return nil, fmt.Errorf("%w %.40q", ErrCoding, coding)
	}
}

// lazy opens a compressed body when it is read.
type lazy struct {
	body   io.Reader
	open   func(io.Reader) (io.Reader, error)
	reader io.Reader
}

func (l *lazy) Read(p []byte) (n int, err error) {
	if l.reader == nil {
		if l.reader, err = l.open(l.body); err != nil {
			l.reader = nil
			return 0, err
		}
	}
	return l.reader.Read(p)
}

// ReadAll reads up to most bytes. With more, it returns the beginning and ErrTooLarge.
func ReadAll(from io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, most+1))
	if int64(len(text)) > most {
		return text[:most], fmt.Errorf("%w: more than %d bytes", ErrTooLarge, most)
	}
	return text, err
}

// Body returns a body without its Content-Encoding, if it is within the limits.
func Body(coding string, packed []byte, l Limits) ([]byte, error) {
	from, err := Decompress(coding, bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	raw := packed
	if _, is := from.(*lazy); is {
		raw, err = ReadAll(from, l.Bytes)
	} else if int64(len(raw)) > l.Bytes {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	return raw, JSON(raw, l)
}

// Base64 decodes the text of a recording, in any alphabet, with or without padding and line breaks. The
// result has at most most bytes.
func Base64(text string, most int64) ([]byte, error) {
	if int64(base64.RawStdEncoding.DecodedLen(len(text))) > most+most/16 { // lines of 64 characters have breaks
		return nil, ErrTooLarge
	}
	text = strings.NewReplacer("-", "+", "_", "/", "=", "", " ", "", "\t", "", "\r", "", "\n", "").Replace(text)
	return base64.RawStdEncoding.DecodeString(text)
}

// Base64URL decodes a part of a signed text, which has exactly one encoding: without padding, line breaks,
// and unused bits that are set. Go's strict decoder ignores line breaks.
func Base64URL(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("a line break within base64url")
	}
	return base64.RawURLEncoding.Strict().DecodeString(text)
}
