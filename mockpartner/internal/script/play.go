package script

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/schemas/partnerapi"
)

// Firing is a fault that breaks one request.
type Firing struct {
	Fault string // its name

	ending    context.Context // ends all waiting
	rule      rule
	scale     float64 // of the contract's limits
	random    *rand.Rand
	variables func() []any // of jq programs
}

// Serve answers the request as the fault has it; next is the partner. Where the
// fault is late before the effect, the effect comes even if the caller has
// gone away meanwhile, as it would with a real partner.
func (f *Firing) Serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	// The answer may be later than the server allows for answers in general.
	// Where there is no connection, in a test, there is no deadline either.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(f.ending, cancel)()
	r = r.WithContext(ctx)
	late := f.lateness()
	if f.rule.When != After {
		_ = pause(f.ending, late)
	}
	answer, spared := f.answer(r, next)
	if spared {
		answer.begin(w)
		write(w, answer.body)
		return
	}
	if f.rule.When == After && pause(r.Context(), late) != nil {
		panic(http.ErrAbortHandler)
	}
	for _, one := range f.rule.actions {
		if t, ok := one.(transformer); ok {
			if err := t.transform(r.Context(), answer, f.variables); err != nil {
				answer = refusal(http.StatusInternalServerError, fmt.Sprintf("fault %s: %v", f.Fault, err))
				break
			}
		}
	}
	f.deliver(r, w, answer)
}

// lateness is how long the fault waits.
func (f *Firing) lateness() (late time.Duration) {
	for _, one := range f.rule.actions {
		switch one := one.(type) {
		case beside:
			late += time.Duration(float64(one.wait(f.random)) * f.scale)
		case waiter:
			late += one.wait(f.random)
		}
	}
	return min(late, platform.MaxDuration)
}

// answer returns what is to be sent: the partner's answer, unless the fault has
// one in its place. Before the effect the partner then does not see the request.
// An answer that the fault is not about is spared.
func (f *Firing) answer(r *http.Request, next http.Handler) (answer *response, spared bool) {
	var instead *response
	ctx := context.WithoutCancel(r.Context())
	for _, one := range f.rule.actions {
		switch one := one.(type) {
		case Admit:
			ctx = context.WithValue(ctx, admitted{}, one)
		case replacer:
			instead = one.replace(f.Fault)
		case Wire:
			if instead == nil && f.rule.When != After {
				instead = &response{status: http.StatusOK, header: http.Header{}}
			}
		}
	}
	if instead != nil && f.rule.When != After {
		return instead, false
	}
	real := &capture{header: http.Header{}}
	next.ServeHTTP(real, r.WithContext(ctx))
	if answer = real.response(); !f.rule.Answered.fits(answer.status) {
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
	for _, one := range f.rule.actions {
		d, ok := one.(deliverer)
		if _, lost := one.(Wire); ok && (lost || !bodiless) {
			d.deliver(ctx, w, answer, f.random)
			return
		}
	}
	answer.begin(w)
	write(w, answer.body)
}

// refusal is an answer in the shape of every refusal.
func refusal(status int, message string) *response {
	body, _ := reply.Marshal(partnerapi.Refusal{Message: message}) // a string can be written
	return &response{status: status, header: http.Header{"Content-Type": {"application/json"}}, body: body}
}

// begin sends status and headers, with the length of the whole body.
func (a *response) begin(w http.ResponseWriter) {
	header := w.Header()
	for name, values := range a.header {
		header[name] = values
	}
	if a.status != http.StatusNoContent && a.status != http.StatusNotModified {
		header.Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
}

// write sends a body that never changes. A caller that has gone away is nobody
// to tell of a failed write.
func write(w http.ResponseWriter, body []byte) {
	if sharer, ok := w.(reply.Sharer); ok {
		sharer.WriteShared(body)
		return
	}
	w.Write(body)
}

// capture keeps an answer instead of sending it.
type capture struct {
	header http.Header
	status int
	body   []byte
	shared bool
}

// Header implements http.ResponseWriter.
func (c *capture) Header() http.Header { return c.header }

// WriteHeader implements http.ResponseWriter.
func (c *capture) WriteHeader(status int) {
	if c.status == 0 && status >= http.StatusOK {
		c.status = status
	}
}

// Write implements http.ResponseWriter.
func (c *capture) Write(body []byte) (int, error) {
	if c.shared { // what others hold must not grow
		c.body, c.shared = append([]byte(nil), c.body...), false
	}
	c.body = append(c.body, body...)
	return len(body), nil
}

// WriteShared implements reply.Sharer.
func (c *capture) WriteShared(body []byte) (int, error) {
	if len(c.body) > 0 {
		return c.Write(body)
	}
	c.body, c.shared = body, true
	return len(body), nil
}

func (c *capture) response() *response {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	return &response{status: c.status, header: c.header, body: c.body}
}

// pause waits, and returns the context's error if that ends first.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
