package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/replica"
)

func TestEveryMistakeIsAnErrorInTheContractsShape(t *testing.T) {
	t.Parallel()
	b := shared(t)
	operator := b.signIn(t, domain.Operator)
	for name, c := range map[string]struct {
		method, path, body string
		header             header
		status             int
		words              []string
	}{
		"a path that is not there":     {"GET", "/api/v1/nothing", "", header{}, 404, []string{"no such path"}},
		"a method that is not there":   {"PUT", "/api/v1/auth/login", "{}", header{}, 405, []string{"this path does not support the method"}},
		"no body":                      {"POST", "/api/v1/auth/login", "", header{}, 400, []string{`"email: is required"`, `"password: is required"`}},
		"a body that is not JSON":      {"POST", "/api/v1/auth/login", "{", header{}, 400, []string{"the body is not JSON"}},
		"a wrong type":                 {"POST", "/api/v1/auth/login", `{"email":17,"password":"x"}`, header{}, 400, []string{`email: expected a text, received number`}},
		"another content type":         {"POST", "/api/v1/auth/login", "{}", header{"Content-Type", "text/plain"}, 415, []string{"application/json"}},
		"a large body":                 {"POST", "/api/v1/auth/login", `{"email":"` + strings.Repeat("x", 1<<20) + `"}`, header{}, 413, []string{"1048576 bytes"}},
		"no credentials":               {"POST", "/api/v1/operator/accounts", "{}", header{}, 401, []string{`"unauthorized access"`}},
		"credentials that are nothing": {"POST", "/api/v1/operator/accounts", "{}", header{"Authorization", "Bearer x.y.z"}, 401, []string{`"unauthorized access"`}},
		"credentials of another kind":  {"POST", "/api/v1/operator/accounts", "{}", header{"Authorization", "Basic YTpi"}, 401, []string{`"unauthorized access"`}},
		"every field wrong": {"POST", "/api/v1/operator/accounts", `{"email":"someone","password":"short","role":"king"}`, operator, 400, []string{
			"email: expected an address", "password: expected at least 10 letters", "role: expected one of reseller, affiliate, partner, operator"}},
		"an id of the wrong form": {"POST", "/api/v1/operator/accounts/17/api-tokens", `{"name":"x"}`, operator, 404, []string{"account not found"}},
		"an unknown id":           {"POST", "/api/v1/operator/accounts/" + uuid.NewString() + "/api-tokens", `{"name":"x"}`, operator, 404, []string{"account not found"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var headers []header
			if c.header.name != "" {
				headers = append(headers, c.header)
			}
			wantProblem(t, b.do(t, c.method, c.path, c.body, headers...), c.status, c.words...)
		})
	}
}

func TestAWrongMethodIsAnsweredWithTheSupportedOnes(t *testing.T) {
	t.Parallel()
	b := shared(t)
	for path, want := range map[string]string{
		"/api/v1/auth/login": "POST", "/healthz": "GET, HEAD", "/api/v1/operator/rates": "GET, HEAD, PUT",
		"/api/v1/resellers/bookings/" + uuid.NewString(): "GET, HEAD, DELETE",
	} {
		a := b.do(t, http.MethodPatch, path, "")
		if got := a.Header.Get("Allow"); a.StatusCode != 405 || got != want {
			t.Errorf("%s: want 405 and %q, got %d and %q", path, want, a.StatusCode, got)
		}
	}
}

func TestEveryGETRouteAnswersHEAD(t *testing.T) {
	t.Parallel()
	b := shared(t)
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/docs", "/openapi.yaml", "/", "/api/v1/operator/overview", "/nothing"} {
		read, head := b.doRaw(t, http.MethodGet, path), b.doRaw(t, http.MethodHead, path)
		if head.StatusCode != read.StatusCode || len(head.body) > 0 || head.Header.Get("Content-Type") != read.Header.Get("Content-Type") {
			t.Errorf("%s: want %d as %q without a body, got %d as %q and %d bytes", path, read.StatusCode, read.Header.Get("Content-Type"), head.StatusCode, head.Header.Get("Content-Type"), len(head.body))
		}
	}
	if a := b.doRaw(t, http.MethodGet, "/"); a.StatusCode != 303 || a.Header.Get("Location") != "/docs" {
		t.Errorf("want a browser led to /docs, got %d %q", a.StatusCode, a.Header.Get("Location"))
	}
}

