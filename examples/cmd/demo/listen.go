package main

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// patience limits the wait for an answer. It is longer than the marketplace's wait for a partner.
const patience = 10 * time.Minute

// listening returns an HTTP client that prints its calls. It calls then after each.
func (t *printer) listening(whom string, then func(context.Context)) *http.Client {
	return &http.Client{Timeout: patience, Transport: printingTransport{t, whom, then}}
}

// printingTransport is a transport that prints every call.
type printingTransport struct {
	output *printer
	whom   string
	then   func(context.Context)
}

func (e printingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	status := 0
	if err == nil {
		status = response.StatusCode
	}
	e.output.printCall(status, e.whom, r.Method+" "+shortenIDs(r.URL.RequestURI()))
	if e.then != nil {
		e.then(r.Context())
	}
	return response, err
}

var uuid = regexp.MustCompile(`([0-9a-f]{4})[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// shortenIDs shortens the ids in a path.
func shortenIDs(path string) string { return uuid.ReplaceAllString(path, "$1…") }

// command prints a command as a user would type it.
func (t *printer) command(name string, args ...string) {
	t.printCommand(name + " " + strings.Join(args, " "))
}
