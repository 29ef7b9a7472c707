package fault

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"partnerkit.dev/mockpartner/internal/invalid"
)

// Bandwidth is toxiproxy's: the body is sent at no more than this many KB per second.
type Bandwidth struct {
	Rate int `yaml:"rate" json:"rate"` // KB/s
}

const tick = 50 * time.Millisecond

func (b *Bandwidth) compile() (any, error) {
	return b, invalid.RequireRange("bandwidth.rate", b.Rate, 1, 1_000_000)
}

func (b *Bandwidth) deliver(ctx context.Context, w http.ResponseWriter, answer *response, _ *rand.Rand) {
	answer.begin(w)
	sendSlowly(ctx, w, answer.body, b.Rate*1000/int(time.Second/tick), tick)
}
