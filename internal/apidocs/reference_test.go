package apidocs_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"partnerkit.dev/internal/apidocs"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/schemas/openapi"
)

// check ends the test on an error.
var check = errtest.Check

// served are the documents that commands show.
var served = []string{openapi.Marketplace, openapi.Partner, "openapi/mock.yaml"}

func bundle(t testing.TB, file string) []byte {
	t.Helper()
	text, err := openapi.Bundle(file)
	check(t, err)
	return text
}

// newReference shows a document, with commands for the marketplace.
func newReference(text []byte) *apidocs.Reference {
	return apidocs.New(apidocs.Config{
		Title: "Tours", Document: "docs/openapi.yaml", Server: "../", Address: "$MARKETPLACE",
		Bundle: func() ([]byte, error) { return text, nil },
		Tokens: []apidocs.Token{{Scheme: "apiToken", Variable: "TOKEN"}, {Scheme: "bearer", Variable: "ACCESS_TOKEN"}},
		Links:  []apidocs.Link{{Name: "Tours"}, {Name: "Other", To: "docs/other"}},
	})
}

func get(t testing.TB, handler http.Handler, address string, fields ...string) *httptest.ResponseRecorder {
	t.Helper()
	request, answer := httptest.NewRequest(http.MethodGet, address, nil), httptest.NewRecorder()
	for i := 0; i < len(fields); i += 2 {
		request.Header.Set(fields[i], fields[i+1])
	}
	handler.ServeHTTP(answer, request)
	return answer
}

// pagesOf returns the pages of a reference, by their query.
func pagesOf(t testing.TB, reference *apidocs.Reference) map[string]string {
	t.Helper()
	pages := map[string]string{}
	pages[""] = get(t, reference, "/docs").Body.String()
	for _, found := range regexp.MustCompile(`href="(\?tag=[^"#]*)"`).FindAllStringSubmatch(pages[""], -1) {
		query := html.UnescapeString(found[1])
		pages[query] = get(t, reference, "/docs"+query).Body.String()
	}
	return pages
}

// node is a part of a document.
type node = map[string]any

// described are the keywords of schemas whose values are on a page, and structure those that lead to
// other schemas.
var (
	described = []string{"description", "pattern", "format", "minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems",
		"minProperties", "maxProperties", "enum", "const", "default", "examples", "not", "if", "then", "else"}
	structure = []string{"type", "title", "required", "deprecated", "properties", "items", "additionalProperties", "propertyNames", "allOf", "anyOf", "oneOf"}
)

var (
	notLetters = regexp.MustCompile(`[^\pL\pN]+`)
	tags       = regexp.MustCompile(`<[^>]*>`)
)

// letters returns the letters and digits of a text, which Markdown and HTML do not change.
func letters(text string) string {
	return strings.ToLower(notLetters.ReplaceAllString(text, ""))
}

// visible returns the text of a page without its tags.
func visible(page string) string { return html.UnescapeString(tags.ReplaceAllString(page, "")) }

// wanted calls want with the letters of each value of an operation, and field with each name.
type wanted struct {
	t           *testing.T
	root        node
	want, field func(string)
	seen        map[string]bool
}

func (w wanted) resolve(n node) node {
	for ref, ok := n["$ref"].(string); ok; ref, ok = n["$ref"].(string) {
		beside := n["description"]
		n = w.root
		for _, name := range strings.Split(ref, "/")[1:] {
			n = n[name].(node)
		}
		if w.seen[ref] && beside == nil {
			return node{}
		}
		w.seen[ref] = true
	}
	return n
}

func (w wanted) schema(value any) {
	n, ok := value.(node)
	if !ok {
		return
	}
	n = w.resolve(n)
	for key, value := range n {
		switch {
		case key == "properties":
			for name, one := range value.(node) {
				w.field(name)
				w.schema(one)
			}
		case key == "items", key == "additionalProperties", key == "propertyNames":
			w.schema(value)
		case slices.Contains([]string{"allOf", "anyOf", "oneOf"}, key):
			for _, one := range value.([]any) {
				w.schema(one)
			}
		case slices.Contains([]string{"if", "then", "else", "not"}, key):
			w.scalars(value)
		case key == "examples": // those of an object are shown where it is a complete body
			for _, one := range value.([]any) {
				if kind := reflect.ValueOf(one).Kind(); kind != reflect.Map && kind != reflect.Slice {
					w.scalars(one)
				}
			}
		case slices.Contains(described, key):
			w.scalars(value)
		case !slices.Contains(structure, key):
			w.t.Errorf("the page knows no keyword %s", key)
		}
	}
}

func (w wanted) scalars(value any) {
	switch value := value.(type) {
	case node:
		for _, one := range value {
			w.scalars(one)
		}
	case []any:
		for _, one := range value {
			w.scalars(one)
		}
	case nil:
	default:
		w.want(fmt.Sprint(value))
	}
}

// described walks a body, an answer or a parameter.
func (w wanted) part(value any) {
	n := w.resolve(value.(node))
	if words, ok := n["description"].(string); ok {
		w.want(words)
	}
	if name, ok := n["name"].(string); ok {
		w.field(name)
	}
	if headers, ok := n["headers"].(node); ok {
		for name, one := range headers {
			w.field(name)
			w.part(one)
		}
	}
	if content, ok := n["content"].(node); ok {
		for kind, one := range content {
			w.want(kind)
			w.schema(one.(node)["schema"])
			w.scalars(one.(node)["example"])
			examples, _ := one.(node)["examples"].(node)
			for _, example := range examples {
				w.scalars(example.(node)["value"])
			}
		}
	}
	w.schema(n["schema"])
}

