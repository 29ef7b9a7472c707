package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
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

// Serve answers the request as the fault defines; next is the partner. With a delay before the
// effect, the request takes effect even if the caller has disconnected meanwhile, as with a real
// partner.
func (f *Firing) Serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	// The answer may be later than the server's general write deadline. Tests without a connection
	// have no deadline.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(f.Ending, cancel)()
	r = r.WithContext(ctx)
	late := f.lateness()
	if f.Effect.when != After {
		_ = pause(f.Ending, late)
	}
	answer, spared := f.answer(r, next)
	if spared {
		answer.send(w)
		return
	}
	if f.Effect.when == After && pause(r.Context(), late) != nil {
		panic(http.ErrAbortHandler)
	}
	for _, t := range f.Effect.transformers {
		if err := t.transform(r.Context(), answer, f.Variables); err != nil {
			answer = refusal(http.StatusInternalServerError, fmt.Sprintf("fault %s: %v", f.Fault, err))
			break
		}
	}
	// The answer to HEAD has no body that could be slow.
	if d := f.Effect.deliverer; d != nil && (f.Effect.losesAnswer() || r.Method != http.MethodHead) {
		d.deliver(r.Context(), w, answer, f.Random)
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

// answer returns the answer to send: the partner's, unless the fault replaces it. If it is replaced
// before the effect, the partner does not receive the request. An answer with a status that the
// fault does not apply to is spared.
func (f *Firing) answer(r *http.Request, next http.Handler) (answer *response, spared bool) {
	e := f.Effect
	if e.when != After {
		switch {
		case e.replacer != nil:
			return e.replacer.replace(f.Fault), false
		case e.losesAnswer():
			return &response{status: http.StatusOK, header: http.Header{}}, false
		}
	}
	r = r.WithContext(context.WithoutCancel(r.Context()))
	for _, one := range e.requesters {
		r = one.request(r, f.Variables)
	}
	ask := func() *response {
		real := reply.NewKept()
		next.ServeHTTP(real, r)
		return &response{status: real.Status(), header: real.Header(), body: real.Body()}
	}
	if e.cache != nil {
		answer = e.cache.recall(r.Context(), f.Memory, f.Variables()[0], ask)
	} else {
		answer = ask()
	}
	switch {
	case !e.answered.fits(answer.status):
		return answer, true
	case e.replacer != nil:
		return e.replacer.replace(f.Fault), false
	}
	return answer, false
}
