package fault

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"partnerkit.dev/mockpartner/internal/platform"
)

// SlowClose is toxiproxy's: the connection closes late. Only its end tells where
// the body ends, so that the caller waits for it.
type SlowClose struct {
	Delay platform.Duration `yaml:"delay" json:"delay"`
}

func (s *SlowClose) compile() (action, error) { return s, nil }

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
