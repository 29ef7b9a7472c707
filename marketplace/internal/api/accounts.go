package api

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
)

type accountStore interface {
	CreateAccount(ctx context.Context, a domain.Account) error
	Account(ctx context.Context, id uuid.UUID) (domain.Account, error)
	List(ctx context.Context, role domain.Role, words string, asked domain.PageRequest) (domain.Page[domain.Account], error)
	APITokens(ctx context.Context, account uuid.UUID) ([]domain.APIToken, error)
	AddAPIToken(ctx context.Context, t domain.APIToken, hash []byte, role domain.Role) error
	RevokeAPIToken(ctx context.Context, account, token uuid.UUID, at time.Time) error
	Invite(ctx context.Context, i domain.Invitation, hash []byte) error
	Invitations(ctx context.Context, now time.Time, asked domain.PageRequest) (domain.Page[domain.Invitation], error)
	Uninvite(ctx context.Context, id uuid.UUID) error
}

// accountHandler serves operators' requests about accounts.
type accountHandler struct {
	store  accountStore
	signIn *auth.Service
	now    func() time.Time
	secure bool // browsers use HTTPS
}

func viewAccount(a domain.Account) client.Account {
	return client.Account{ID: a.ID.String(), Email: a.Email, Name: a.Name, Role: client.Role(a.Role), CreatedAt: a.CreatedAt, Disabled: a.DisabledAt != nil}
}

func viewToken(t domain.APIToken) client.Token {
	return client.Token{ID: t.ID.String(), Name: t.Name, Mode: string(t.Mode), CreatedAt: t.CreatedAt, RevokedAt: valueOf(t.RevokedAt)}
}

func (h accountHandler) detail(ctx context.Context, a domain.Account) (any, error) {
	tokens, err := h.store.APITokens(ctx, a.ID)
	return client.AccountDetail{Account: viewAccount(a), APITokens: viewList(tokens, viewToken)}, err
}

func (h accountHandler) create(r *http.Request, body domain.NewAccount) (any, error) {
	made, err := auth.NewAccount(body, h.now())
	if err != nil {
		return nil, err
	}
	return viewAccount(made), h.store.CreateAccount(r.Context(), made)
}

func viewInvitation(i domain.Invitation) client.Invitation {
	return client.Invitation{ID: i.ID.String(), Email: i.Email, Name: i.Name, CreatedAt: i.CreatedAt, ExpiresAt: i.ExpiresAt}
}

// invite answers with the link of an invitation, which is shown only once. The link has the host
// that the operator called.
func (h accountHandler) invite(r *http.Request, body domain.NewInvitation) (any, error) {
	made, token, err := auth.NewInvitation(body, h.now())
	if err != nil {
		return nil, err
	}
	link := client.Secret(linkTo(r, h.secure, "/partners/invitation/"+token))
	return client.MadeInvitation{Invitation: viewInvitation(made), URL: link}, h.store.Invite(r.Context(), made, auth.HashToken(token))
}

func (h accountHandler) invitations(r *http.Request) (any, error) {
	asked, err := readQuery(r).storedPage(r.URL.Path)
	if err != nil {
		return nil, err
	}
	found, err := h.store.Invitations(r.Context(), h.now(), asked.request())
	return pageOf(asked, found, viewInvitation), err
}

func (h accountHandler) uninvite(r *http.Request, id uuid.UUID) (any, error) {
	return struct{}{}, h.store.Uninvite(r.Context(), id)
}

func (h accountHandler) list(r *http.Request) (any, error) {
	given := readQuery(r)
	role, words := domain.Role(given.validated("role", "oneof=reseller affiliate partner operator")), given.text("q", longestFilter)
	asked, err := given.storedPage(r.URL.Path)
	if err != nil {
		return nil, err
	}
	found, err := h.store.List(r.Context(), role, words, asked.request())
	return pageOf(asked, found, viewAccount), err
}

func (h accountHandler) show(r *http.Request, id uuid.UUID) (any, error) {
	found, err := h.store.Account(r.Context(), id)
	if err != nil {
		return nil, err
	}
	return h.detail(r.Context(), found)
}

func (h accountHandler) change(r *http.Request, id uuid.UUID, body domain.AccountChange) (any, error) {
	changed, err := h.signIn.ChangeAccount(r.Context(), caller(r.Context()).Account, id, body)
	if err != nil {
		return nil, err
	}
	return h.detail(r.Context(), changed)
}

func (h accountHandler) createToken(r *http.Request, account uuid.UUID, body domain.NewAPIToken) (any, error) {
	made, text, err := auth.NewAPIToken(account, body, h.now())
	if err != nil {
		return nil, err
	}
	return client.MadeToken{ID: made.ID.String(), Mode: string(made.Mode), Token: client.Secret(text)}, h.store.AddAPIToken(r.Context(), made, auth.HashToken(text), domain.Reseller)
}

func (h accountHandler) revokeToken(r *http.Request, account uuid.UUID) (any, error) {
	token, err := pathID(r, "token")
	if err != nil {
		return nil, err
	}
	return struct{}{}, h.store.RevokeAPIToken(r.Context(), account, token, h.now())
}

// signInHandler serves callers without an access token, or with one to renew.
type signInHandler struct {
	guard   *guard
	service *auth.Service
}

type credentials struct {
	Email    string `json:"email" validate:"required,max=254"`
	Password string `json:"password" validate:"required,max=1000"`
}

func (h signInHandler) signIn(r *http.Request, body credentials) (any, error) {
	return h.service.SignIn(r.Context(), body.Email, body.Password, CallerAddress(r))
}

// refreshToken is the body of requests with a refresh token.
type refreshToken struct {
	RefreshToken string `json:"refresh_token" validate:"required,max=200"`
}

func (h signInHandler) refresh(r *http.Request, body refreshToken) (any, error) {
	tokens, err := h.service.Refresh(r.Context(), body.RefreshToken)
	if err != nil {
		return nil, h.guard.refuse(r, err)
	}
	return tokens, nil
}

func (h signInHandler) signOut(r *http.Request, body refreshToken) (any, error) {
	return struct{}{}, h.service.SignOut(r.Context(), body.RefreshToken)
}

// CallerAddress returns the address by which callers are distinguished. An IPv6 network of 64 bits
// counts as one caller.
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
