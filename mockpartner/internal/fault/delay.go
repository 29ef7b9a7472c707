package fault

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// Delay delays the answer in one of several ways. A plain duration in a file means Fixed.
type Delay struct {
	Fixed     *platform.Duration `yaml:"fixed" json:"fixed,omitempty"`
	Uniform   *Uniform           `yaml:"uniform" json:"uniform,omitempty"`
	Lognormal *Lognormal         `yaml:"lognormal" json:"lognormal,omitempty"`
	Dribble   *Dribble           `yaml:"dribble" json:"dribble,omitempty"`
	// JustUnder and JustOver are a quarter of a second away from the limit with that name (LIM-1).
	// The names are probe, sync, availability, availability-aim, reserve, reserve-degraded,
	// confirm, confirm-degraded, release and cancel.
	JustUnder string `yaml:"just-under" json:"just-under,omitempty"`
	JustOver  string `yaml:"just-over" json:"just-over,omitempty"`
}

// Uniform is a uniformly distributed delay between two durations.
type Uniform struct {
	Min platform.Duration `yaml:"min" json:"min"`
	Max platform.Duration `yaml:"max" json:"max"`
}

// Lognormal models the latency of real servers: usually near the median, sometimes far above it. A
// larger sigma gives more outliers.
type Lognormal struct {
	Median platform.Duration `yaml:"median" json:"median"`
	Sigma  float64           `yaml:"sigma" json:"sigma"`
}

// UnmarshalYAML reads a duration, or one of the ways.
func (d *Delay) UnmarshalYAML(node ast.Node) error {
	if _, ok := node.(ast.ScalarNode); ok {
		d.Fixed = new(platform.Duration)
		return d.Fixed.UnmarshalYAML(node)
	}
	type ways Delay
	return yaml.NodeToValue(node, (*ways)(d), yaml.Strict())
}

func (d *Delay) compile() (any, error) {
	var ways []any
	if d.Fixed != nil {
		ways = append(ways, Uniform{*d.Fixed, *d.Fixed})
	}
	if d.Uniform != nil {
		if d.Uniform.Min > d.Uniform.Max {
			return nil, invalid.ErrorAt("delay.uniform.min", "expected no more than max, %s, received %s", time.Duration(d.Uniform.Max), time.Duration(d.Uniform.Min))
		}
		ways = append(ways, *d.Uniform)
	}
	if d.Lognormal != nil {
		if !(d.Lognormal.Sigma > 0 && d.Lognormal.Sigma <= 5) {
			return nil, invalid.ErrorAt("delay.lognormal.sigma", "expected a number above 0 and up to 5, received %v", d.Lognormal.Sigma)
		}
		if d.Lognormal.Median <= 0 {
			return nil, invalid.ErrorAt("delay.lognormal.median", "expected a duration above 0s")
		}
		ways = append(ways, *d.Lognormal)
	}
	if d.Dribble != nil {
		if err := invalid.RequireRange("delay.dribble.chunks", d.Dribble.Chunks, 1, maxChunks); err != nil {
			return nil, err
		}
		ways = append(ways, *d.Dribble)
	}
	for path, preset := range map[string]struct {
		limit string
		off   time.Duration
	}{"delay.just-under": {d.JustUnder, -margin}, "delay.just-over": {d.JustOver, margin}} {
		if preset.limit == "" {
			continue
		}
		limit, ok := limits()[preset.limit]
		if !ok {
			return nil, invalid.ErrorAt(path, "expected one of %v, received %q", limitNames(), preset.limit)
		}
		ways = append(ways, nearLimit(limit+preset.off))
	}
	if len(ways) != 1 {
		return nil, invalid.ErrorAt("delay", "expected one of fixed, uniform, lognormal, dribble, just-under and just-over")
	}
	return ways[0], nil
}

func (u Uniform) wait(random *rand.Rand, _ float64) time.Duration {
	return time.Duration(u.Min) + time.Duration(random.Int64N(int64(u.Max-u.Min)+1))
}

// nearLimit waits until shortly before or after a limit.
type nearLimit time.Duration

func (n nearLimit) wait(_ *rand.Rand, scale float64) time.Duration {
	return time.Duration(float64(n) * scale)
}

func (l Lognormal) wait(random *rand.Rand, _ float64) time.Duration {
	late := float64(l.Median) * math.Exp(l.Sigma*random.NormFloat64())
	return time.Duration(min(late, float64(platform.MaxDuration)))
}

// Dribble sends the body in pieces, over that time.
type Dribble struct {
	Chunks int               `yaml:"chunks" json:"chunks"`
	Over   platform.Duration `yaml:"over" json:"over"`
}

const maxChunks = 10_000

func (d Dribble) deliver(ctx context.Context, w http.ResponseWriter, answer *response, _ *rand.Rand) {
	answer.begin(w)
	sendSlowly(ctx, w, answer.body, (len(answer.body)+d.Chunks-1)/d.Chunks, time.Duration(d.Over)/time.Duration(d.Chunks))
}

// margin is the distance of just-under and just-over from a limit. It is longer than a network
// takes, and too short to be noticed.
const margin = 250 * time.Millisecond

// limits returns the contract's limits (LIM-1), by their names in just-under and just-over.
func limits() map[string]time.Duration {
	return map[string]time.Duration{
		"probe":            partnerapi.ProbeTimeout,
		"sync":             partnerapi.Products.Timeout(partnerapi.Healthy),
		"availability":     partnerapi.Availability.Timeout(partnerapi.Healthy),
		"availability-aim": partnerapi.AvailabilityAim,
		"reserve":          partnerapi.Reserve.Timeout(partnerapi.Healthy),
		"reserve-degraded": partnerapi.Reserve.Timeout(partnerapi.Degraded),
		"confirm":          partnerapi.Confirm.Timeout(partnerapi.Healthy),
		"confirm-degraded": partnerapi.Confirm.Timeout(partnerapi.Degraded),
		"release":          partnerapi.Release.Timeout(partnerapi.Healthy),
		"cancel":           partnerapi.Cancel.Timeout(partnerapi.Healthy),
	}
}

func limitNames() []string { return slices.Sorted(maps.Keys(limits())) }
