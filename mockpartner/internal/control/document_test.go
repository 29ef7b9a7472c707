package control_test

import (
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"partnerkit.dev/mockpartner/internal/control"
	"partnerkit.dev/schemas"
)

// document is the OpenAPI document of the control API.
func document(t *testing.T) (text []byte, paths map[string]map[string]map[string]any) {
	t.Helper()
	text, err := fs.ReadFile(schemas.Files(), control.Document)
	if err != nil {
		t.Fatal(err)
	}
	var content struct {
		Paths map[string]map[string]map[string]any
	}
	if err := yaml.Unmarshal(text, &content); err != nil {
		t.Fatal(err)
	}
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
			for _, name := range []string{"name", "snapshot", "id"} {
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
	if err != nil {
		o.t.Fatal(err)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		o.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		o.t.Fatalf("%s: want 200, got %s, %v: %s", path, response.Status, err, body)
	}
	return response.Header.Get("Content-Type"), string(body)
}

func TestTheDocumentIsServed(t *testing.T) {
	t.Parallel()
	want, _ := document(t)
	if kind, text := start(t).get("/_mock/openapi.yaml"); kind != "application/yaml" || text != string(want) {
		t.Fatalf("want the document, got %s, %d bytes", kind, len(text))
	}
}

func TestTheDocumentsAreServedAsPagesThatTryTheirOwnSandbox(t *testing.T) {
	t.Parallel()
	o := start(t)
	o.call("POST", "/_mock/sandboxes", `{"name":"mine"}`, 201)
	for path, want := range map[string]string{
		"/_mock/docs": `data-document="openapi.yaml" data-try="true"`, "/_mock/docs/partner": `data-document="partner.yaml" data-try="true"`,
		"/s/mine/_mock/docs/partner.yaml": "servers:\n  - url: ../..\n", "/_mock/docs/assets/page.js": "SwaggerUIBundle(",
	} {
		if _, text := o.get(path); !strings.Contains(text, want) {
			t.Errorf("%s: want %q, got %.300s", path, want, text)
		}
	}
	o.call("GET", "/_mock/docs/assets/nothing.js", "", 404)
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
