package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/replica"
	"partnerkit.dev/schemas/openapi"
)

// walker calls the API at random according to its document: valid calls about existing
// objects, nearly valid calls, and nonsense. It uses the ids that it has read.
type walker struct {
	*shop
	t       *testing.T
	random  *rand.Rand
	tokens  map[domain.Role]header
	hook    header
	routes  map[string]api.Route
	ids     map[string][]string // by the parameter that they are for
	secrets []string            // tokens and cursors that it received
	answers map[int]int         // their number, by status
}

// Every answer must be documented, and none may be an internal error. CALLS sets the number
// of calls, and SEED selects them.
func TestRandomCallsAreAnsweredAsTheDocumentSays(t *testing.T) {
	t.Parallel()
	number := func(name string, otherwise int) int {
		n, err := strconv.Atoi(os.Getenv(name))
		if err != nil {
			return otherwise
		}
		return n
	}
	calls, seed := number("CALLS", 600), number("SEED", 1)
	w := &walker{
		shop: openShop(t, func(c *replica.Config) { c.RateLimit = 0 }), t: t, random: rand.New(rand.NewPCG(uint64(seed), 0)),
		tokens: map[domain.Role]header{}, routes: map[string]api.Route{}, ids: map[string][]string{}, answers: map[int]int{},
	}
	for _, role := range roles {
		w.tokens[role] = w.signIn(t, role)
		w.ids["account"] = append(w.ids["account"], w.accounts[role].ID.String())
	}
	for _, route := range api.Routes() {
		w.routes[route.Method+" "+route.Path] = route
	}
	made := w.register(t, w.tokens[domain.Partner], w.partnerURL+"/s/default")
	w.hook = header{"X-Webhook-Secret", made.Secret}
	operations := theDocument(t).Operations()
	for range calls {
		w.call(operations[w.random.IntN(len(operations))])
		if t.Failed() {
			t.FailNow() // the first of many failures is the most useful
		}
	}
	good := 0
	for status, n := range w.answers {
		if status < 300 {
			good += n
		}
	}
	t.Logf("%d calls with seed %d: %v", calls, seed, w.answers)
	if good < calls/4 {
		t.Errorf("expected a quarter of the calls to succeed, so that there is something to call about; %d of %d did", good, calls)
	}
}

func (w *walker) call(op *openapi.Operation) {
	target, body, headers := w.target(op), "", w.caller(op)
	if op.Body != nil && !w.odds(40) {
		body = w.body(op)
	}
	if w.guards(op, target, body) {
		return
	}
	a := w.ask(w.t, op.Method, target, body, headers...)
	if a.Response == nil {
		return
	}
	w.answers[a.StatusCode]++
	// The walker registers partners that do not answer: that is not the service's failure.
	if a.StatusCode >= 500 && !(a.StatusCode == http.StatusBadGateway && strings.Contains(string(a.body), `"error_code":"partner_error"`)) {
		w.t.Errorf("Expected no failure of the service, received %d %s", a.StatusCode, a.body)
	}
	if w.t.Failed() {
		w.t.Logf("the call: %s %s\n%v\n%.2000s", op.Method, target, headers, body)
	}
	var reported any
	if json.Unmarshal(a.body, &reported) == nil {
		w.learn(op, reported, "")
	}
}

// guards prevents calls by which the walker would lose its own access.
func (w *walker) guards(op *openapi.Operation, target, body string) bool {
	if op.Method == http.MethodPatch && strings.Contains(op.Path, "{account}") {
		for _, account := range w.accounts {
			if strings.Contains(target, account.ID.String()) {
				return true
			}
		}
	}
	// Hashing a password takes as long as a hundred calls.
	return strings.Contains(body, "password") && strings.Contains(op.Path, "/accounts") && !w.odds(20)
}

func (w *walker) odds(of int) bool { return w.random.IntN(of) == 0 }

// caller returns a caller who is usually authorized for the operation.
func (w *walker) caller(op *openapi.Operation) (headers []header) {
	role := roles[w.random.IntN(len(roles))]
	if mayCall := w.routes[op.Method+" "+op.Path].Roles; len(mayCall) > 0 && !w.odds(12) {
		role = mayCall[w.random.IntN(len(mayCall))]
	}
	switch {
	case w.odds(30):
	case w.odds(30):
		headers = append(headers, header{"Authorization", w.nonsense()})
	case slices.Contains(op.Security, "webhook_secret"):
		headers = append(headers, w.hook)
	default:
		headers = append(headers, w.tokens[role])
	}
	for _, p := range op.Parameters {
		if p.In == "header" && w.odds(3) {
			headers = append(headers, header{p.Name, w.text(p.Name, p.Schema)})
		}
	}
	return headers
}

