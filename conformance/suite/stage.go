package suite

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"partnerkit.dev/conformance/internal/scenario"
)

// within runs a part of the run exclusively, within the run's time.
func (r *run) within(spec context.Context, part func(context.Context)) {
	r.stage.Lock()
	defer r.stage.Unlock()
	defer r.interruptIfEnded(spec)
	ctx, cancel := r.player.Time.Within(spec)
	defer cancel()
	part(ctx)
}

// interruptIfEnded stops the run if Ginkgo, which receives signals, has ended the spec.
func (r *run) interruptIfEnded(spec context.Context) {
	if spec.Err() != nil {
		r.player.Time.Interrupt()
	}
}

func (r *run) awaitExpiry(ctx ginkgo.SpecContext) {
	r.stage.Lock()
	defer r.stage.Unlock()
	scenario.AwaitExpiry(ctx, r.player, r.config.Waiting)
	r.interruptIfEnded(ctx)
}
