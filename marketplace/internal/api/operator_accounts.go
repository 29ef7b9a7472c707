package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/secret"
	"partnerkit.dev/marketplace/internal/signin"
)

func (a *API) operatorAccountRoutes() []route {
	return []route{
		{http.MethodPost, "/api/v1/operator/accounts", operators, a.createAccount},
		{http.MethodGet, "/api/v1/operator/accounts", operators, a.listAccounts},
		{http.MethodGet, "/api/v1/operator/accounts/{account}", operators, a.showAccount},
		{http.MethodPatch, "/api/v1/operator/accounts/{account}", operators, a.changeAccount},
		{http.MethodPost, "/api/v1/operator/accounts/{account}/api-tokens", operators, a.createAPIToken},
		{http.MethodDelete, "/api/v1/operator/accounts/{account}/api-tokens/{token}", operators, a.revokeAPIToken},
	}
}

// accountView is an account as operators see it.
type accountView struct {
	ID        uuid.UUID        `json:"_id"`
	Email     string           `json:"email"`
	Name      string           `json:"name"`
	Role      marketplace.Role `json:"role"`
	CreatedAt time.Time        `json:"created_at"`
	Disabled  bool             `json:"disabled"` // locked out
}

func viewAccount(a marketplace.Account) accountView {
	return accountView{a.ID, a.Email, a.Name, a.Role, a.CreatedAt, a.DisabledAt != nil}
}

// tokenView is a long-lived token as operators see it: never the token itself.
type tokenView struct {
	ID        uuid.UUID  `json:"token_id"`
	Name      string     `json:"name"`
	CreatedAt time.Time  `json:"created_at"`
	RevokedAt *time.Time `json:"revoked_at"`
}

func (a *API) createAccount(w http.ResponseWriter, r *http.Request) error {
	var body marketplace.NewAccount
	if err := readBody(r, &body); err != nil {
		return err
	}
	made, err := signin.NewAccount(body, a.now())
	if err != nil {
		return err
	}
	if err := a.store.Accounts.CreateAccount(r.Context(), made); err != nil {
		return err
	}
	return writeData(w, http.StatusCreated, viewAccount(made))
}

func (a *API) listAccounts(w http.ResponseWriter, r *http.Request) error {
	given := readQuery(r)
	role, words, asked := marketplace.Role(given.tagged("role", "oneof=reseller affiliate partner operator")), given.text("q", longestFilter), given.page()
	if err := given.check(); err != nil {
		return err
	}
	list, total, err := a.store.Accounts.List(r.Context(), role, words, asked.skip(), asked.size)
	if err != nil {
		return err
	}
	views := make([]accountView, len(list))
	for i, account := range list {
		views[i] = viewAccount(account)
	}
	return writePage(w, views, asked, total)
}

func (a *API) showAccount(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "account")
	if err != nil {
		return err
	}
	found, err := a.store.Accounts.Account(r.Context(), id)
	if err != nil {
		return err
	}
	return a.writeAccount(w, r, found)
}

// writeAccount answers with an account and its tokens, the newest first.
func (a *API) writeAccount(w http.ResponseWriter, r *http.Request, account marketplace.Account) error {
	tokens, err := a.store.Accounts.APITokens(r.Context(), account.ID)
	if err != nil {
		return err
	}
	view := struct {
		accountView
		Tokens []tokenView `json:"api_tokens"`
	}{viewAccount(account), []tokenView{}}
	for _, t := range tokens {
		view.Tokens = append(view.Tokens, tokenView{t.ID, t.Name, t.CreatedAt, t.RevokedAt})
	}
	return writeData(w, http.StatusOK, view)
}

func (a *API) changeAccount(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "account")
	if err != nil {
		return err
	}
	var body marketplace.AccountChange
	if err := readBody(r, &body); err != nil {
		return err
	}
	changed, err := a.signin.ChangeAccount(r.Context(), caller(r.Context()).Account, id, body)
	if err != nil {
		return err
	}
	return a.writeAccount(w, r, changed)
}

func (a *API) createAPIToken(w http.ResponseWriter, r *http.Request) error {
	account, err := pathID(r, "account")
	if err != nil {
		return err
	}
	var body marketplace.NewAPIToken
	if err := readBody(r, &body); err != nil {
		return err
	}
	made, text, err := signin.NewAPIToken(account, body.Name, a.now())
	if err != nil {
		return err
	}
	if err := a.store.Accounts.AddAPIToken(r.Context(), made, secret.Hash(text), marketplace.Reseller); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return writeData(w, http.StatusCreated, map[string]any{"token_id": made.ID, "api_token": text})
}

func (a *API) revokeAPIToken(w http.ResponseWriter, r *http.Request) error {
	account, err := pathID(r, "account")
	if err != nil {
		return err
	}
	token, err := pathID(r, "token")
	if err != nil {
		return err
	}
	if err := a.store.Accounts.RevokeAPIToken(r.Context(), account, token, a.now()); err != nil {
		return err
	}
	return writeData(w, http.StatusOK, struct{}{})
}

// isID reports whether a text is an id as answers write them.
func isID(text string) bool { return len(text) == 36 && uuid.Validate(text) == nil }

// pathID reads an id of the path. One of the wrong form is nobody's: NotFound.
func pathID(r *http.Request, name string) (uuid.UUID, error) {
	text := mux.Vars(r)[name]
	id, err := uuid.Parse(text)
	if err != nil || !isID(text) {
		return uuid.UUID{}, &marketplace.Error{Code: marketplace.NotFound, Message: name + " not found"}
	}
	return id, nil
}