var inPath = regexp.MustCompile(`\{[a-z_]+\}`)

func (w *walker) target(op *openapi.Operation) string {
	target := inPath.ReplaceAllStringFunc(op.Path, func(name string) string {
		if w.odds(30) {
			return oddIDs[w.random.IntN(len(oddIDs))]
		}
		return url.PathEscape(w.id(name[1 : len(name)-1]))
	})
	var query []string
	for _, p := range op.Parameters {
		if p.In != "query" || !p.Required && !w.odds(4) || p.Required && w.odds(40) {
			continue
		}
		value := url.QueryEscape(w.text(p.Name, p.Schema))
		if w.odds(25) {
			value = oddTexts[w.random.IntN(len(oddTexts))]
		}
		query = append(query, p.Name+"="+value)
	}
	if strings.HasPrefix(op.Path, "/api/") && w.odds(40) {
		query = append(query, "unknown=1")
	}
	if len(query) > 0 {
		target += "?" + strings.Join(query, "&")
	}
	return target
}

// id returns an id that the walker has read, usually of the right kind.
func (w *walker) id(of string) string {
	of = strings.TrimSuffix(strings.TrimSuffix(of, "_id"), "reseller")
	if of == "" {
		of = "account"
	}
	known := w.ids[of]
	if w.odds(25) {
		known = w.ids[slices.Sorted(maps.Keys(w.ids))[w.random.IntN(len(w.ids))]]
	}
	if len(known) == 0 || w.odds(30) {
		return uuid.NewString()
	}
	return known[len(known)-1-min(w.random.IntN(len(known)), w.random.IntN(len(known)))] // newer ids are likelier
}

// text returns a value of a parameter.
func (w *walker) text(name string, schema map[string]any) string {
	switch {
	case strings.Contains(name, "cursor") || name == "after" || name == "If-None-Match":
		if len(w.secrets) > 0 {
			return w.secrets[w.random.IntN(len(w.secrets))]
		}
	case name == "integration" || strings.HasSuffix(name, "_id"):
		return w.id(name)
	}
	return fmt.Sprint(w.value(name, schema, 0))
}

// body returns an example of the document, a value that matches its schema, or the shop's own
// order. Some are then corrupted in one place.
func (w *walker) body(op *openapi.Operation) string {
	examples, _ := op.Body.Schema["examples"].([]any)
	var value any
	switch {
	case strings.HasSuffix(op.Path, "/resellers/bookings") && !w.odds(4):
		_ = json.Unmarshal([]byte(w.order), &value)
		if object, ok := value.(map[string]any); ok && w.odds(2) {
			object["reseller_reference"] = w.word()
		}
	case len(examples) > 0 && !w.odds(3):
		value = cloneJSON(examples[w.random.IntN(len(examples))])
		w.fill(value)
	default:
		value = cloneJSON(w.value("", op.Body.Schema, 0))
		w.fill(value)
	}
	if w.odds(5) {
		value = w.mutate(value)
	}
	text, err := json.Marshal(value)
	must(w.t, err)
	if w.odds(60) {
		text = text[:w.random.IntN(len(text)+1)]
	}
	return string(text)
}

// cloneJSON returns a copy that shares nothing with the document.
func cloneJSON(value any) (made any) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &made)
	}
	if err != nil {
		panic(err)
	}
	return made
}

// fill replaces an example's addresses and ids by existing ones.
func (w *walker) fill(value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			switch _, isText := value[name].(string); {
			case name == "base_url":
				value[name] = []string{w.partnerURL, "http://127.0.0.1:1"}[w.random.IntN(2)] + "/" + w.word()
			case name == "email" && isText:
				value[name] = w.word() + "@example.com"
			case strings.HasSuffix(name, "_id") && isText:
				value[name] = w.id(name)
			case strings.HasSuffix(name, "token") && len(w.secrets) > 0:
				value[name] = w.secrets[w.random.IntN(len(w.secrets))]
			default:
				w.fill(value[name])
			}
		}
	case []any:
		for _, item := range value {
			w.fill(item)
		}
	}
}

func (w *walker) word() string {
	return []string{"a", "Ana", "é", "x y", "😀", "0", "O'Hara", "null"}[w.random.IntN(8)] + strconv.Itoa(w.random.IntN(50))
}

func (w *walker) nonsense() string {
	return []string{"", "Bearer", "Bearer x", "Basic eDp4", "Bearer " + strings.Repeat("x.", 300), "bearer  ", "\t", "Bearer a.b.c"}[w.random.IntN(8)]
}

