package fault

import (
	"bytes"
	"compress/gzip"
	"context"
	"math/rand/v2"
	"net/http"

	"partnerkit.dev/mockpartner/internal/invalid"
)

// Send says how an answer goes over the wire, in ways that are all lawful (GEN-4).
type Send struct {
	Gzip    bool `yaml:"gzip" json:"gzip,omitempty"`       // compressed
	Chunked bool `yaml:"chunked" json:"chunked,omitempty"` // in pieces, its length not told
	Close   bool `yaml:"close" json:"close,omitempty"`     // the connection ends with it
}

// sendChunk is the size of the pieces, in bytes.
const sendChunk = 1 << 10

func (s *Send) compile() (action, error) {
	if *s == (Send{}) {
		return nil, invalid.At("send", "want gzip, chunked or close")
	}
	return s, nil
}

func (s *Send) deliver(_ context.Context, w http.ResponseWriter, answer *response, _ *rand.Rand) {
	sent := *answer
	sent.header = answer.header.Clone()
	if s.Gzip && len(sent.body) > 0 {
		sent.body = packed(sent.body)
		sent.header.Set("Content-Encoding", "gzip")
	}
	if s.Close {
		sent.header.Set("Connection", "close")
	}
	if !s.Chunked {
		sent.begin(w)
		write(w, sent.body)
		return
	}
	for name, values := range sent.header {
		w.Header()[name] = values
	}
	w.WriteHeader(sent.status)
	for rest := sent.body; len(rest) > 0; {
		piece := rest[:min(len(rest), sendChunk)]
		rest = rest[len(piece):]
		write(w, piece)
		_ = http.NewResponseController(w).Flush() // a caller that has gone is nobody to tell
	}
}

func packed(body []byte) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return packed.Bytes()
}
