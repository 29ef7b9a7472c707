package api

import (
	"net"
	"net/http"
	"net/netip"
)

// authRoutes are for who has no token yet, or one to renew.
func (a *API) authRoutes() []route {
	return []route{
		{http.MethodPost, "/api/v1/auth/login", anybody, a.signIn},
		{http.MethodPost, "/api/v1/auth/refresh", anybody, a.refresh},
		{http.MethodPost, "/api/v1/auth/logout", anybody, a.signOut},
	}
}

func (a *API) signIn(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Email    string `json:"email" validate:"required,max=254"`
		Password string `json:"password" validate:"required,max=1000"`
	}
	if err := readBody(r, &body); err != nil {
		return err
	}
	tokens, err := a.signin.SignIn(r.Context(), body.Email, body.Password, callerAddress(r))
	if err != nil {
		a.countSignIn(err)
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return writeData(w, http.StatusOK, tokens)
}

// refreshToken is the body of what needs one.
type refreshToken struct {
	RefreshToken string `json:"refresh_token" validate:"required,max=200"`
}

func (a *API) refresh(w http.ResponseWriter, r *http.Request) error {
	var body refreshToken
	if err := readBody(r, &body); err != nil {
		return err
	}
	tokens, err := a.signin.Refresh(r.Context(), body.RefreshToken)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return writeData(w, http.StatusOK, tokens)
}

func (a *API) signOut(w http.ResponseWriter, r *http.Request) error {
	var body refreshToken
	if err := readBody(r, &body); err != nil {
		return err
	}
	if err := a.signin.SignOut(r.Context(), body.RefreshToken); err != nil {
		return err
	}
	return writeData(w, http.StatusOK, struct{}{})
}

// callerAddress tells callers from each other: an IPv6 network's 64 bits are one
// caller's to choose from.
func callerAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if address = address.Unmap().WithZone(""); address.Is4() {
		return address.String()
	}
	network, err := address.Prefix(64)
	if err != nil {
		return host
	}
	return network.String()
}