// doRaw is do without following redirects.
func (b *bench) doRaw(t *testing.T, method, path string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, b.address+path, nil)
	must(t, err)
	response, err := http.DefaultTransport.RoundTrip(request)
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	return answer{response, text}
}

func TestASignInIsRenewedAndEnds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var first, second auth.Tokens
	b.do(t, "POST", "/api/v1/auth/login", `{"email":"reseller@example.com","password":"`+password+`","more":"is ignored"}`).data(t, &first)
	b.do(t, "POST", "/api/v1/auth/refresh", `{"refresh_token":"`+first.RefreshToken+`"}`).data(t, &second)
	if a := b.do(t, "POST", "/api/v1/auth/logout", `{"refresh_token":"`+second.RefreshToken+`"}`); a.StatusCode != 200 {
		t.Errorf("want 200, got %d", a.StatusCode)
	}
	wantProblem(t, b.do(t, "POST", "/api/v1/auth/refresh", `{"refresh_token":"`+second.RefreshToken+`"}`), 401, "unauthorized access")
	wantProblem(t, b.do(t, "POST", "/api/v1/auth/login", `{"email":"reseller@example.com","password":"a guess"}`), 401, "unauthorized access")
}

func TestAnOperatorMakesAnAccountThatSignsIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := b.signIn(t, domain.Operator)
	var made client.Account
	asked := `{"email":"Bo@Example.com","password":"amber kettle skates","role":"reseller","name":"Bo"}`
	b.do(t, "POST", "/api/v1/operator/accounts", asked, operator).data(t, &made)
	if made.Email != "bo@example.com" || made.ID == "" {
		t.Errorf("want the account, got %+v", made)
	}
	wantProblem(t, b.do(t, "POST", "/api/v1/operator/accounts", asked, operator), 409, "an account with this email exists")
	if a := b.do(t, "POST", "/api/v1/auth/login", `{"email":"bo@example.com","password":"amber kettle skates"}`); a.StatusCode != 200 {
		t.Errorf("want a sign-in, got %d %s", a.StatusCode, a.body)
	}
}

func TestACredentialThatAsksTooOftenIsTurnedAway(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *replica.Config) { c.RateLimit = 2 })
	operator := b.signIn(t, domain.Operator)
	ask := func() answer { return b.do(t, "POST", "/api/v1/operator/accounts", "{}", operator) }
	if a := ask(); a.Header.Get("RateLimit-Limit") != "2" || a.Header.Get("RateLimit-Remaining") != "1" || a.Header.Get("RateLimit-Reset") != "60" {
		t.Errorf("Expected the limit to be reported, received %v", a.Header)
	}
	ask()
	a := ask()
	wantProblem(t, a, 429, `"rate limit exceeded"`)
	if a.Header.Get("Retry-After") != "60" {
		t.Errorf("want 60 s, got %q", a.Header.Get("Retry-After"))
	}
	b.ahead.Add(int64(time.Minute))
	wantProblem(t, ask(), 400)
}

func TestEveryAnswerCarriesARequestID(t *testing.T) {
	t.Parallel()
	b := shared(t)
	if got := b.do(t, "GET", "/healthz", "", header{"X-Request-Id", "shop-17"}).Header.Get("X-Request-Id"); got != "shop-17" {
		t.Errorf("want the caller's own, got %q", got)
	}
	for _, invalid := range []string{"", "two words", strings.Repeat("x", 129)} {
		if got := b.do(t, "GET", "/nothing", "", header{"X-Request-Id", invalid}).Header.Get("X-Request-Id"); uuid.Validate(got) != nil {
			t.Errorf("want a fresh one for %q, got %q", invalid, got)
		}
	}
}

func TestPasswordGuessingIsRateLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	guess := func(email string) answer {
		return b.do(t, "POST", "/api/v1/auth/login", `{"email":"`+email+`","password":"a guess"}`)
	}
	for range 10 {
		wantProblem(t, guess("reseller@example.com"), 401)
	}
	a := guess("Reseller@example.com ")
	wantProblem(t, a, 429, `"rate limit exceeded"`)
	if a.Header.Get("Retry-After") != "60" {
		t.Errorf("want 60 s, got %q", a.Header.Get("Retry-After"))
	}
	b.signIn(t, domain.Partner) // another account may do it
	if text := b.metrics(t); !strings.Contains(text, `marketplace_sign_in_failures_total{reason="limit"} 1`) {
		t.Error("want it counted")
	}
	b.ahead.Add(int64(time.Minute))
	b.signIn(t, domain.Reseller)
}
