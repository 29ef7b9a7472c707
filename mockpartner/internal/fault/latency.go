package fault

import (
	"math/rand/v2"
	"time"

	"partnerkit.dev/mockpartner/internal/platform"
)

// Latency is toxiproxy's: a wait of that length, plus or minus the jitter.
type Latency struct {
	Latency platform.Duration `yaml:"latency" json:"latency"`
	Jitter  platform.Duration `yaml:"jitter" json:"jitter,omitempty"`
}

func (l *Latency) wait(random *rand.Rand, scale float64) time.Duration {
	return Uniform{max(l.Latency-l.Jitter, 0), l.Latency + l.Jitter}.wait(random, scale)
}
