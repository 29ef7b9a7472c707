package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/openapitest"
	"partnerkit.dev/marketplace/internal/replica"
	"partnerkit.dev/schemas/openapi"
)

// ask calls the handler itself, without a connection. Its answer is validated like every other.
func (b *bench) ask(t testing.TB, method, target, body string, headers ...header) answer {
	t.Helper()
	request, a := b.sendRequest(t, method, target, body, headers...)
	if request != nil {
		judge(t, request, body, a)
	}
	return a
}

// sendRequest returns the answer to a request, or nil if no such request can reach a server.
func (b *bench) sendRequest(t testing.TB, method, target, body string, headers ...header) (*http.Request, answer) {
	t.Helper()
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return nil, answer{}
	}
	request := httptest.NewRequestWithContext(t.Context(), method, "/", strings.NewReader(body))
	request.URL, request.RequestURI, request.RemoteAddr = u, target, "127.0.0.1:7"
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		request.Header.Set(h.name, h.value)
	}
	recorded := httptest.NewRecorder()
	b.Handler.ServeHTTP(recorded, request)
	return request, answer{recorded.Result(), recorded.Body.Bytes()}
}

// opened is how an authorized caller calls an operation about an object that it owns.
type opened struct {
	headers []header
	path    string
}

// opener finds an authorized caller for each operation, and an object that the caller owns.
func (b *bench) opener(t *testing.T) func(*openapi.Operation) opened {
	t.Helper()
	made := b.register(t, b.signIn(t, domain.Operator), "https://partner.example")
	own := strings.NewReplacer("{integration}", made.ID, "{account}", b.accounts[domain.Reseller].ID.String())
	tokens := map[domain.Role]header{}
	for _, role := range roles {
		tokens[role] = b.signIn(t, role)
	}
	routes := map[string]api.Route{}
	for _, route := range api.Routes() {
		routes[route.Method+" "+route.Path] = route
	}
	return func(op *openapi.Operation) opened {
		o := opened{path: own.Replace(op.Path)}
		for _, p := range op.Parameters {
			if p.In == "path" {
				o.path = strings.ReplaceAll(o.path, "{"+p.Name+"}", uuid.NewString())
			}
		}
		route := routes[op.Method+" "+op.Path]
		switch {
		case slices.Contains(op.Security, "webhook_secret"):
			o.headers = []header{{"x-webhook-secret", made.Secret}}
		case !route.Open:
			o.headers = []header{tokens[route.Roles[len(route.Roles)-1]]} // an operator if possible
		}
		return o
	}
}

// wrong is an invalid request, with a word that its refusal must contain.
type wrong struct{ body, names string }

// wrongBodies returns requests that violate the schema of a body, each in one place.
func wrongBodies(body *openapi.Part) (list []wrong) {
	list = []wrong{
		{"{", "JSON"}, {"null", "object"}, {"[]", ""}, {`"x"`, ""}, {"7", ""}, {"\xef\xbb\xbf{}", ""}, {"{}{}", "JSON"}, {"{\"\xff\":1}", "UTF-8"}, {`{"\u0000":1}`, ""},
		{strings.Repeat(`{"a":`, 20_000), ""}, {strings.Repeat("[", 200_000), ""},
	}
	examples, _ := body.Schema["examples"].([]any)
	if len(examples) == 0 {
		return list
	}
	return append(list, wrongValues(body.Schema, examples[0], "", func(changed any) string {
		text, err := json.Marshal(changed)
		if err != nil {
			panic(err)
		}
		return string(text)
	})...)
}

// badBytes is a placeholder in a body for bytes that are not JSON.
const badBytes = "bad bytes here"

