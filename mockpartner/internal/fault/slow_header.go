package fault

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/platform"
)

// SlowHeader sends status line and headers in small pieces, over that time. The body follows
// immediately, and the connection closes.
type SlowHeader struct {
	Over platform.Duration `yaml:"over" json:"over"`
}

const headerPieces = 20

func (s *SlowHeader) compile() (any, error) {
	if s.Over <= 0 {
		return nil, invalid.ErrorAt("slow_header.over", "expected a duration above 0s")
	}
	return s, nil
}

func (s *SlowHeader) deliver(ctx context.Context, w http.ResponseWriter, answer *response, _ *rand.Rand) {
	header := w.Header().Clone()
	maps.Copy(header, answer.header)
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
