package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"

	"partnerkit.dev/marketplace"
	"partnerkit.dev/marketplace/secret"
	"partnerkit.dev/marketplace/signin"
)

func (a *API) operatorAccountRoutes() []route {
	return []route{
		{http.MethodPost, "/api/v1/operator/accounts", operators, a.createAccount},
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
	if err := a.store.CreateAccount(r.Context(), made); err != nil {
		return err
	}
	return writeData(w, http.StatusCreated, accountView{made.ID, made.Email, made.Name, made.Role, made.CreatedAt})
}

func (a *API) createAPIToken(w http.ResponseWriter, r *http.Request) error {
	account, err := pathID(r, "account")
	if err != nil {
		return err
	}
	var body struct {
		Name string `json:"name" validate:"required,max=200"`
	}
	if err := readBody(r, &body); err != nil {
		return err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	token := secret.NewToken()
	made := marketplace.APIToken{ID: id, AccountID: account, Name: body.Name, CreatedAt: a.now()}
	if err := a.store.AddAPIToken(r.Context(), made, secret.Hash(token), marketplace.Reseller); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return writeData(w, http.StatusCreated, map[string]any{"token_id": id, "api_token": token})
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
	if err := a.store.RevokeAPIToken(r.Context(), account, token, a.now()); err != nil {
		return err
	}
	return writeData(w, http.StatusOK, struct{}{})
}

// pathID reads an id of the path. One of the wrong form is nobody's: NotFound.
func pathID(r *http.Request, name string) (uuid.UUID, error) {
	id, err := uuid.Parse(mux.Vars(r)[name])
	if err != nil || len(mux.Vars(r)[name]) != 36 {
		return uuid.UUID{}, &marketplace.Error{Code: marketplace.NotFound, Message: name + " not found"}
	}
	return id, nil
}
