package openapitest_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/openapitest"
	"partnerkit.dev/schemas/openapi"
)

func TestTheDocumentJudgesWhatIsSentAndAnswered(t *testing.T) {
	t.Parallel()
	document, err := openapi.Read(openapi.Marketplace)
	errtest.Check(t, err)
	op, _ := document.Find("POST", "/api/v1/auth/login")
	ask := func(target, body string) []string {
		u, err := url.Parse(target)
		errtest.Check(t, err)
		return openapitest.JudgeRequest(op, u, http.Header{}, []byte(body))
	}
	answer := func(status int, body string, names ...string) []string {
		headers := http.Header{"Content-Type": {"application/json; charset=utf-8"}, "X-Request-Id": {"r-1"}}
		for _, name := range names {
			headers.Set(name, "1")
		}
		return openapitest.JudgeAnswer(op, status, headers, []byte(body))
	}
	const good, problem = `{"email":"ana@example.com","password":"x","more":1}`, `{"success":0,"error":[],"message":"","code":429,"error_code":"rate_limited"}`
	for name, c := range map[string]struct {
		got  []string
		want string // "": nothing is wrong
	}{
		"a good request":          {ask("/api/v1/auth/login", good), ""},
		"no body":                 {ask("/api/v1/auth/login", ""), "the body is missing"},
		"a field missing":         {ask("/api/v1/auth/login", `{"email":"x"}`), "password"},
		"no JSON":                 {ask("/api/v1/auth/login", `{`), "EOF"},
		"a strange parameter":     {ask("/api/v1/auth/login?x=1", good), "the query parameter x is not described"},
		"an error":                {answer(400, problem), ""},
		"the default's":           {answer(500, problem), ""},
		"another's status":        {answer(404, problem), "the status 404 is not described"},
		"an error of another way": {answer(400, `{"success":1}`), "missing properties"},
		"a header missing":        {answer(429, problem), "the header Retry-After is missing"},
		"a header not described":  {answer(400, problem, "Retry-After"), "the header Retry-After is not described for 400"},
		"a good answer's body":    {answer(200, `{"success":1,"data":{}}`), "access_token"},
	} {
		if got := strings.Join(c.got, "; "); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: want %q, got %q", name, c.want, got)
		}
	}
}
