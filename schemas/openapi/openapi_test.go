package openapi_test

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/pb33f/libopenapi"

	"partnerkit.dev/schemas/openapi"
)

func TestABundleStandsAlone(t *testing.T) {
	t.Parallel()
	for _, file := range []string{openapi.Marketplace, openapi.Partner} {
		text, err := openapi.Bundle(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), ".schema.json") {
			t.Errorf("%s: a file is still referred to", file)
		}
		// A reader that is not ours builds a model of it, every reference included.
		document, err := libopenapi.NewDocument(text)
		if err != nil {
			t.Fatal(err)
		}
		model, err := document.BuildV3Model()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if n := model.Model.Components.Schemas.Len(); n < 10 {
			t.Errorf("%s: want the schema files among the components, got %d", file, n)
		}
	}
}

func TestABundleSaysWhatItsFilesSay(t *testing.T) {
	t.Parallel()
	text, err := openapi.Bundle(openapi.Marketplace)
	if err != nil {
		t.Fatal(err)
	}
	var bundle struct {
		Components struct{ Schemas map[string]map[string]any }
	}
	if err := yaml.Unmarshal(text, &bundle); err != nil {
		t.Fatal(err)
	}
	got := bundle.Components.Schemas["reseller.error"]
	want := map[string]any{"type": "integer", "minimum": uint64(400), "maximum": uint64(599), "description": "The HTTP status.",
		"x-want": "the HTTP status, an integer from 400 to 599"}
	if code := got["properties"].(map[string]any)["code"]; !reflect.DeepEqual(code, want) || got["$id"] != nil {
		t.Errorf("want %v, got %v", want, code)
	}
}

func TestAnOperationJudgesWhatIsSentAndAnswered(t *testing.T) {
	t.Parallel()
	document, err := openapi.Read(openapi.Marketplace)
	if err != nil {
		t.Fatal(err)
	}
	op, methods := document.Find("POST", "/api/v1/auth/login")
	if op == nil || op.ID != "login" || len(op.Security) != 0 || len(methods) != 1 {
		t.Fatalf("want the sign-in, got %+v, %v", op, methods)
	}
	if none, methods := document.Find("GET", "/api/v1/auth/login"); none != nil || len(methods) != 1 {
		t.Errorf("want another method known, got %+v, %v", none, methods)
	}
	if op, _ := document.Find("DELETE", "/api/v1/partner-integrations/a%2Fb"); op == nil || op.ID != "deleteIntegration" {
		t.Errorf("want an escaped segment matched, got %+v", op)
	}
	ask := func(target, body string) []string {
		u, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		return op.JudgeRequest(u, http.Header{}, []byte(body))
	}
	answer := func(status int, body string, names ...string) []string {
		headers := http.Header{"Content-Type": {"application/json; charset=utf-8"}, "X-Request-Id": {"r-1"}}
		for _, name := range names {
			headers.Set(name, "1")
		}
		return op.JudgeAnswer(status, headers, []byte(body))
	}
	const good, problem = `{"email":"ana@example.com","password":"x","more":1}`, `{"success":0,"error":[],"message":"","code":429}`
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
		"an error of another way": {answer(400, `{"success":1}`), "success"},
		"a header missing":        {answer(429, problem), "the header Retry-After is missing"},
		"a header not described":  {answer(400, problem, "Retry-After"), "the header Retry-After is not described for 400"},
		"a good answer's body":    {answer(200, `{"success":1,"data":{}}`), "access_token"},
	} {
		if got := strings.Join(c.got, "; "); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: want %q, got %q", name, c.want, got)
		}
	}
}

func TestAFileThatIsNoneIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := openapi.Read("openapi/nothing.yaml"); err == nil {
		t.Error("want an error")
	}
}
