package schemas_test

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	partnerDocument     = "openapi/partner.yaml"
	marketplaceDocument = "openapi/marketplace.yaml"
)

// Bodies are described by schema files alone: nothing is written twice.
func TestTheMarketplacesBodiesAreSchemaFiles(t *testing.T) {
	t.Parallel()
	walk(parseDocument(t, marketplaceDocument), "", func(place string, node map[string]any) {
		media, ok := node["application/json"].(map[string]any)
		if !ok {
			return
		}
		ref, _ := childAt(t, media, "schema")["$ref"].(string)
		if !strings.HasSuffix(ref, ".schema.json") {
			t.Errorf("%s: want a schema file, got %v", place, media["schema"])
		}
	})
}

func TestOpenAPIExamplesKeepTheirSchemas(t *testing.T) {
	t.Parallel()
	document := parseDocument(t, partnerDocument)
	judged := 0
	walk(document, "", func(place string, node map[string]any) {
		content, ok := node["content"].(map[string]any)
		if !ok {
			return
		}
		for mediaType, media := range content {
			media := media.(map[string]any)
			place := place + "/content/" + mediaType
			examples, _ := media["examples"].(map[string]any)
			if len(examples) == 0 {
				t.Errorf("%s has no example", place)
			}
			for name, example := range examples {
				judged++
				value := example.(map[string]any)["value"]
				if problems := judge(t, media["schema"], value); problems != nil {
					t.Errorf("%s/examples/%s breaks its schema: %v", place, name, problems)
				}
			}
		}
	})
	if judged < 15 {
		t.Errorf("only %d examples were found", judged)
	}
}

func TestOpenAPIParameterExamplesKeepTheirSchemas(t *testing.T) {
	t.Parallel()
	parameters := childAt(t, parseDocument(t, partnerDocument), "components", "parameters")
	for name, parameter := range parameters {
		parameter := parameter.(map[string]any)
		_, isText := parameter["example"].(string)
		kind := childAt(t, parameter, "schema")["type"]
		if isText != (kind == "string") {
			t.Errorf("the example of %s is no %v: %v", name, kind, parameter["example"])
		}
	}
	since := childAt(t, parameters, "updated_since")["example"].(string)
	if _, err := partnerapi.ParseDateTime(since); err != nil {
		t.Errorf("the example of updated_since: %v", err)
	}
}

// judge judges an example by the schema of its media type: a reference to one
// of our files, or several of which one has to fit.
func judge(t *testing.T, schema, value any) []schemas.Problem {
	t.Helper()
	node := schema.(map[string]any)
	branches, ok := node["anyOf"].([]any)
	if !ok {
		branches = []any{node}
	}
	var problems []schemas.Problem
	for _, branch := range branches {
		ref, _ := branch.(map[string]any)["$ref"].(string)
		name, ours := strings.CutPrefix(strings.TrimSuffix(ref, ".schema.json"), "../")
		if !ours {
			t.Fatalf("a body is described in the document itself, not by a schema file: %v", branch)
		}
		if problems = schemas.ValidateValue(name, value); problems == nil {
			return nil
		}
	}
	return problems
}

func TestEachEndpointHasItsOperation(t *testing.T) {
	t.Parallel()
	operations := map[string]operation{}
	for route, item := range childAt(t, parseDocument(t, partnerDocument), "paths") {
		for method, body := range item.(map[string]any) {
			op := operation{method: strings.ToUpper(method), path: route, body: body.(map[string]any)}
			operations[op.body["operationId"].(string)] = op
		}
	}
	want := map[partnerapi.Endpoint]operation{
		partnerapi.Products:     {method: "GET", path: partnerapi.ProductsPath},
		partnerapi.Availability: {method: "POST", path: partnerapi.AvailabilityPath},
		partnerapi.Reserve:      {method: "POST", path: partnerapi.ReservePath},
		partnerapi.Confirm:      {method: "POST", path: partnerapi.ConfirmPath},
		partnerapi.Release:      {method: "DELETE", path: templatePath(partnerapi.ReleasePath, "{reservationCode}")},
		partnerapi.Cancel:       {method: "POST", path: templatePath(partnerapi.CancelPath, "{externalBookingId}")},
	}
	if len(operations) != len(partnerapi.Endpoints()) {
		t.Errorf("want an operation for each of the %d endpoints, got %v", len(partnerapi.Endpoints()), slices.Sorted(maps.Keys(operations)))
	}
	for _, endpoint := range partnerapi.Endpoints() {
		got, ok := operations[string(endpoint)]
		if !ok {
			t.Errorf("%s has no operation", endpoint)
			continue
		}
		if got.method != want[endpoint].method || got.path != want[endpoint].path {
			t.Errorf("%s: want %s %s, got %s %s", endpoint, want[endpoint].method, want[endpoint].path, got.method, got.path)
		}
		got.judgeLimits(t, endpoint)
		got.judgeAnswers(t, endpoint)
	}
}