// wrongValues changes a value in one place at a time. write encodes the complete body.
func wrongValues(schema map[string]any, example any, name string, write func(any) string) (list []wrong) {
	add := func(value any) { list = append(list, wrong{write(value), name}) }
	kinds := kindsOf(schema)
	for kind, value := range map[string]any{"string": "x", "number": 7, "boolean": true, "array": []any{}, "object": map[string]any{}} {
		if len(kinds) > 0 && !slices.Contains(kinds, kind) && !(kind == "number" && slices.Contains(kinds, "integer")) {
			add(value)
		}
	}
	if slices.Contains(kinds, "string") {
		add("a\x00b")
		list = append(list, wrong{strings.ReplaceAll(write(badBytes), badBytes, "a\xc3\x28b"), ""})
		if most, ok := schema["maxLength"].(float64); ok {
			add(strings.Repeat("x", int(most)+1))
		}
		if schema["enum"] != nil {
			add("'; DROP TABLE accounts; --")
		}
		if least, _ := schema["minLength"].(float64); least > 0 {
			add("")
		}
	}
	if slices.Contains(kinds, "integer") {
		add(1.5)
	}
	if slices.Contains(kinds, "integer") || slices.Contains(kinds, "number") {
		list = append(list, wrong{strings.ReplaceAll(write(badBytes), `"`+badBytes+`"`, "1e999"), ""})
		for _, bound := range []string{"minimum", "maximum"} {
			if limit, ok := schema[bound].(float64); ok && limit > -1e18 && limit < 1e18 {
				add(map[string]any{"minimum": limit - 1, "maximum": limit + 1}[bound])
			}
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	object, _ := example.(map[string]any)
	required, _ := schema["required"].([]any)
	for _, property := range slices.Sorted(maps.Keys(properties)) {
		below, _ := properties[property].(map[string]any)
		if slices.Contains(required, any(property)) {
			less := maps.Clone(object)
			delete(less, property)
			list = append(list, wrong{write(less), property})
		}
		list = append(list, wrongValues(below, object[property], property, func(changed any) string {
			other := maps.Clone(object)
			if other == nil {
				other = map[string]any{}
			}
			other[property] = changed
			return write(other)
		})...)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		first := any(nil)
		if array, _ := example.([]any); len(array) > 0 {
			first = array[0]
		}
		list = append(list, wrongValues(items, first, name, func(changed any) string { return write([]any{changed}) })...)
	}
	return list
}

func kindsOf(schema map[string]any) (kinds []string) {
	switch kind := schema["type"].(type) {
	case string:
		kinds = []string{kind}
	case []any:
		for _, k := range kind {
			kinds = append(kinds, fmt.Sprint(k))
		}
	}
	return kinds
}

// oddTexts lists texts that no query parameter expects.
var oddTexts = []string{"", "0", "-1", "1.5", "1e3", "99999999999999999999", "x", "%00", "a%00b", "%ff%fe", "%0d%0aX-Evil:%201", "'%3B%20DROP%20TABLE%20accounts%3B%20--", "%F0%9F%98%80"}

// oddIDs lists texts that do not look like ids. Some of them are ids in another spelling.
var oddIDs = []string{"17", "%00", "%ff", "%2e%2e", "..%2f..", "'--", "a%20b", "%7Bx%7D", "urn:uuid:0197c6f2-8d5e-7b3a-9c41-52e0f6a1d7b8", "0197c6f28d5e7b3a9c4152e0f6a1d7b8", strings.Repeat("x", 4000)}

func TestARequestThatIsWrongIsRefusedByNameAndStoresNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *replica.Config) { c.RateLimit = 0 })
	open := b.opener(t)
	before := b.tableFingerprints(t)
	refused := 0
	refuse := func(op *openapi.Operation, target, body, names string, headers []header) {
		t.Helper()
		a := b.ask(t, op.Method, target, body, headers...)
		if a.Response == nil {
			return
		}
		refused++
		if a.StatusCode < 400 || a.StatusCode >= 500 {
			t.Errorf("%s %.200s with %.200q: want it refused, got %d %.300s", op.Method, target, body, a.StatusCode, a.body)
		}
		if a.StatusCode == http.StatusBadRequest && !strings.Contains(string(a.body), names) {
			t.Errorf("%s %.200s with %.200q: want %q named, got %s", op.Method, target, body, names, a.body)
		}
	}
	for _, op := range theDocument(t).Operations() {
		o := open(op)
		if op.Body != nil {
			for _, w := range wrongBodies(op.Body) {
				refuse(op, o.path, w.body, w.names, o.headers)
			}
			refuse(op, o.path, `{"x":"`+strings.Repeat("x", 1<<20)+`"}`, "", o.headers)
			for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "application/json/x", ""} {
				refuse(op, o.path, "{}", "", append(slices.Clone(o.headers), header{"Content-Type", kind}))
			}
		}
		for _, p := range op.Parameters {
			switch p.In {
			case "query":
				for _, odd := range append(oddTexts, strings.Repeat("x", 5000)) {
					target := o.path + "?" + otherParameters(op, p.Name) + p.Name + "=" + odd
					if u, err := url.ParseRequestURI(target); err == nil && len(openapitest.JudgeRequest(op, u, http.Header{}, nil)) > 0 {
						refuse(op, target, "", p.Name, o.headers)
					}
				}
				refuse(op, o.path+"?"+otherParameters(op, p.Name)+p.Name+"=%zz", "", "query", o.headers)
				example := url.QueryEscape(fmt.Sprint(p.Example))
				refuse(op, o.path+"?"+otherParameters(op, p.Name)+p.Name+"="+example+"&"+p.Name+"="+example, "", p.Name, o.headers)
			case "path":
				for _, odd := range oddIDs {
					refuse(op, strings.ReplaceAll(op.Path, "{"+p.Name+"}", odd), "", "", o.headers)
				}
			}
		}
	}
	if refused < 300 {
		t.Errorf("only %d requests were made", refused)
	}
	if after := b.tableFingerprints(t); !maps.Equal(before, after) {
		t.Errorf("want nothing stored, got\n%v\nafter\n%v", after, before)
	}
}