func TestEveryOperationAndFieldOfADocumentIsOnAPage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads every page, one after another")
	}
	for _, file := range served {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			text := bundle(t, file)
			pages, operations := pagesOf(t, newReference(text)), 0
			shown := map[string]string{}
			for query, page := range pages {
				shown[query] = letters(visible(page))
			}
			var root node
			check(t, yaml.Unmarshal(text, &root))
			for _, kind := range []string{"paths", "webhooks"} {
				paths, _ := root[kind].(node)
				for path, methods := range paths {
					for method, value := range methods.(node) {
						operations++
						op := value.(node)
						query := "?tag=" + url.QueryEscape(op["tags"].([]any)[0].(string))
						if len(pages) == 1 {
							query = ""
						}
						missing := func(what string) { t.Errorf("%s %s: %s is not on the page %q", method, path, what, query) }
						if !strings.Contains(pages[query], fmt.Sprintf(`<article id="%s"`, op["operationId"])) || !strings.Contains(shown[query], letters(path)) {
							missing("it")
						}
						w := wanted{t, root, func(words string) {
							if !strings.Contains(shown[query], letters(words)) {
								missing(words)
							}
						}, func(name string) {
							if !strings.Contains(pages[query], `<code class="name">`+html.EscapeString(name)+`</code>`) {
								missing("the field " + name)
							}
						}, map[string]bool{}}
						w.want(op["summary"].(string))
						w.part(node{"description": op["description"]})
						parameters, _ := op["parameters"].([]any)
						for _, p := range parameters {
							w.part(p)
						}
						if body, ok := op["requestBody"]; ok {
							w.part(body)
						}
						for status, answer := range op["responses"].(node) {
							w.want(status)
							w.part(answer)
						}
					}
				}
			}
			if operations < 6 {
				t.Errorf("expected operations, found %d", operations)
			}
		})
	}
}

func TestEveryLinkLeadsToAPlaceAndEveryPageIsSmall(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads every page, one after another")
	}
	const most = 80 << 10
	for _, file := range served {
		reference := newReference(bundle(t, file))
		pages := pagesOf(t, reference)
		ids := map[string]bool{}
		for query, page := range pages {
			for _, found := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
				if ids[query+"#"+found[1]] {
					t.Errorf("%s%s: two elements have the id %s", file, query, found[1])
				}
				ids[query+"#"+found[1]] = true
			}
		}
		for query, page := range pages {
			for _, found := range regexp.MustCompile(` href="([?#][^"]*)"`).FindAllStringSubmatch(page, -1) {
				to := html.UnescapeString(found[1])
				switch {
				case strings.HasPrefix(to, "#"):
					to = query + to
				case to == "?" || pages[to] != "":
					continue
				}
				if !ids[to] {
					t.Errorf("%s%s: a link leads to %s, which does not exist", file, query, to)
				}
			}
			if packed := get(t, reference, "/docs"+query, "Accept-Encoding", "gzip").Body.Len(); packed > most || packed > len(page)/3 {
				t.Errorf("%s%s: expected at most %d compressed bytes, received %d of %d", file, query, most, packed, len(page))
			}
		}
	}
}

func TestAnAnswerIsCompressedAndRevalidated(t *testing.T) {
	t.Parallel()
	reference := newReference(bundle(t, openapi.Marketplace))
	for name, handler := range map[string]http.Handler{"page": reference, "document": http.HandlerFunc(reference.ServeDocument)} {
		plain, packed := get(t, handler, "/"), get(t, handler, "/", "Accept-Encoding", "br, gzip;q=0.5")
		if packed.Header().Get("Content-Encoding") != "gzip" || packed.Body.Len() > plain.Body.Len()/5 || plain.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: expected it compressed for callers that accept it, received %d bytes of %d", name, packed.Body.Len(), plain.Body.Len())
		}
		if plain.Header().Get("Etag") == packed.Header().Get("Etag") || packed.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: expected a tag for each form, received %q", name, packed.Header())
		}
		if again := get(t, handler, "/", "If-None-Match", plain.Header().Get("Etag")); again.Code != 304 || again.Body.Len() != 0 {
			t.Errorf("%s: expected 304 for a caller that has it, received %d", name, again.Code)
		}
		for _, none := range []string{"gzip;q=0", "br", "*;q=0"} {
			if other := get(t, handler, "/", "Accept-Encoding", none); other.Header().Get("Content-Encoding") != "" {
				t.Errorf("%s: expected plain text for %s", name, none)
			}
		}
	}
}

func TestASearchWorksWithoutScripts(t *testing.T) {
	t.Parallel()
	reference := newReference(bundle(t, openapi.Marketplace))
	main := func(query string) string {
		_, after, _ := strings.Cut(get(t, reference, "/docs?q="+url.QueryEscape(query)).Body.String(), "<main")
		text, _, _ := strings.Cut(after, "</main>")
		return text
	}
	if text := main("post  RESCHEDULE"); !strings.Contains(text, "1 operation with") || !strings.Contains(text, `href="?tag=Reseller#reschedule"`) {
		t.Errorf("expected one operation, received %s", text)
	}
	if text := main(`<b>"nothing"`); !strings.Contains(text, "0 operations with “&lt;b&gt;&#34;nothing&#34;”") {
		t.Errorf("expected no operation, received %s", text)
	}
}

func TestADocumentThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	reference := newReference([]byte("info: [unknown"))
	for name, handler := range map[string]http.Handler{"page": reference, "document": http.HandlerFunc(reference.ServeDocument)} {
		if answer := get(t, handler, "/"); answer.Code != 500 || !strings.Contains(answer.Body.String(), "read the document of Tours") {
			t.Errorf("%s: expected 500 with the reason, received %d %s", name, answer.Code, answer.Body)
		}
	}
}
