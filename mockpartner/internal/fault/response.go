package fault

import (
	"bufio"
	"context"
	"maps"
	"net"
	"net/http"
	"strconv"
	"time"

	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/schemas/partnerapi"
)

// response is an answer that has not been sent yet.
type response struct {
	status int
	header http.Header
	body   []byte
}

// refusal returns an answer in the form of every refusal.
func refusal(status int, message string) *response {
	body, _ := reply.Marshal(partnerapi.Refusal{Message: message}) // a string can always be written
	return &response{status: status, header: http.Header{"Content-Type": {"application/json"}}, body: body}
}

// begin sends status and headers, with the length of the complete body.
func (a *response) begin(w http.ResponseWriter) {
	header := w.Header()
	maps.Copy(header, a.header)
	if a.status != http.StatusNoContent && a.status != http.StatusNotModified {
		header.Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
}

// send sends the complete answer.
func (a *response) send(w http.ResponseWriter) {
	a.begin(w)
	write(w, a.body)
}

// write sends a body that never changes. A failed write means that the caller has disconnected.
func write(w http.ResponseWriter, body []byte) {
	if sharer, ok := w.(reply.Sharer); ok {
		sharer.WriteShared(body)
		return
	}
	w.Write(body)
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sendSlowly sends a body in pieces of a size, with a pause before each.
func sendSlowly(ctx context.Context, w http.ResponseWriter, body []byte, size int, each time.Duration) {
	flush := http.NewResponseController(w).Flush
	_ = flush()
	for len(body) > 0 {
		if pause(ctx, each) != nil {
			panic(http.ErrAbortHandler)
		}
		piece := body[:min(size, len(body))]
		if _, err := w.Write(piece); err != nil {
			panic(http.ErrAbortHandler)
		}
		_ = flush()
		body = body[len(piece):]
	}
}

// takeOver takes the connection from the server. If that is impossible, as with HTTP/2, it aborts
// the request.
func takeOver(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter) {
	conn, out, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return conn, out
}

// answerRecorder records answers that bypass the ResponseWriter.
type answerRecorder interface {
	RecordSent(status int, header http.Header, body []byte)
}

func recordAnswer(w http.ResponseWriter, answer *response, body []byte) {
	if kept, ok := w.(answerRecorder); ok {
		kept.RecordSent(answer.status, answer.header, body)
	}
}
