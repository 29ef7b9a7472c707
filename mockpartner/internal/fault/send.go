package fault

import (
	"bytes"
	"compress/gzip"
	"context"
	"math/rand/v2"
	"net/http"
	"strings"

	"partnerkit.dev/mockpartner/internal/invalid"
)

// Send determines how an answer is sent. All the ways are lawful (GEN-4).
type Send struct {
	Gzip    bool `yaml:"gzip" json:"gzip,omitempty"`       // compressed
	Chunked bool `yaml:"chunked" json:"chunked,omitempty"` // in pieces, without a Content-Length
	Close   bool `yaml:"close" json:"close,omitempty"`     // the connection closes afterwards
	Lower   bool `yaml:"lower" json:"lower,omitempty"`     // header names in lower case
}

const sendChunk = 1 << 10

func (s *Send) compile() (any, error) {
	if *s == (Send{}) {
		return nil, invalid.ErrorAt("send", "expected gzip, chunked, close or lower")
	}
	return s, nil
}

func (s *Send) deliver(_ context.Context, w http.ResponseWriter, answer *response, _ *rand.Rand) {
	sent := *answer
	sent.header = answer.header.Clone()
	if s.Gzip && len(sent.body) > 0 {
		sent.body = gzipBody(sent.body)
		sent.header.Set("Content-Encoding", "gzip")
	}
	if s.Close {
		sent.header.Set("Connection", "close")
	}
	if s.Lower {
		for name, values := range sent.header {
			delete(sent.header, name)
			sent.header[strings.ToLower(name)] = values
		}
		w.Header()["Content-Type"] = nil // otherwise net/http adds one of its own
	}
	if !s.Chunked {
		sent.send(w)
		return
	}
	for name, values := range sent.header {
		if !strings.EqualFold(name, "Content-Length") { // with it, net/http would not send chunks
			w.Header()[name] = values
		}
	}
	w.WriteHeader(sent.status)
	for rest := sent.body; len(rest) > 0; {
		piece := rest[:min(len(rest), sendChunk)]
		rest = rest[len(piece):]
		write(w, piece)
		_ = http.NewResponseController(w).Flush() // the caller may have disconnected
	}
}

func gzipBody(body []byte) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(body) // writing to a buffer cannot fail
	_ = w.Close()
	return packed.Bytes()
}
