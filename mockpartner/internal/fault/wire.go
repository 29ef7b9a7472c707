package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"

	"partnerkit.dev/mockpartner/internal/invalid"
)

// Wire is WireMock's word for an answer that is none.
type Wire string

// WireMock's words.
const (
	EmptyResponse          Wire = "EMPTY_RESPONSE"           // the connection closes without a byte
	MalformedResponseChunk Wire = "MALFORMED_RESPONSE_CHUNK" // status and headers, then garbage
	RandomDataThenClose    Wire = "RANDOM_DATA_THEN_CLOSE"   // garbage from the first byte on
	ConnectionResetByPeer  Wire = "CONNECTION_RESET_BY_PEER" // a TCP reset
)

// Wires lists WireMock's words.
func Wires() []Wire {
	return []Wire{EmptyResponse, MalformedResponseChunk, RandomDataThenClose, ConnectionResetByPeer}
}

func (f Wire) compile() (action, error) {
	if !slices.Contains(Wires(), f) {
		return nil, invalid.At("fault", "want one of %v, got %q", Wires(), string(f))
	}
	return f, nil
}

// garbageLength is how much garbage is sent, in bytes.
const garbageLength = 512

func (f Wire) deliver(_ context.Context, w http.ResponseWriter, answer *response, random *rand.Rand) {
	if f == EmptyResponse {
		panic(http.ErrAbortHandler)
	}
	conn, out := takeOver(w)
	defer conn.Close()
	// On record before the caller can see the end.
	if f == MalformedResponseChunk {
		tell(w, answer, nil)
	} else {
		tell(w, &response{}, nil)
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
		// Beyond ASCII: never by chance the beginning of something well-formed.
		garbage[i] = byte(0x80 + random.IntN(0x80))
	}
	out.Write(garbage)
	out.Flush()
}