// otherParameters returns the further parameters that an operation needs with a parameter.
func otherParameters(op *openapi.Operation, beside string) (text string) {
	for _, p := range op.Parameters {
		if p.In == "query" && p.Required && p.Name != beside {
			text += p.Name + "=" + url.QueryEscape(fmt.Sprint(p.Example)) + "&"
		}
	}
	return text
}

// tableFingerprints returns a fingerprint of every table.
func (b *bench) tableFingerprints(t *testing.T) map[string]string {
	t.Helper()
	rows, err := b.store.Pool().Query(t.Context(), `
		SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	must(t, err)
	var names []string
	for rows.Next() {
		var name string
		must(t, rows.Scan(&name))
		if name == "webhook_receipts" { // it lists the refused webhooks
			continue
		}
		names = append(names, name)
	}
	prints := map[string]string{}
	for _, name := range names {
		var print string
		must(t, b.store.Pool().QueryRow(t.Context(), `SELECT coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') FROM `+name+` t`).Scan(&print))
		prints[name] = print
	}
	return prints
}

// Unusual but valid requests must not break anything either.
func TestTextsThatMeanSomethingElsewhereMeanNothingHere(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *replica.Config) { c.RateLimit = 0 })
	open := b.opener(t)
	for _, op := range theDocument(t).Operations() {
		o := open(op)
		for _, p := range op.Parameters {
			if p.In != "query" {
				continue
			}
			for _, odd := range oddTexts {
				a := b.ask(t, op.Method, o.path+"?"+otherParameters(op, p.Name)+p.Name+"="+odd, "", o.headers...)
				if a.Response != nil && a.StatusCode >= 500 {
					t.Errorf("%s %s with %s=%s: want no failure, got %d %s", op.Method, o.path, p.Name, odd, a.StatusCode, a.body)
				}
			}
		}
		for _, h := range []header{
			{"If-None-Match", strings.Repeat(`"x",`, 5000)}, {"If-None-Match", `W/"`}, {"Accept-Encoding", "gzip;q=NaN,*;q=-1"}, {"X-Request-Id", "a\tb\x7f"},
			{"Authorization", "Bearer " + strings.Repeat("x.", 5000)}, {"Authorization", "Bearer"}, {"X-Api-Token", strings.Repeat("x", 20_000)}, {"X-Webhook-Secret", "'--"},
		} {
			if op.Method == "GET" {
				if a := b.ask(t, op.Method, o.path, "", append(slices.Clone(o.headers), h)...); a.StatusCode >= 500 {
					t.Errorf("%s %s with %s: %.60s: want no failure, got %d %s", op.Method, o.path, h.name, h.value, a.StatusCode, a.body)
				}
			}
		}
	}
	for _, name := range []string{`'; DROP TABLE accounts; --`, "\u202e" + "<script>alert(1)</script>", "${jndi:ldap://x}", "%s%n", strings.Repeat("😀", 200)} {
		text, err := json.Marshal(map[string]string{"name": name, "base_url": "https://" + uuid.NewString() + ".example", "auth_key": "k'; --"})
		must(t, err)
		if a := b.do(t, "POST", "/api/v1/partner-integrations", string(text), b.signIn(t, domain.Operator)); a.StatusCode != http.StatusCreated {
			t.Errorf("want %q accepted unchanged, got %d %s", name, a.StatusCode, a.body)
		}
	}
}

// FuzzRequest sends anything to any route, as an operator, who has access to most of them.
func FuzzRequest(f *testing.F) {
	b := setup(f, func(c *replica.Config) { c.RateLimit = 0 })
	operator := b.signIn(f, domain.Operator)
	for _, op := range theDocument(f).Operations() {
		f.Add(op.Method, op.Path, "page=1&from=2026-07-01", "application/json", []byte(`{"name":"x","mode":"full","rates":{"USD":null}}`))
	}
	f.Add("POST", "/api/v1/operator/accounts/%00/api-tokens", "%zz", "text/plain; x", []byte("\x00"))
	f.Add("PATCH", "//..//%2f", "", "", []byte(`{"a":`))
	f.Fuzz(func(t *testing.T, method, path, query, kind string, body []byte) {
		if !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}, method) || !strings.HasPrefix(path, "/") {
			t.Skip()
		}
		request, a := b.sendRequest(t, method, path+"?"+query, string(body), header{"Content-Type", kind}, operator)
		if request == nil {
			t.Skip()
		}
		u := request.URL
		if a.StatusCode >= 500 && a.StatusCode != http.StatusBadGateway && a.StatusCode != http.StatusGatewayTimeout {
			t.Errorf("%s %s %q: got %d %s", method, u, body, a.StatusCode, a.body)
		}
		if a.StatusCode >= 400 && !a.isPage() { // the document lists the pages
			wantProblem(t, a, a.StatusCode)
		}
		if op, _ := theDocument(t).Find(method, u.EscapedPath()); op != nil {
			for _, wrong := range openapitest.JudgeAnswer(op, a.StatusCode, a.Header, a.body) {
				t.Errorf("%s %s: %s: %s", method, u, wrong, a.body)
			}
		}
	})
}
