package fault

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/platform"
)

// Wire is WireMock's name for a broken answer.
type Wire string

// These are WireMock's names.
const (
	EmptyResponse          Wire = "EMPTY_RESPONSE"           // the connection closes without a byte
	MalformedResponseChunk Wire = "MALFORMED_RESPONSE_CHUNK" // status and headers, then garbage
	RandomDataThenClose    Wire = "RANDOM_DATA_THEN_CLOSE"   // garbage from the first byte on
	ConnectionResetByPeer  Wire = "CONNECTION_RESET_BY_PEER" // a TCP reset
)

// Wires lists WireMock's names.
func Wires() []Wire {
	return []Wire{EmptyResponse, MalformedResponseChunk, RandomDataThenClose, ConnectionResetByPeer}
}

func (f Wire) compile() (any, error) {
	if !slices.Contains(Wires(), f) {
		return nil, invalid.At("fault", "expected one of %v, received %q", Wires(), string(f))
	}
	return f, nil
}

// garbageLength is the length of the garbage, in bytes.
const garbageLength = 512

func (f Wire) deliver(_ context.Context, w http.ResponseWriter, answer *response, random *rand.Rand) {
	if f == EmptyResponse {
		panic(http.ErrAbortHandler)
	}
	conn, out := takeOver(w)
	defer conn.Close()
	// Recorded before the caller can see the end.
	if f == MalformedResponseChunk {
		recordAnswer(w, answer, nil)
	} else {
		recordAnswer(w, &response{}, nil)
	}
	switch f {
	case ConnectionResetByPeer:
		if tcp, ok := conn.(*net.TCPConn); ok {
			tcp.SetLinger(0)
		}
		return
	case MalformedResponseChunk:
		fmt.Fprintf(out, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", answer.status, http.StatusText(answer.status))
	}
	garbage := make([]byte, garbageLength)
	for i := range garbage {
		// Beyond ASCII, so that it never looks like the start of something valid.
		garbage[i] = byte(0x80 + random.IntN(0x80))
	}
	out.Write(garbage)
	out.Flush()
}

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
		return nil, invalid.At("send", "expected gzip, chunked, close or lower")
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
	if s.Lower {
		for name, values := range sent.header {
			delete(sent.header, name)
			sent.header[strings.ToLower(name)] = values
		}
		w.Header()["Content-Type"] = nil // otherwise net/http adds one of its own
	}
	if !s.Chunked {
		sent.begin(w)
		write(w, sent.body)
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

func packed(body []byte) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(body) // writing to a buffer cannot fail
	_ = w.Close()
	return packed.Bytes()
}

// LimitData is toxiproxy's: the connection closes after this many bytes of the body. A shorter body
// is sent completely.
type LimitData struct {
	Bytes int `yaml:"bytes" json:"bytes"`
}

func (l *LimitData) compile() (any, error) {
	return l, invalid.Within("limit_data.bytes", l.Bytes, 0, 1_000_000_000)
}

func (l *LimitData) deliver(_ context.Context, w http.ResponseWriter, answer *response, _ *rand.Rand) {
	answer.begin(w)
	w.Write(answer.body[:min(l.Bytes, len(answer.body))])
	if l.Bytes >= len(answer.body) {
		return
	}
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// Bandwidth is toxiproxy's: the body is sent at no more than this many KB per second.
type Bandwidth struct {
	Rate int `yaml:"rate" json:"rate"` // KB/s
}

const tick = 50 * time.Millisecond

func (b *Bandwidth) compile() (any, error) {
	return b, invalid.Within("bandwidth.rate", b.Rate, 1, 1_000_000)
}

func (b *Bandwidth) deliver(ctx context.Context, w http.ResponseWriter, answer *response, _ *rand.Rand) {
	answer.begin(w)
	sendSlowly(ctx, w, answer.body, b.Rate*1000/int(time.Second/tick), tick)
}

// SlowHeader sends status line and headers in small pieces, over that time. The body follows
// immediately, and the connection closes.
type SlowHeader struct {
	Over platform.Duration `yaml:"over" json:"over"`
}

const headerPieces = 20

func (s *SlowHeader) compile() (any, error) {
	if s.Over <= 0 {
		return nil, invalid.At("slow_header.over", "expected a duration above 0s")
	}
	return s, nil
}

func (s *SlowHeader) deliver(ctx context.Context, w http.ResponseWriter, answer *response, _ *rand.Rand) {
	header := answer.header.Clone()
	header.Set("Content-Length", strconv.Itoa(len(answer.body)))
	header.Set("Connection", "close")
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", answer.status, http.StatusText(answer.status))
	header.Write(&head) // into memory: it cannot fail
	head.WriteString("\r\n")

	conn, out := takeOver(w)
	defer conn.Close()
	size := (head.Len() + headerPieces - 1) / headerPieces
	for head.Len() > 0 {
		if pause(ctx, time.Duration(s.Over)/headerPieces) != nil {
			return
		}
		out.Write(head.Next(size))
		if out.Flush() != nil {
			return
		}
	}
	// Recorded before the caller can see the end.
	recordAnswer(w, &response{answer.status, header, nil}, answer.body)
	out.Write(answer.body)
	out.Flush()
}

// SlowClose is toxiproxy's: the connection closes late. Only the close marks the end of the body,
// so the caller waits for it.
type SlowClose struct {
	Delay platform.Duration `yaml:"delay" json:"delay"`
}

func (s *SlowClose) deliver(ctx context.Context, w http.ResponseWriter, answer *response, _ *rand.Rand) {
	header := w.Header()
	for name, values := range answer.header {
		header[name] = values
	}
	header.Del("Content-Length")
	header.Set("Transfer-Encoding", "identity")
	w.WriteHeader(answer.status)
	write(w, answer.body)
	_ = http.NewResponseController(w).Flush()
	_ = pause(ctx, time.Duration(s.Delay))
}
