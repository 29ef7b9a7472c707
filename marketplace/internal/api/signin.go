package api

import (
	"net"
	"net/http"
	"net/netip"

	"partnerkit.dev/marketplace/internal/auth"
)

// signInHandler is for callers who have no access token yet, or one to renew.
type signInHandler struct{ service *auth.Service }

type credentials struct {
	Email    string `json:"email" validate:"required,max=254"`
	Password string `json:"password" validate:"required,max=1000"`
}

func (h signInHandler) signIn(r *http.Request, body credentials) (any, error) {
	return h.service.SignIn(r.Context(), body.Email, body.Password, CallerAddress(r))
}

// refreshToken is the body of what needs one.
type refreshToken struct {
	RefreshToken string `json:"refresh_token" validate:"required,max=200"`
}

func (h signInHandler) refresh(r *http.Request, body refreshToken) (any, error) {
	return h.service.Refresh(r.Context(), body.RefreshToken)
}

func (h signInHandler) signOut(r *http.Request, body refreshToken) (any, error) {
	return struct{}{}, h.service.SignOut(r.Context(), body.RefreshToken)
}

// CallerAddress tells callers from each other: an IPv6 network's 64 bits are one
// caller's to choose from.
func CallerAddress(r *http.Request) string {
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
