package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
)

// limitWindow is the period of rate limits.
const limitWindow = time.Minute

// guard authenticates callers and limits their rate.
type guard struct {
	signIn  *auth.Service
	limiter *auth.Limiter // by valid credential
	invalid *auth.Limiter // by the address of invalid ones, which must not take the others' room
	stale   *staleReads   // nil: there is no standby
}

func newGuard(c Config) *guard {
	g := &guard{signIn: c.SignIn, limiter: auth.NewLimiter(c.RateLimit, limitWindow, c.Now), invalid: auth.NewLimiter(c.RateLimit, limitWindow, c.Now)}
	if c.StaleReads {
		g.stale = newStaleReads()
	}
	return g
}

// caller returns the authenticated caller. Behind a guard there always is one.
func caller(ctx context.Context) auth.Identity { return exchangeOf(ctx).who }

var (
	errUnauthorized = &domain.Error{Code: domain.Unauthorized, Message: "unauthorized access"}
	errForbidden    = &domain.Error{Code: domain.Forbidden, Message: "this endpoint requires another role"}
)

// protect admits callers with the route's role, within the rate limit.
func (g *guard) protect(next route) handler {
	handle := next.knownParameters()
	if next.access.open {
		return unambiguous(handle)
	}
	return unambiguous(func(w http.ResponseWriter, r *http.Request) error {
		who, err := g.identify(r, next.access.tokens)
		if err != nil {
			return g.refuse(r, err)
		}
		if err := choose(r, &who); err != nil {
			return err
		}
		x := exchangeOf(r.Context())
		x.who = who
		if err := g.allow(x, who.Credential); err != nil {
			return err
		}
		if !slices.Contains(next.access.roles, who.Role) {
			return errForbidden
		}
		if next.method != get {
			defer g.stale.change(who.Account)()
		}
		return handle(w, r)
	})
}

// ourHeaders are the header fields that decide something and are no lists.
var ourHeaders = []string{"Authorization", "X-Api-Token", "X-Webhook-Secret", modeHeader, keyHeader, "Content-Type", requestIDHeader, lastEventHeader}

// differ reports whether a header field that is no list says two things.
func differ(values []string) bool {
	return len(slices.Compact(slices.Clone(values))) > 1
}

// unambiguous refuses requests with two different values of such a field. A proxy or a library between
// the caller and the service may take the other one.
func unambiguous(next handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		var twice []string
		for _, name := range ourHeaders {
			if differ(r.Header.Values(name)) {
				twice = append(twice, name+": expected one value, received several")
			}
		}
		if twice != nil {
			return &domain.Error{Code: domain.Invalid, Message: "invalid request", Details: twice}
		}
		return next(w, r)
	}
}

// identify authenticates a caller by an access token or an API token.
func (g *guard) identify(r *http.Request, tokens bool) (auth.Identity, error) {
	if token := r.Header.Get("X-Api-Token"); token != "" && tokens {
		return g.signIn.ByAPIToken(r.Context(), token)
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return auth.Identity{}, errUnauthorized
	}
	return g.signIn.ByAccessToken(r.Context(), token)
}

// modeHeader requests a mode if the credential allows both.
const modeHeader = "X-Mode"

// choose sets a caller's mode: its credential's, otherwise the requested one, otherwise live. Rate
// limits are counted for each mode separately.
func choose(r *http.Request, who *auth.Identity) error {
	asked := domain.Mode(r.Header.Get(modeHeader))
	switch {
	case len(r.Header.Values(modeHeader)) > 0 && asked != domain.Live && asked != domain.Test:
		return &domain.Error{Code: domain.Invalid, Message: "invalid request", Details: []string{modeHeader + ": expected live or test"}}
	case who.Mode != "" && asked != "" && asked != who.Mode:
		return &domain.Error{Code: domain.Forbidden, Message: fmt.Sprintf("the API token is for %s mode, and %s asks for %s: use a token of that mode, or omit the header", who.Mode, modeHeader, asked)}
	}
	who.Mode = cmp.Or(who.Mode, asked, domain.Live)
	if who.Mode == domain.Test {
		who.Credential += ", test mode"
	}
	return nil
}

// refuse is the error for a caller that is not authenticated. Invalid credentials are
// counted by client address. A valid credential still works, since many callers may
// share an address.
func (g *guard) refuse(r *http.Request, err error) error {
	if domain.CodeOf(err) != domain.Unauthorized {
		return err
	}
	return cmp.Or(g.invalid.Take(CallerAddress(r)).Err(), err)
}

// allow counts a request of the credential and returns the rest of its quota in headers.
func (g *guard) allow(x *exchange, credential string) error {
	d := g.limiter.Take(credential)
	if d.Limit == 0 {
		return nil
	}
	x.set("Ratelimit-Limit", strconv.Itoa(d.Limit))
	x.set("Ratelimit-Remaining", strconv.Itoa(d.Remaining))
	x.set("Ratelimit-Reset", wholeSeconds(d.Reset))
	return d.Err()
}
