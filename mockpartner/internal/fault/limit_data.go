package fault

import (
	"context"
	"math/rand/v2"
	"net/http"

	"partnerkit.dev/mockpartner/internal/invalid"
)

// LimitData is toxiproxy's: the connection closes after this many bytes of the body. A shorter body
// is sent completely.
type LimitData struct {
	Bytes int `yaml:"bytes" json:"bytes"`
}

func (l *LimitData) compile() (any, error) {
	return l, invalid.RequireRange("limit_data.bytes", l.Bytes, 0, 1_000_000_000)
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
