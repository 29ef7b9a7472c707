package fault

import (
	"math/rand/v2"
	"time"

	"partnerkit.dev/mockpartner/internal/platform"
)

// Latency is toxiproxy's: a wait that is as long as it says, give or take the
// jitter.
type Latency struct {
	Latency platform.Duration `yaml:"latency" json:"latency"`
	Jitter  platform.Duration `yaml:"jitter" json:"jitter,omitempty"`
}

func (l *Latency) compile() (action, error) { return l, nil }

func (l *Latency) wait(random *rand.Rand) time.Duration {
	return between{max(l.Latency-l.Jitter, 0), l.Latency + l.Jitter}.wait(random)
}
