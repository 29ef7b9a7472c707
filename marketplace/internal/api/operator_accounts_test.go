package api_test

import (
	"strings"
	"testing"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
)

func (b *bench) accountPath(role domain.Role) string {
	return "/api/v1/operator/accounts/" + b.accounts[role].ID.String()
}

func TestOperatorsListAccountsByRole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := b.signIn(t, domain.Operator)
	var list []struct{ Email, Role string }
	a := b.do(t, "GET", "/api/v1/operator/accounts?limit=3", "", operator)
	if a.data(t, &list); len(list) != 3 || !strings.Contains(string(a.body), `"totalCount":4`) {
		t.Errorf("want three of four, got %s", a.body)
	}
	a = b.do(t, "GET", "/api/v1/operator/accounts?role=partner", "", operator)
	if a.data(t, &list); len(list) != 1 || list[0].Email != "partner@example.com" {
		t.Errorf("want the partner, got %s", a.body)
	}
	wantProblem(t, b.do(t, "GET", "/api/v1/operator/accounts?role=king", "", operator), 400, "role: expected one of")
}

func TestAnAccountIsShownWithItsTokensButNeverTheirText(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := b.signIn(t, domain.Operator)
	var first, second client.MadeToken
	path := b.accountPath(domain.Reseller)
	b.do(t, "POST", path+"/api-tokens", `{"name":"shop"}`, operator).data(t, &first)
	b.do(t, "POST", path+"/api-tokens", `{"name":"kiosk"}`, operator).data(t, &second)
	b.do(t, "DELETE", path+"/api-tokens/"+first.ID, "", operator)
	a := b.do(t, "GET", path, "", operator)
	var view client.AccountDetail
	a.data(t, &view)
	if view.Email != "reseller@example.com" || view.Disabled || len(view.APITokens) != 2 ||
		view.APITokens[0].ID != second.ID || !view.APITokens[0].RevokedAt.IsZero() || view.APITokens[1].Name != "shop" || view.APITokens[1].RevokedAt.IsZero() {
		t.Errorf("want both tokens, the newest first, got %s", a.body)
	}
	for _, hidden := range []string{string(first.Token), string(second.Token), "hash", "argon2id"} {
		if strings.Contains(string(a.body), hidden) {
			t.Errorf("want %q hidden, got %s", hidden, a.body)
		}
	}
}

func TestADisabledAccountCannotSignInUntilItIsEnabled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := b.signIn(t, domain.Operator)
	var tokens auth.Tokens
	login := `{"email":"partner@example.com","password":"` + password + `"}`
	b.do(t, "POST", "/api/v1/auth/login", login).data(t, &tokens)
	in := func() int {
		return b.do(t, "GET", "/api/v1/partner-integrations", "", header{"Authorization", "Bearer " + tokens.AccessToken}).StatusCode
	}
	path := b.accountPath(domain.Partner)
	if in() != 200 {
		t.Fatal("want it in before")
	}
	a := b.do(t, "PATCH", path, `{"disabled":true,"name":"Bo"}`, operator)
	if !strings.Contains(string(a.body), `"disabled":true`) || !strings.Contains(string(a.body), `"name":"Bo"`) {
		t.Errorf("want it disabled, got %s", a.body)
	}
	if got := in(); got != 401 {
		t.Errorf("want its access token refused immediately, got %d", got)
	}
	wantProblem(t, b.do(t, "POST", "/api/v1/auth/refresh", `{"refresh_token":"`+tokens.RefreshToken+`"}`), 401)
	wantProblem(t, b.do(t, "POST", "/api/v1/auth/login", login), 401, "unauthorized access")
	b.do(t, "PATCH", path, `{"disabled":false}`, operator)
	if got := in(); got != 401 {
		t.Errorf("want what was ended not to come back, got %d", got)
	}
	b.do(t, "POST", "/api/v1/auth/login", login).data(t, &tokens)
	if got := in(); got != 200 {
		t.Errorf("want it in again, got %d", got)
	}
}

func TestANewPasswordEndsTheSessionsOfTheOldOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := b.signIn(t, domain.Operator)
	partner := b.signIn(t, domain.Partner)
	path := b.accountPath(domain.Partner)
	wantProblem(t, b.do(t, "PATCH", path, `{"password":"short"}`, operator), 400, "password: expected at least 10 letters")
	if a := b.do(t, "PATCH", path, `{"password":"a new and long one"}`, operator); a.StatusCode != 200 || strings.Contains(string(a.body), "new and long") {
		t.Errorf("want it changed, and not shown, got %s", a.body)
	}
	wantProblem(t, b.do(t, "GET", "/api/v1/partner-integrations", "", partner), 401)
	wantProblem(t, b.do(t, "POST", "/api/v1/auth/login", `{"email":"partner@example.com","password":"`+password+`"}`), 401)
	if a := b.do(t, "POST", "/api/v1/auth/login", `{"email":"partner@example.com","password":"a new and long one"}`); a.StatusCode != 200 {
		t.Errorf("want the new one good, got %s", a.body)
	}
}

func TestAnOperatorCannotLockItselfOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := b.signIn(t, domain.Operator)
	wantProblem(t, b.do(t, "PATCH", b.accountPath(domain.Operator), `{"disabled":true}`, operator), 409, "you cannot disable your own account")
	wantProblem(t, b.do(t, "PATCH", "/api/v1/operator/accounts/17", `{}`, operator), 404, "account not found")
}
