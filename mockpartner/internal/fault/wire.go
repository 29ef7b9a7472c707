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
		return nil, invalid.ErrorAt("fault", "expected one of %v, received %q", Wires(), string(f))
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
