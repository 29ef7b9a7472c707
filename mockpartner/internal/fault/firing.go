package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/reply"
)

// Firing is a fault that fires for one request.
type Firing struct {
	Fault     string // its name
	Effect    Effect
	Ending    context.Context // ends all waiting
	Scale     float64         // factor for the contract's limits
	Memory    *Memory         // answers kept by caches
	Random    *rand.Rand
	Variables func() []any // of jq programs
}

// Firings are all faults that fire for one request, at least one, in the order in which they apply.
// Each sees the request and the answer as the faults before it have changed them.
type Firings []*Firing

// Serve answers the request as the faults define; next is the partner. With a delay before the
// effect, the request takes effect even if the caller has disconnected meanwhile, as with a real
// partner.
func (all Firings) Serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	// The answer may be later than the server's general write deadline. Tests without a connection
	// have no deadline.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(all[0].Ending, cancel)()
	for _, f := range all {
		if f.Effect.when != After {
			_ = pause(f.Ending, f.lateness())
		}
	}
	var answer *response // nil if no partner was asked
	if !slices.ContainsFunc(all, (*Firing).standsIn) {
		answer = all.ask(r.WithContext(context.WithoutCancel(ctx)), next)
	}
	var sender *Firing // determines how the answer is sent
	for _, f := range all {
		if !f.Effect.answered.fits(answer) {
			continue
		}
		if f.Effect.when == After && pause(ctx, f.lateness()) != nil {
			panic(http.ErrAbortHandler)
		}
		answer = f.change(ctx, answer)
		// A connection that an earlier fault breaks stays broken.
		if f.Effect.deliverer != nil && (sender == nil || !sender.Effect.losesAnswer()) {
			sender = f
		}
	}
	// The answer to HEAD has no body that could be slow.
	if sender != nil && (sender.Effect.losesAnswer() || r.Method != http.MethodHead) {
		sender.Effect.deliverer.deliver(ctx, w, answer, sender.Random)
		return
	}
	answer.send(w)
}

func (f *Firing) lateness() (late time.Duration) {
	for _, w := range f.Effect.waiters {
		late += w.wait(f.Random, f.Scale)
	}
	return min(late, platform.MaxDuration)
}

// standsIn reports whether the fault answers in the partner's place, which then does not receive
// the request.
func (f *Firing) standsIn() bool {
	return f.Effect.when != After && (f.Effect.replacer != nil || f.Effect.losesAnswer())
}

// ask returns the partner's answer to the request, or that of a cache.
func (all Firings) ask(r *http.Request, next http.Handler) *response {
	for _, f := range all {
		for _, one := range f.Effect.requesters {
			r = one.request(r, f.Variables)
		}
	}
	ask := func() *response {
		real := reply.NewKept()
		next.ServeHTTP(real, r)
		return &response{status: real.Status(), header: real.Header(), body: real.Body()}
	}
	for _, f := range all {
		if before := ask; f.Effect.cache != nil {
			ask = func() *response { return f.Effect.cache.recall(r.Context(), f.Memory, f.Variables()[0], before) }
		}
	}
	return ask()
}

// change returns the answer as the fault makes it. No answer stays none, unless the fault stands in
// for the partner.
func (f *Firing) change(ctx context.Context, answer *response) *response {
	switch {
	case f.Effect.replacer != nil:
		answer = f.Effect.replacer.replace(f.Fault)
	case answer == nil && f.Effect.losesAnswer():
		answer = &response{status: http.StatusOK, header: http.Header{}}
	case answer == nil:
		return nil
	}
	for _, t := range f.Effect.transformers {
		if err := t.transform(ctx, answer, f.Variables); err != nil {
			return refusal(http.StatusInternalServerError, fmt.Sprintf("fault %s: %v", f.Fault, err))
		}
	}
	return answer
}