type operation struct {
	method, path string
	body         map[string]any
}

func (o operation) judgeLimits(t *testing.T, endpoint partnerapi.Endpoint) {
	t.Helper()
	want := map[string]time.Duration{"x-timeout-seconds": endpoint.Timeout(partnerapi.Healthy)}
	if degraded := endpoint.Timeout(partnerapi.Degraded); degraded != want["x-timeout-seconds"] {
		want["x-timeout-seconds-degraded"] = degraded
	}
	switch endpoint {
	case partnerapi.Products:
		want["x-timeout-seconds-probe"] = partnerapi.ProbeTimeout
	case partnerapi.Availability:
		want["x-timeout-seconds-aim"] = partnerapi.AvailabilityAim
	}
	got := map[string]time.Duration{}
	for name, value := range o.body {
		if strings.HasPrefix(name, "x-timeout-seconds") {
			got[name] = time.Duration(value.(uint64)) * time.Second
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s: want the limits %v, got %v", endpoint, want, got)
	}
	for _, limit := range want {
		if words := fmt.Sprint(limit.Seconds()); !strings.Contains(o.body["description"].(string), words) {
			t.Errorf("%s: the description does not name the limit of %s seconds", endpoint, words)
		}
	}
}

func (o operation) judgeAnswers(t *testing.T, endpoint partnerapi.Endpoint) {
	t.Helper()
	want := []string{"200", "401", "default"}
	switch endpoint {
	case partnerapi.Availability:
		want = append(want, "4XX")
	case partnerapi.Reserve:
		want = append(want, "201", "400")
	case partnerapi.Confirm:
		want = append(want, "400", "4XX")
	case partnerapi.Cancel:
		want = append(want, "404", "405", "501")
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(childAt(t, o.body, "responses"))); !slices.Equal(got, want) {
		t.Errorf("%s: want the answers %v, got %v", endpoint, want, got)
	}
}

// templatePath returns a path with its parameter as OpenAPI writes it.
func templatePath(route func(string) string, parameter string) string {
	return strings.Replace(route("X"), "X", parameter, 1)
}

func TestTheMarketplacesDocumentHasTheContractsVersion(t *testing.T) {
	t.Parallel()
	if version := childAt(t, parseDocument(t, marketplaceDocument), "info")["version"]; version != "1.0.0" {
		t.Errorf("want 1.0.0, got %v", version)
	}
}

func TestSecuritySchemesAreTheAuthTypes(t *testing.T) {
	t.Parallel()
	got := childAt(t, parseDocument(t, partnerDocument), "components", "securitySchemes")
	if len(got) != len(partnerapi.AuthTypes()) {
		t.Errorf("want %v, got %v", partnerapi.AuthTypes(), got)
	}
	for _, authType := range partnerapi.AuthTypes() {
		if got[string(authType)] == nil {
			t.Errorf("auth type %s has no security scheme", authType)
		}
	}
}

func text(t *testing.T, file string) []byte {
	t.Helper()
	content, err := fs.ReadFile(schemas.Files(), file)
	check(t, err)
	return content
}

func parseDocument(t *testing.T, file string) map[string]any {
	t.Helper()
	var document map[string]any
	if err := yaml.Unmarshal(text(t, file), &document); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return document
}

func childAt(t *testing.T, node map[string]any, names ...string) map[string]any {
	t.Helper()
	for _, name := range names {
		child, ok := node[name].(map[string]any)
		if !ok {
			t.Fatalf("there is no object %s", name)
		}
		node = child
	}
	return node
}

// walk visits every object of a document.
func walk(node any, place string, visit func(place string, node map[string]any)) {
	switch node := node.(type) {
	case map[string]any:
		visit(place, node)
		for name, child := range node {
			walk(child, place+"/"+name, visit)
		}
	case []any:
		for i, child := range node {
			walk(child, fmt.Sprintf("%s/%d", place, i), visit)
		}
	}
}
