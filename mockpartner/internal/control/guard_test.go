package control_test

import (
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/internal/control"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/openapi"
)

// check ends the test on an error.
var check = errtest.Check

// ask sends a request as a browser would, which says what led to it.
func (o operator) ask(method, path, host, body string, header http.Header) (*http.Response, string) {
	o.t.Helper()
	request, err := http.NewRequestWithContext(o.t.Context(), method, o.base+path, strings.NewReader(body))
	check(o.t, err)
	if header != nil {
		request.Header = header
	}
	request.Host = host
	response, err := http.DefaultTransport.RoundTrip(request)
	check(o.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(o.t, err)
	return response, string(text)
}

// A stranger's name can be made to mean 127.0.0.1: then the stranger's page and
// the mock are one site to the browser.
func TestWithoutATokenTheControlAPIAnswersToLoopbackNamesOnly(t *testing.T) {
	t.Parallel()
	o := start(t)
	for host, want := range map[string]int{
		"127.0.0.1:8081": 200, "127.8.9.1": 200, "localhost": 200, "LOCALHOST:8081": 200, "localhost.:1": 200, "mock.localhost:80": 200, "[::1]:8081": 200, "[::1]": 200,
		"elsewhere.example": 403, "elsewhere.example:8081": 403, "localhost.elsewhere.example": 403, "127.0.0.1.elsewhere.example": 403, "notlocalhost": 403, "192.0.2.7:8081": 403,
	} {
		for _, path := range []string{"/_mock/clock", "/_mock/", "/s/default/_mock/journal", "/_mock"} {
			response, text := o.ask("GET", path, host, "", nil)
			if got := response.StatusCode; got != want && !(path == "/_mock" && want == 200 && got == 301) {
				t.Errorf("%s at %s: want %d, got %d: %.200s", path, host, want, got, text)
			}
		}
	}
	// Answers to partners' callers do not change: the contract knows no names.
	if response, _ := o.ask("GET", "/products", "elsewhere.example", "", http.Header{"Authorization": {"Bearer " + key}}); response.StatusCode != 200 {
		t.Errorf("want the partner's endpoints untouched, got %s", response.Status)
	}
}

func TestWithATokenAnyHostNameIsAccepted(t *testing.T) {
	t.Parallel()
	o := start(t, func(options *mockpartner.Options) { options.ControlToken = "a-control-token" })
	if response, _ := o.ask("GET", "/_mock/clock", "mock.internal:8081", "", http.Header{"Authorization": {"Bearer a-control-token"}}); response.StatusCode != 200 {
		t.Errorf("want 200, got %s", response.Status)
	}
}

func TestAStrangersPageGetsNothingButALink(t *testing.T) {
	t.Parallel()
	o := start(t)
	for name, c := range map[string]struct {
		method, path string
		header       http.Header
		want         int
	}{
		"a stream":           {"GET", "/_mock/journal/events", http.Header{"Origin": {"https://elsewhere.example"}}, 403},
		"a script's request": {"GET", "/_mock/state", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"cors"}}, 403},
		"an image":           {"GET", "/_mock/journal/wait", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"no-cors"}}, 403},
		"another port":       {"GET", "/_mock/state", http.Header{"Sec-Fetch-Site": {"same-site"}, "Sec-Fetch-Mode": {"cors"}}, 403},
		"a form":             {"POST", "/_mock/", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}}, 403},
		"an old form":        {"POST", "/_mock/", http.Header{"Origin": {"null"}}, 403},
		"a link":             {"GET", "/_mock/", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}}, 200},
		"its own script":     {"GET", "/_mock/state", http.Header{"Sec-Fetch-Site": {"same-origin"}, "Sec-Fetch-Mode": {"cors"}}, 200},
		"curl":               {"GET", "/_mock/state", nil, 200},
	} {
		if response, text := o.ask(c.method, c.path, "", "", c.header); response.StatusCode != c.want {
			t.Errorf("%s: want %d, got %d: %.200s", name, c.want, response.StatusCode, text)
		}
	}
}

func TestABrowserIsLetInByTheTokenAndStaysInByACookie(t *testing.T) {
	t.Parallel()
	const token = "a-control-token"
	o := start(t, func(options *mockpartner.Options) { options.ControlToken = token })
	form := func(token string) (*http.Response, string) {
		return o.ask("POST", "/_mock/session", "", url.Values{"token": {token}}.Encode(), http.Header{"Content-Type": {"application/x-www-form-urlencoded"}})
	}
	if response, text := o.ask("GET", "/_mock/", "", "", nil); response.StatusCode != 401 || !strings.Contains(text, `type="password"`) || strings.Contains(text, "lisbon-walk") {
		t.Fatalf("want to be asked for the token and shown nothing, got %d: %.300s", response.StatusCode, text)
	}
	for _, wrong := range []string{"", "wrong", token + "x"} {
		if response, text := form(wrong); response.StatusCode != 401 || len(response.Cookies()) != 0 || !strings.Contains(text, "not the control token") {
			t.Fatalf("%q: want to be asked again, got %d %v: %.300s", wrong, response.StatusCode, response.Cookies(), text)
		}
	}
	response, _ := form(token)
	if response.StatusCode != 303 || response.Header.Get("Location") != "/_mock/" || len(response.Cookies()) != 1 {
		t.Fatalf("want to be led to the console with a cookie, got %d %v", response.StatusCode, response.Header)
	}
	cookie := response.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || strings.Contains(cookie.Value, token) || !cookie.Expires.IsZero() || cookie.MaxAge != 0 {
		t.Errorf("want a cookie that no script and no other site can use, without the token, got %v", cookie)
	}
	in := http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}}
	for _, path := range []string{"/_mock/", "/_mock/state", "/s/default/_mock/"} {
		response, text := o.ask("GET", path, "", "", in)
		if response.StatusCode != 200 || strings.Contains(text, token) || strings.Contains(text, cookie.Value) {
			t.Errorf("%s: want it shown, without token and cookie, got %d", path, response.StatusCode)
		}
	}
	for _, wrong := range []string{cookie.Name + "=", cookie.Name + "=" + cookie.Value + "x", cookie.Name + "=" + token} {
		if response, _ := o.ask("GET", "/_mock/state", "", "", http.Header{"Cookie": {wrong}}); response.StatusCode != 401 {
			t.Errorf("%s: want 401, got %d", wrong, response.StatusCode)
		}
	}
}

