package apidocs_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"partnerkit.dev/internal/apidocs"
	"partnerkit.dev/internal/axetest"
	"partnerkit.dev/internal/browsertest"
	"partnerkit.dev/internal/tooltest"
	"partnerkit.dev/schemas/openapi"
)

// small is a document with what ours do not have, such as a schema that refers to itself.
const small = `openapi: 3.1.0
info:
  title: Tours
  version: 1.0.0
  description: |
    Every **tour** of a [town](https://town.example)<script>alert(1)</script>, [not this](javascript:alert(1)).
security: [{bearer: []}]
tags: [{name: Tour, description: What can be booked.}]
components:
  securitySchemes:
    bearer: {type: http, scheme: bearer}
    apiToken: {type: apiKey, in: header, name: x-api-token}
  schemas:
    Stop:
      type: object
      required: [name]
      properties:
        name: {type: string, examples: ["the captain's house"]}
        next: {$ref: '#/components/schemas/Stop'}
paths:
  /tours/{tour}:
    put:
      operationId: change
      summary: Change a tour
      tags: [Tour]
      security: [{bearer: []}, {apiToken: []}]
      parameters:
        - {name: tour, in: path, required: true, schema: {type: string}, example: a/b}
        - {name: at, in: query, required: true, schema: {type: string}, example: '10:00'}
        - {name: note, in: query, schema: {type: string}, example: hidden}
        - {name: If-Match, in: header, required: true, schema: {type: string}, example: '"1"'}
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Stop'}}}}
      responses: {'204': {description: Changed.}}
`

// serve serves a document's page at /s/mine/_mock/docs, with its API at /s/mine. Requests to the API
// are in the channel.
func serve(t *testing.T, reference *apidocs.Reference) (*httptest.Server, chan *http.Request) {
	t.Helper()
	sent := make(chan *http.Request, 1)
	mux := http.NewServeMux()
	mux.Handle("/s/mine/_mock/docs", reference)
	mux.HandleFunc("/s/mine/_mock/docs/openapi.yaml", reference.ServeDocument)
	mux.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) {
		check(t, r.ParseForm())
		sent <- r
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server, sent
}

func open(t *testing.T, browser context.Context, reference *apidocs.Reference, prepare ...browsertest.Action) *browsertest.Tab {
	t.Helper()
	server, _ := serve(t, reference)
	tab := browsertest.Open(t, browser, server.URL, prepare...)
	tab.GoTo("/s/mine/_mock/docs")
	return tab
}

func TestACommandSendsTheRequest(t *testing.T) {
	t.Parallel()
	tooltest.Require(t, tooltest.Curl)
	server, sent := serve(t, newReference([]byte(small)))
	page := visible(get(t, newReference([]byte(small)), "/docs").Body.String())
	command := regexp.MustCompile(`(?s)curl .*?'\{.*?\}'`).FindString(page)
	shell := exec.CommandContext(t.Context(), "sh", "-c", command)
	shell.Env = append(os.Environ(), "MARKETPLACE="+server.URL, "TOKEN=pk_test_1")
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
	r := <-sent
	if r.Method != "PUT" || r.URL.EscapedPath() != "/tours/a%2Fb" || r.URL.RawQuery != "at=10%3A00" {
		t.Errorf("expected PUT /tours/a%%2Fb?at=10%%3A00, received %s %s", r.Method, r.URL)
	}
	if r.Header.Get("X-Api-Token") != "pk_test_1" || r.Header.Get("Authorization") != "" || r.Header.Get("If-Match") != `"1"` || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("expected the API token and the required header, received %v", r.Header)
	}
	if !strings.Contains(command, `"name": "the captain'\''s house"`) {
		t.Errorf("expected the example as the body, received %s", command)
	}
}

func TestDescriptionsAreNotTrusted(t *testing.T) {
	t.Parallel()
	page := get(t, newReference([]byte(small)), "/docs").Body.String()
	if !strings.Contains(page, `Every <strong>tour</strong> of a <a href="https://town.example">town</a>`) {
		t.Errorf("expected Markdown to be rendered, received %s", page)
	}
	if strings.Contains(page, "<script>alert") || strings.Contains(page, "javascript:") {
		t.Error("expected neither a script nor a link to one")
	}
}

func TestThePageInABrowser(t *testing.T) {
	t.Parallel()
	browser, market := browsertest.Start(t), newReference(bundle(t, openapi.Marketplace))
	source := axetest.Source(t)

	t.Run("a reader finds an operation and copies its command", func(t *testing.T) {
		t.Parallel()
		tab := open(t, browser, market)
		tab.Write("#words", "hold slot")
		tab.See(`[...document.querySelectorAll("#index-list li a")].filter(a => a.offsetParent).map(a => a.innerText.trim().replace(/\s+/g, " ")).join() === "POST Hold a slot for a customer"`)
		tab.Click("#index-list li:not([hidden]) a")
		tab.Shows("#book h3", "Hold a slot for a customer")
		tab.See(`document.querySelector("#book").getBoundingClientRect().top < innerHeight / 2`)
		tab.Shows("#book-curl", `curl "`+browsertest.Value[string](tab, `location.origin`)+`/s/mine/api/v1/resellers/bookings"`)
		tab.Shows("#book-curl", "x-api-token: $TOKEN")
		tab.Click(`[data-copy="book-curl"]`)
		tab.See(`/^(Copied|Selected)/.test(document.querySelector('[data-copy="book-curl"]').textContent)`)
		tab.RequireNoProblems()
	})

	t.Run("without scripts the page has everything, and the search works", func(t *testing.T) {
		t.Parallel()
		tab := open(t, browser, market, browsertest.Command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
		tab.Write("#words", "hold slot")
		tab.Click("#index form button")
		tab.Shows("h1", "1 operation with “hold slot”")
		tab.Click("#content .entries a")
		tab.Shows("#book h3", "Hold a slot for a customer")
		tab.Shows("#book-curl", `curl "$MARKETPLACE/api/v1/resellers/bookings"`)
		tab.Is(`document.querySelector('[data-copy="book-curl"]').checkVisibility() ? "shown" : "hidden"`, "hidden")
		tab.RequireNoProblems()
	})

	for name, page := range map[string]struct {
		reference *apidocs.Reference
		path      string
	}{
		"the first page":      {market, "/s/mine/_mock/docs"},
		"a page of a tag":     {market, "/s/mine/_mock/docs?tag=Webhook"},
		"a page of a search":  {market, "/s/mine/_mock/docs?q=webhook"},
		"a page of all parts": {newReference(bundle(t, openapi.Partner)), "/s/mine/_mock/docs"},
	} {
		t.Run(name+" is accessible and fits", func(t *testing.T) {
			t.Parallel()
			tab := open(t, browser, page.reference)
			tab.GoTo(page.path)
			axetest.Check(tab, source)
			tab.Fits(360, 1400)
			tab.RequireNoProblems()
		})
	}
}
