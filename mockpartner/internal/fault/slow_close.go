package fault

import (
	"context"
	"maps"
	"math/rand/v2"
	"net/http"
	"time"

	"partnerkit.dev/mockpartner/internal/platform"
)

// SlowClose is toxiproxy's: the connection closes late. Only the close marks the end of the body,
// so the caller waits for it.
type SlowClose struct {
	Delay platform.Duration `yaml:"delay" json:"delay"`
}

func (s *SlowClose) deliver(ctx context.Context, w http.ResponseWriter, answer *response, _ *rand.Rand) {
	header := w.Header()
	maps.Copy(header, answer.header)
	header.Del("Content-Length")
	header.Set("Transfer-Encoding", "identity")
	w.WriteHeader(answer.status)
	write(w, answer.body)
	_ = http.NewResponseController(w).Flush()
	_ = pause(ctx, time.Duration(s.Delay))
}