func TestTheConsoleIsFoundWithoutItsSlash(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.call("POST", "/_mock/sandboxes", `{"name":"mine"}`, 201)
	for path, want := range map[string]string{"/_mock": "/_mock/", "/s/mine/_mock": "/s/mine/_mock/"} {
		if response, _ := o.ask("GET", path, "", "", nil); response.StatusCode != 301 || response.Header.Get("Location") != want {
			t.Errorf("%s: want to be led to %s, got %d %s", path, want, response.StatusCode, response.Header.Get("Location"))
		}
	}
}

// document is the OpenAPI document of the control API.
func document(t *testing.T) (text []byte, paths map[string]map[string]map[string]any) {
	t.Helper()
	text, err := fs.ReadFile(schemas.Files(), control.Document)
	check(t, err)
	var content struct {
		Paths map[string]map[string]map[string]any
	}
	check(t, yaml.Unmarshal(text, &content))
	return text, content.Paths
}

func TestEveryRouteHasItsOperationInTheDocumentAndTheOtherWayRound(t *testing.T) {
	t.Parallel()
	_, paths := document(t)
	var described, served []string
	for path, operations := range paths {
		for method := range operations {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	for _, route := range control.AllRoutes(nil) {
		served = append(served, route.Method+" "+route.Path)
	}
	for _, route := range served {
		if !slices.Contains(described, route) {
			t.Errorf("%s is served, but schemas/%s does not describe it", route, control.Document)
		}
	}
	for _, route := range described {
		if !slices.Contains(served, route) {
			t.Errorf("schemas/%s describes %s, which is not served", control.Document, route)
		}
	}
}

// The parameters in a path are those that its operations declare.
func TestEveryPathParameterIsDeclared(t *testing.T) {
	t.Parallel()
	_, paths := document(t)
	for path, operations := range paths {
		for method, operation := range operations {
			list, _ := operation["parameters"].([]any)
			for _, name := range []string{"name", "snapshot", "id", "exchange"} {
				declared := slices.ContainsFunc(list, func(parameter any) bool {
					return parameter.(map[string]any)["$ref"] == "#/components/parameters/"+name
				})
				if declared != strings.Contains(path, "{"+name+"}") {
					t.Errorf("%s %s: the parameter %s is in the path or declared, not both", method, path, name)
				}
			}
		}
	}
}

// get reads an answer that is not JSON.
func (o operator) get(path string) (kind, text string) {
	o.t.Helper()
	request, err := http.NewRequestWithContext(o.t.Context(), "GET", o.base+path, nil)
	check(o.t, err)
	response, err := http.DefaultTransport.RoundTrip(request)
	check(o.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		o.t.Fatalf("%s: want 200, got %s, %v: %s", path, response.Status, err, body)
	}
	return response.Header.Get("Content-Type"), string(body)
}

func TestTheDocumentIsServed(t *testing.T) {
	t.Parallel()
	want, err := openapi.Bundle(control.Document)
	check(t, err)
	if kind, text := start(t).get("/_mock/openapi.yaml"); kind != "application/yaml" || text != string(want) {
		t.Fatalf("want the document, got %s, %d bytes", kind, len(text))
	}
}

func TestTheDocumentsAreServedAsPagesForTheirOwnSandbox(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.call("POST", "/_mock/sandboxes", `{"name":"mine"}`, 201)
	for path, want := range map[string]string{
		"/_mock/docs?tag=Faults":          `data-server="../">$MOCKPARTNER_URL</span>/_mock/faults&#34;`,
		"/s/mine/_mock/docs/partner":      `data-server="../../">$MOCKPARTNER_URL</span>/products&#34;`,
		"/s/mine/_mock/docs/partner.yaml": "servers:\n  - url: ../..\n",
	} {
		if _, text := o.get(path); !strings.Contains(text, want) {
			t.Errorf("%s: want %q, got %.300s", path, want, text)
		}
	}
}

func TestExchangesAreCountedForPrometheus(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.call("POST", "/_mock/sandboxes", `{"name":"mine"}`, 201)
	o.call("GET", "/products?limit=1", "", 200)
	o.call("GET", "/s/mine/products?limit=1", "", 200)
	o.call("POST", "/bookings/reserve", "{}", 400)
	o.call("GET", "/nowhere", "", 404)
	kind, text := o.get("/_mock/metrics")
	if !strings.HasPrefix(kind, "text/plain") {
		t.Errorf("want Prometheus' text, got %s", kind)
	}
	for _, want := range []string{
		`mockpartner_exchanges_total{endpoint="products",status="200"} 2`,
		`mockpartner_exchanges_total{endpoint="reserve",status="400"} 1`,
		`mockpartner_exchanges_total{endpoint="none",status="404"} 1`,
		`mockpartner_exchange_duration_seconds_count{endpoint="products"} 2`,
		"mockpartner_faults_fired_total 0",
		"mockpartner_sandboxes 2",
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("want %s", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}