// mutate returns the value with one of its parts replaced by any other value, or removed.
func (w *walker) mutate(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if names := slices.Sorted(maps.Keys(value)); len(names) > 0 && !w.odds(4) {
			name := names[w.random.IntN(len(names))]
			if w.odds(4) {
				delete(value, name)
			} else {
				value[name] = w.mutate(value[name])
			}
			return value
		}
	case []any:
		if len(value) > 0 && !w.odds(4) {
			at := w.random.IntN(len(value))
			value[at] = w.mutate(value[at])
			return value
		}
	}
	return []any{ // no empty text, which is read as omitted where a word is optional
		nil, true, "x", "\u0000", strings.Repeat("long ", 2000), -1, 0, 1e30, 0.1 + 0.2, 1 << 53, []any{}, map[string]any{}, []any{nil}, "2026-02-30", "-0001-01-01T00:00:00Z", "\u202e",
	}[w.random.IntN(16)]
}

// value returns a value that a schema allows, as far as the walker understands the schema.
func (w *walker) value(name string, schema map[string]any, depth int) any {
	for _, choice := range []string{"anyOf", "oneOf"} {
		if list, _ := schema[choice].([]any); len(list) > 0 {
			chosen, _ := list[w.random.IntN(len(list))].(map[string]any)
			both := maps.Clone(schema)
			delete(both, choice)
			maps.Copy(both, chosen)
			return w.value(name, both, depth)
		}
	}
	if fixed, ok := schema["const"]; ok {
		return fixed
	}
	if list, _ := schema["enum"].([]any); len(list) > 0 {
		return list[w.random.IntN(len(list))]
	}
	if list, _ := schema["examples"].([]any); len(list) > 0 && w.odds(2) {
		return list[w.random.IntN(len(list))]
	}
	number := func(name string, otherwise float64) float64 {
		if n, ok := schema[name].(float64); ok {
			return n
		}
		return otherwise
	}
	kinds := kindsOf(schema)
	if len(kinds) == 0 {
		kinds = []string{"string"}
	}
	switch kind := kinds[w.random.IntN(len(kinds))]; kind {
	case "null":
		return nil
	case "boolean":
		return w.odds(2)
	case "integer", "number":
		least := number("minimum", 0)
		most := min(number("maximum", least+100), least+1000)
		if w.odds(5) {
			return most
		}
		return least + float64(w.random.IntN(int(most-least)+1))
	case "array":
		items, _ := schema["items"].(map[string]any)
		list := []any{}
		for range int(number("minItems", 0)) + w.random.IntN(3) {
			if depth < 5 {
				list = append(list, w.value(name, items, depth+1))
			}
		}
		return list
	case "object":
		properties, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		object := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if below, _ := properties[name].(map[string]any); slices.Contains(required, any(name)) || depth < 4 && w.odds(2) {
				object[name] = w.value(name, below, depth+1)
			}
		}
		return object
	}
	switch schema["format"] {
	case "uuid":
		return w.id(name)
	case "date":
		return w.now().AddDate(0, 0, w.random.IntN(70)-5).Format("2006-01-02")
	case "date-time":
		return w.now().AddDate(0, 0, w.random.IntN(70)-5).Format("2006-01-02T15:04:05Z07:00")
	case "email":
		return w.word() + "@example.com"
	case "uri":
		return "https://shop.example/" + url.PathEscape(w.word())
	}
	return w.word()
}

// learn stores the ids and cursors of an answer.
func (w *walker) learn(op *openapi.Operation, reported any, name string) {
	switch reported := reported.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(reported)) {
			w.learn(op, reported[name], name)
		}
	case []any:
		for _, item := range reported {
			w.learn(op, item, name)
		}
	case string:
		of := strings.TrimSuffix(name, "_id")
		if name == "_id" || name == "id" {
			of = thingOf(op.Path)
		}
		switch _, err := uuid.Parse(reported); {
		case strings.HasSuffix(name, "token") || strings.Contains(name, "cursor"):
			w.secrets = append(w.secrets, reported)
		case err == nil && strings.HasSuffix(name, "id") && !slices.Contains(w.ids[of], reported):
			w.ids[of] = append(w.ids[of], reported)
		}
	}
}

// thingOf returns the kind of object of a path: booking for …/bookings and …/bookings/{booking}/cancel.
func thingOf(path string) string {
	parts := strings.Split(path, "/")
	for _, part := range slices.Backward(parts) {
		if strings.HasPrefix(part, "{") {
			return strings.Trim(part, "{}")
		}
		if singular, ok := strings.CutSuffix(part, "ies"); ok {
			return singular + "y"
		}
		if singular, ok := strings.CutSuffix(part, "s"); ok && part != "status" {
			return singular
		}
	}
	return ""
}
