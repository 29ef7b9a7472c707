package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/openapitest"
	"partnerkit.dev/schemas/openapi"
)

// described is the API's document. Every exchange in these tests is validated against it.
var described = sync.OnceValues(func() (*openapi.Document, error) { return openapi.Read(openapi.Marketplace) })

func theDocument(t testing.TB) *openapi.Document {
	t.Helper()
	d, err := described()
	must(t, err)
	return d
}

// judge fails if an exchange does not match the document: a successful answer needs a valid
// request, and every answer must be documented.
func judge(t testing.TB, request *http.Request, body string, a answer) {
	t.Helper()
	if request.Method == http.MethodHead { // it has the answer of GET without the body
		return
	}
	op, methods := theDocument(t).Find(request.Method, request.URL.EscapedPath())
	var wrong []string
	switch {
	case op == nil && len(methods) > 0:
		if a.StatusCode != http.StatusMethodNotAllowed {
			wrong = []string{"the method is not described"}
		}
	case op == nil:
		if a.StatusCode != http.StatusNotFound {
			wrong = []string{"the path is not described"}
		}
	default:
		wrong = openapitest.JudgeAnswer(op, a.StatusCode, a.Header, a.body)
		if a.StatusCode < http.StatusMultipleChoices {
			wrong = append(wrong, openapitest.JudgeRequest(op, request.URL, request.Header, []byte(body))...)
		}
	}
	wrong = append(wrong, judgeProblem(a)...)
	for _, w := range wrong {
		t.Errorf("%s %s was answered with %d, and schemas/%s says otherwise: %s\n%.2000s", request.Method, request.URL.Path, a.StatusCode, openapi.Marketplace, w, a.body)
	}
}

// judgeProblem returns what is wrong with an error: its code must be the status, its error_code must
// be in the table with that status, and a 5xx must say whether a retry can help. Pages are exempt.
func judgeProblem(a answer) (wrong []string) {
	if a.StatusCode < http.StatusBadRequest || a.Response.ContentLength == 0 || a.isPage() {
		return nil
	}
	var body struct {
		Code      int
		ErrorCode domain.Reason `json:"error_code"`
		Retry     *bool
	}
	if err := json.Unmarshal(a.body, &body); err != nil {
		return []string{err.Error()}
	}
	if body.Code != a.StatusCode {
		wrong = append(wrong, fmt.Sprintf("the code %d is not the status", body.Code))
	}
	if row := body.ErrorCode.Row(); row.Reason != body.ErrorCode || row.Status != a.StatusCode {
		wrong = append(wrong, fmt.Sprintf("the error_code %q is not one of its status", body.ErrorCode))
	}
	final, later := body.Retry != nil && !*body.Retry, a.Header.Get("Retry-After") != ""
	if failed := a.StatusCode >= http.StatusInternalServerError; failed && final == later || !failed && final {
		wrong = append(wrong, fmt.Sprintf("expected either Retry-After or retry: false in a 5xx, and no retry: false elsewhere, received %t and %t", later, final))
	}
	return wrong
}

// isPage reports whether an answer is a page. Shared links that open nothing answer with one.
func (a answer) isPage() bool { return a.Header.Get("Content-Type") == "text/html; charset=utf-8" }

func TestEveryRouteIsDescribedAndTheOtherWayRound(t *testing.T) {
	t.Parallel()
	var served, written []string
	for _, route := range api.Routes() {
		served = append(served, route.Method+" "+route.Path)
	}
	for _, op := range theDocument(t).Operations() {
		written = append(written, op.Method+" "+op.Path)
	}
	slices.Sort(served)
	slices.Sort(written)
	if !slices.Equal(served, written) {
		t.Errorf("want schemas/%s to describe the routes\n%s\ngot\n%s", openapi.Marketplace, strings.Join(served, "\n"), strings.Join(written, "\n"))
	}
}

func TestTheDocumentSaysWhoMayComeIn(t *testing.T) {
	t.Parallel()
	for _, route := range api.Routes() {
		op, _ := theDocument(t).Find(route.Method, route.Path)
		if op == nil {
			continue // another test checks it
		}
		var want []string
		if !route.Open {
			want = []string{"bearer"}
		}
		if route.Tokens {
			want = append(want, "apiToken") // the contract's name
		}
		if route.Open && slices.Contains(op.Security, "webhook_secret") {
			want = []string{"webhook_secret"} // the handler checks it
		}
		if !slices.Equal(op.Security, want) {
			t.Errorf("%s %s: want the security %v, got %v", route.Method, route.Path, want, op.Security)
		}
	}
}

func TestEveryRouteTakesTheParametersThatAreDescribed(t *testing.T) {
	t.Parallel()
	for _, route := range api.Routes() {
		op, _ := theDocument(t).Find(route.Method, route.Path)
		if op == nil {
			continue // another test checks it
		}
		var want []string
		for _, p := range op.Parameters {
			if p.In == "query" {
				want = append(want, p.Name)
			}
		}
		slices.Sort(want)
		if slices.Sort(route.Parameters); !slices.Equal(route.Parameters, want) {
			t.Errorf("%s %s: want the query parameters %v, which schemas/%s describes, got %v", route.Method, route.Path, want, openapi.Marketplace, route.Parameters)
		}
	}
}

func TestEveryParameterOfAPathIsDescribed(t *testing.T) {
	t.Parallel()
	for _, op := range theDocument(t).Operations() {
		var want, got []string
		for _, segment := range strings.Split(op.Path, "/") {
			if name, ok := strings.CutPrefix(segment, "{"); ok {
				want = append(want, strings.TrimSuffix(name, "}"))
			}
		}
		for _, p := range op.Parameters {
			if p.In == "path" {
				got = append(got, p.Name)
			}
			if p.Example != nil && p.In == "query" {
				u := &url.URL{Path: op.Path, RawQuery: url.Values{p.Name: {fmt.Sprint(p.Example)}}.Encode()}
				for _, wrong := range openapitest.JudgeRequest(op, u, http.Header{}, nil) {
					if strings.Contains(wrong, "query parameter "+p.Name+":") {
						t.Errorf("%s %s: the example of %s: %s", op.Method, op.Path, p.Name, wrong)
					}
				}
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s %s: want the parameters %v described, got %v", op.Method, op.Path, want, got)
		}
	}
}

func TestTheDocumentIsServed(t *testing.T) {
	t.Parallel()
	a := shared(t).do(t, "GET", "/openapi.yaml", "")
	want, err := openapi.Bundle(openapi.Marketplace)
	must(t, err)
	if a.StatusCode != 200 || a.Header.Get("Content-Type") != "application/yaml" || string(a.body) != string(want) {
		t.Errorf("want the document as YAML, got %d as %q, %d bytes", a.StatusCode, a.Header.Get("Content-Type"), len(a.body))
	}
}
