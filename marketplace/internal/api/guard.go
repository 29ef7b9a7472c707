package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/marketplace"
)

// caller returns who is calling; there is always somebody behind a guard.
func caller(ctx context.Context) auth.Identity { return exchangeOf(ctx).who }

var (
	errUnauthorized = &marketplace.Error{Code: marketplace.Unauthorized, Message: saysUnauthorized}
	errForbidden    = &marketplace.Error{Code: marketplace.Forbidden, Message: "this surface is for another role"}
)

// guard lets in whom the route is for, as often as the limit allows.
func (a *API) guard(next route) handler {
	if next.access.open {
		return next.handle
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		who, err := a.identify(r, next.access.tokens)
		if err != nil {
			return err
		}
		x := exchangeOf(r.Context())
		x.who = who
		if err := a.allow(x, who.Credential); err != nil {
			return err
		}
		if !slices.Contains(next.access.roles, who.Role) {
			return errForbidden
		}
		return next.handle(w, r)
	}
}

// identify reads a caller's credentials: an access token, or an API token.
func (a *API) identify(r *http.Request, tokens bool) (auth.Identity, error) {
	if token := r.Header.Get("X-Api-Token"); token != "" && tokens {
		return a.signin.ByAPIToken(r.Context(), token)
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return auth.Identity{}, errUnauthorized
	}
	return a.signin.ByAccessToken(r.Context(), token)
}
