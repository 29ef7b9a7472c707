package webui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Packed is an answer that does not change: it is compressed once, and callers that have it already
// get a 304. The zero value is an empty answer.
type Packed struct {
	kind, tag  string
	text, gzip []byte
}

// Pack returns an answer of that content type.
func Pack(kind string, text []byte) Packed {
	sum := sha256.Sum256(text)
	return Packed{kind, hex.EncodeToString(sum[:8]), text, Gzip(text)}
}

// ServeHTTP answers with the text, compressed if the caller accepts that.
func (p Packed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header, text, tag := w.Header(), p.text, p.tag
	if AcceptsGzip(r.Header) {
		header.Set("Content-Encoding", "gzip")
		text, tag = p.gzip, tag+"-gz"
	}
	header.Set("Content-Type", p.kind)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-cache") // cached, but revalidated by its tag
	header.Set("Vary", "Accept-Encoding")
	header.Set("Etag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}

// Send answers with a text, compressed if the caller accepts that.
func Send(w http.ResponseWriter, r *http.Request, status int, kind string, text []byte) {
	header := w.Header()
	header.Set("Content-Type", kind)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Vary", "Accept-Encoding")
	if AcceptsGzip(r.Header) {
		header.Set("Content-Encoding", "gzip")
		text = Gzip(text)
	}
	w.WriteHeader(status)
	_, _ = w.Write(text) // the caller may have disconnected
}

// Gzip returns a text in compressed form.
func Gzip(text []byte) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(text) // a buffer takes everything
	_ = w.Close()
	return packed.Bytes()
}

// AcceptsGzip reports whether Accept-Encoding accepts gzip, by its name or else by *, with a q above 0
// (RFC 9110, 12.5.3).
func AcceptsGzip(header http.Header) bool {
	any := false
	for _, field := range header.Values("Accept-Encoding") {
		for coding := range strings.SplitSeq(field, ",") {
			name, parameter, _ := strings.Cut(coding, ";")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "gzip", "x-gzip":
				return acceptsCoding(parameter)
			case "*":
				any = acceptsCoding(parameter)
			}
		}
	}
	return any
}

// acceptsCoding reports whether a coding's parameter, such as q=0.5, accepts it.
func acceptsCoding(parameter string) bool {
	name, weight, given := strings.Cut(parameter, "=")
	if !given || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return true
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
	return err == nil && q > 0
}
