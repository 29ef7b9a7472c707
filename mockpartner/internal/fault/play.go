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
		answer.begin(w)
		write(w, answer.body)
		return
	}
	if f.Effect.when == After && pause(r.Context(), late) != nil {
		panic(http.ErrAbortHandler)
	}
	for _, one := range f.Effect.actions {
		if t, ok := one.(transformer); ok {
			if err := t.transform(r.Context(), answer, f.Variables); err != nil {
				answer = refusal(http.StatusInternalServerError, fmt.Sprintf("fault %s: %v", f.Fault, err))
				break
			}
		}
	}
	f.deliver(r, w, answer)
}

func (f *Firing) lateness() (late time.Duration) {
	for _, one := range f.Effect.actions {
		switch one := one.(type) {
		case beside:
			late += time.Duration(float64(one.wait(f.Random)) * f.Scale)
		case waiter:
			late += one.wait(f.Random)
		}
	}
	return min(late, platform.MaxDuration)
}

// answer returns the answer to send: the partner's, unless the fault replaces it. If it is replaced
// before the effect, the partner does not receive the request. An answer with a status that the
// fault does not apply to is spared.
func (f *Firing) answer(r *http.Request, next http.Handler) (answer *response, spared bool) {
	var instead *response
	var kept *cache
	ctx := context.WithoutCancel(r.Context())
	for _, one := range f.Effect.actions {
		switch one := one.(type) {
		case Admit:
			ctx = context.WithValue(ctx, admitted{}, one)
		case *rewrite:
			r = one.apply(r, f.Variables)
		case *cache:
			kept = one
		case replacer:
			instead = one.replace(f.Fault)
		case Wire:
			if instead == nil && f.Effect.when != After {
				instead = &response{status: http.StatusOK, header: http.Header{}}
			}
		}
	}
	if instead != nil && f.Effect.when != After {
		return instead, false
	}
	ask := func() *response {
		real := reply.NewKept()
		next.ServeHTTP(real, r.WithContext(ctx))
		return &response{status: real.Status(), header: real.Header(), body: real.Body()}
	}
	if kept != nil {
		answer = kept.recall(ctx, f.Memory, f.Variables()[0], ask)
	} else {
		answer = ask()
	}
	if !f.Effect.answered.fits(answer.status) {
		return answer, true
	}
	if instead != nil {
		return instead, false
	}
	return answer, false
}

func (f *Firing) deliver(r *http.Request, w http.ResponseWriter, answer *response) {
	// The answer to HEAD has no body that could be slow.
	ctx, bodiless := r.Context(), r.Method == http.MethodHead
	for _, one := range f.Effect.actions {
		d, ok := one.(deliverer)
		if _, lost := one.(Wire); ok && (lost || !bodiless) {
			d.deliver(ctx, w, answer, f.Random)
			return
		}
	}
	answer.begin(w)
	write(w, answer.body)
}
