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
	"partnerkit.dev/marketplace/internal/marketplace"
)

// limitWindow is the period of rate limits.
const limitWindow = time.Minute

// guard authenticates callers and limits their rate.
type guard struct {
	signIn  *auth.Service
	limiter *auth.Limiter // by valid credential
	invalid *auth.Limiter // by the address of invalid ones, which must not take the others' room
}

func newGuard(c Config) *guard {
	return &guard{c.SignIn, auth.NewLimiter(c.RateLimit, limitWindow, c.Now), auth.NewLimiter(c.RateLimit, limitWindow, c.Now)}
}

// caller returns the authenticated caller. Behind a guard there always is one.
func caller(ctx context.Context) auth.Identity { return exchangeOf(ctx).who }

var (
	errUnauthorized = &marketplace.Error{Code: marketplace.Unauthorized, Message: "unauthorized access"}
	errForbidden    = &marketplace.Error{Code: marketplace.Forbidden, Message: "this endpoint requires another role"}
)

// protect admits callers with the route's role, within the rate limit.
func (g *guard) protect(next route) handler {
	handle := next.knownParameters()
	if next.access.open {
		return handle
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		who, err := g.identify(r, next.access.tokens)
		if err != nil {
			return g.refused(r, err)
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
		return handle(w, r)
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
	asked := marketplace.Mode(r.Header.Get(modeHeader))
	switch {
	case len(r.Header.Values(modeHeader)) > 0 && asked != marketplace.Live && asked != marketplace.Test:
		return &marketplace.Error{Code: marketplace.Invalid, Message: "invalid request", Details: []string{modeHeader + ": expected live or test"}}
	case who.Mode != "" && asked != "" && asked != who.Mode:
		return &marketplace.Error{Code: marketplace.Forbidden, Message: fmt.Sprintf("the API token is for %s mode, and %s asks for %s: use a token of that mode, or omit the header", who.Mode, modeHeader, asked)}
	}
	who.Mode = cmp.Or(who.Mode, asked, marketplace.Live)
	if who.Mode == marketplace.Test {
		who.Credential += ", test mode"
	}
	return nil
}

// refused is the error for a caller that is not authenticated. Invalid credentials are
// counted by client address. A valid credential still works, since many callers may
// share an address.
func (g *guard) refused(r *http.Request, err error) error {
	if marketplace.CodeOf(err) != marketplace.Unauthorized {
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
