package apidocs_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"partnerkit.dev/internal/apidocs"
	"partnerkit.dev/internal/axetest"
	"partnerkit.dev/internal/browsertest"
)

// The document is served at /s/mine/_mock/docs/openapi.yaml, and its API at /s/mine.
const document = `openapi: 3.1.0
info: {title: Tours, version: 1.0.0, description: Every tour of a town.}
servers: [{url: ../..}]
security: [{bearer: []}]
tags: [{name: Tour, description: What can be booked.}]
components:
  securitySchemes: {bearer: {type: http, scheme: bearer}}
paths:
  /tours:
    get:
      operationId: tours
      summary: List the tours
      tags: [Tour]
      parameters:
        - {name: place, in: query, schema: {type: string}, examples: {example: {value: Lisbon, x-disabled: true}}}
      responses:
        '200': {description: The tours., content: {application/json: {schema: {type: array, items: {type: string}}, example: [walk]}}}
    delete:
      operationId: clear
      summary: Delete every tour
      tags: [Tour]
      responses:
        '204': {description: Deleted.}
`

// open serves a page and shows it. What the page sends to the API is in the channel.
func open(t *testing.T, browser context.Context, api string, prepare ...browsertest.Action) (*browsertest.Tab, chan *http.Request) {
	t.Helper()
	sent := make(chan *http.Request, 10)
	mux := http.NewServeMux()
	mux.Handle("/s/mine/_mock/docs", apidocs.Page{
		Title: "Tours", Document: "docs/openapi.yaml", Assets: "docs/assets/", Server: api,
		Links: []apidocs.Link{{Name: "Tours"}, {Name: "Other", To: "docs/other"}},
	})
	mux.HandleFunc("/s/mine/_mock/docs/openapi.yaml", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(document)) })
	mux.HandleFunc("/s/mine/_mock/docs/assets/{name}", func(w http.ResponseWriter, r *http.Request) {
		if found, err := apidocs.ServeAsset(w, r, r.PathValue("name")); err != nil || !found {
			t.Errorf("%s: found %t, %v", r.URL, found, err)
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		sent <- r
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`["a walk by the river"]`))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	tab := browsertest.Open(t, browser, server.URL, prepare...)
	tab.GoTo("/s/mine/_mock/docs")
	tab.Shows("h1", "Tours")
	tab.Shows("h3", "List the tours")
	return tab, sent
}

func TestThePageInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	t.Run("a reader tries a request with their own token", func(t *testing.T) {
		t.Parallel()
		tab, sent := open(t, browser, "../")
		tab.Write(`input[placeholder="Token"]`, "secret-1")
		tab.Click("button.show-api-client-button")
		tab.Shows("[role=dialog]", "Send")
		tab.Control("\r")
		tab.Shows("[role=dialog]", "a walk by the river")
		request := <-sent
		if at := request.URL.String(); at != "/s/mine/tours" {
			t.Errorf("expected a request for /s/mine/tours without the optional parameter, received %s", at)
		}
		if token := request.Header.Get("Authorization"); token != "Bearer secret-1" {
			t.Errorf("expected the reader's token, received %q", token)
		}
		tab.Is(`JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie]).includes("secret-1") ? "stored" : "forgotten"`, "forgotten")
		tab.RequireNoProblems()
	})

	t.Run("a reader searches and reads samples in four languages", func(t *testing.T) {
		t.Parallel()
		tab, _ := open(t, browser, "")
		tab.Is(`String(document.querySelector("button.show-api-client-button"))`, "null")
		press := func(text string) {
			tab.See(fmt.Sprintf(`[...document.querySelectorAll("button")].some(button => button.textContent.includes(%[1]q) && (button.click(), true))`, text))
		}
		tab.Shows("pre", "curl")
		press("Shell Curl")
		for _, language := range []string{"Go", "JavaScript", "Python", "Shell"} {
			tab.Shows("[role=listbox]", language)
		}
		tab.Is(`String(/Java\n|Ruby|Julia|jQuery/.test(document.querySelector("[role=listbox]").innerText))`, "false")
		press("Open Search")
		tab.Write("[role=dialog] input", "every tour")
		tab.Shows("[role=dialog]", "Delete every tour")
		tab.RequireNoProblems()
	})

	source := axetest.Source(t)
	for _, scheme := range []string{"light", "dark"} { // a page that is loaded in a scheme keeps it
		t.Run("the page is accessible in the "+scheme, func(t *testing.T) {
			t.Parallel()
			tab, _ := open(t, browser, "../", browsertest.Media("screen", scheme))
			tab.See(`document.body.classList.contains("` + scheme + `-mode")`)
			axetest.Check(tab, source)
			tab.Fits(360, 1400)
			tab.RequireNoProblems()
		})
	}
}
