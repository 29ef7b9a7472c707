package fault

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"partnerkit.dev/mockpartner/internal/invalid"
)

// Bandwidth is toxiproxy's: the body comes at no more than so many KB a second.
type Bandwidth struct {
	Rate int `yaml:"rate" json:"rate"` // KB/s
}

// tick is how often a piece of a slow body is sent.
const tick = 50 * time.Millisecond

func (b *Bandwidth) compile() (action, error) {
	return b, invalid.Within("bandwidth.rate", b.Rate, 1, 1_000_000)
}

func (b *Bandwidth) deliver(ctx context.Context, w http.ResponseWriter, answer *response, _ *rand.Rand) {
	answer.begin(w)
	trickle(ctx, w, answer.body, b.Rate*1000/int(time.Second/tick), tick)
}
