package mockpartner

import (
	"net/http"
	"strconv"

	"partnerkit.dev/mockpartner/internal/journal"
)

// recorder passes an answer on and enters it into the journal, before its last
// byte is on the wire: a caller that has read the whole answer finds it there.
type recorder struct {
	http.ResponseWriter
	entry    journal.Entry
	gone     func() error // not nil once the caller has gone away
	bodiless bool         // the answer to HEAD: its body stays unsent

	status    int // 0 until the answer begins
	header    http.Header
	length    int // as Content-Length announces it; -1 where it does not
	written   int
	body      []byte
	shared    bool // body is not a copy
	truncated bool // body is only the beginning
	returned  bool // the handler has come to its end: an answer without a length is whole
	entered   bool
}

// WriteHeader notes status and headers as they go out.
func (r *recorder) WriteHeader(status int) {
	// Informational answers come before the one that counts.
	if r.status == 0 && status >= http.StatusOK {
		r.status, r.header = status, r.Header().Clone()
		r.length = lengthOf(r.header)
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write keeps a copy of what is written, up to journal.MaxCopiedBody.
func (r *recorder) Write(body []byte) (int, error) {
	r.begin()
	if r.shared { // more comes after a shared body: it is shared no longer
		r.body, r.shared = append([]byte(nil), r.body...), false
	}
	kept := body[:min(len(body), max(journal.MaxCopiedBody-len(r.body), 0))]
	r.body = append(r.body, kept...)
	r.truncated = r.truncated || len(kept) < len(body)
	return r.pass(body)
}

// WriteShared keeps the body itself: it never changes.
func (r *recorder) WriteShared(body []byte) (int, error) {
	if len(r.body) > 0 {
		return r.Write(body)
	}
	r.begin()
	r.body, r.shared = body, true
	return r.pass(body)
}

func (r *recorder) begin() {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
}

func (r *recorder) pass(body []byte) (int, error) {
	r.written += len(body)
	if r.length >= 0 && r.written >= r.length {
		r.enter()
	}
	n, err := r.ResponseWriter.Write(body)
	if err != nil && r.entered {
		r.entry.Lost()
	}
	return n, err
}

// lengthOf returns the body's length as a header announces it; -1 where it does not.
func lengthOf(header http.Header) int {
	if length, err := strconv.Atoi(header.Get("Content-Length")); err == nil {
		return length
	}
	return -1
}

// Sent notes an answer that goes over the connection itself, past the recorder.
func (r *recorder) Sent(status int, header http.Header, body []byte) {
	r.status, r.header, r.body, r.shared = status, header.Clone(), body, true
	r.length, r.written = lengthOf(header), len(body)
	r.enter()
}

// enter completes the journal's entry. What comes after is not on record.
func (r *recorder) enter() {
	if r.entered {
		return
	}
	r.entered = true
	if r.gone() != nil {
		r.entry.Left()
	}
	if r.whole() {
		r.entry.Delivered()
	}
	if r.bodiless {
		r.body, r.shared = nil, false
	}
	r.entry.End(r.status, journal.Message{Header: r.header, Body: r.body, Truncated: r.truncated}, r.shared)
}

func (r *recorder) whole() bool {
	if r.length < 0 {
		return r.status != 0 && r.returned
	}
	return r.status != 0 && r.written >= r.length
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
