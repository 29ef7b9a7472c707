package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
)

// refusal is an error answer of the API or an error of the console.
type refusal struct {
	Status     int
	Message    string
	Details    []string
	retryAfter string // in seconds; "": not stated
}

func (e *refusal) Error() string { return e.Message }

// ExtraDetails returns the details that add something to the message.
func (e *refusal) ExtraDetails() (list []string) {
	for _, detail := range e.Details {
		if detail != e.Message {
			list = append(list, detail)
		}
	}
	return list
}

// words returns the complete text.
func (e *refusal) words() string {
	words := sentence(e.Message)
	for _, more := range e.ExtraDetails() {
		words += " " + sentence(more)
	}
	return words
}

// refusalOf returns the API's error answer for an error of the domain.
func refusalOf(err error) *refusal {
	problem := &refusal{Message: err.Error()}
	if wrong := (*domain.Error)(nil); errors.As(err, &wrong) {
		problem.Message, problem.Details = wrong.Message, wrong.Details
	}
	return problem
}

// asRefusal returns the refusal in an error, or nil.
func asRefusal(err error) *refusal {
	problem := (*refusal)(nil)
	errors.As(err, &problem)
	return problem
}

// caller calls the API as the viewer.
type caller struct {
	handler   http.Handler
	context   context.Context
	host      string // of the console's own address
	remote    string // the browser's address
	requestID string // one for the page and its calls
	token     string // the viewer's access token; "" if not signed in
}

// asker makes calls of the API: a browser's request, or a part of it.
type asker interface {
	ask(method, path string, body []byte, into any) error
}

// read calls the API and returns the answer's data.
func read[T any](x asker, path string, query url.Values) (data T, part client.Pagination, err error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	frame := struct {
		Data       *T
		Pagination *client.Pagination
	}{&data, &part}
	return data, part, x.ask(http.MethodGet, path, nil, &frame)
}

// send makes a call that changes something, and returns the answer's data.
func send[T any](x asker, method, path string, body any) (data T, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return data, err
	}
	frame := struct{ Data *T }{&data}
	return data, x.ask(method, path, text, &frame)
}

// request builds a request of the API with the viewer's access token.
func (c *caller) request(method, path string, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(c.context, method, "http://"+c.host+"/api/v1"+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	request.RemoteAddr = c.remote
	request.Header.Set("X-Request-Id", c.requestID)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	return request, nil
}

// serve makes a call of the API with an answer of its own form.
func (c *caller) serve(w http.ResponseWriter, request *http.Request) { c.handler.ServeHTTP(w, request) }

// ask calls the API. An error answer is returned as a refusal.
func (c *caller) ask(method, path string, body []byte, into any) error {
	request, err := c.request(method, path, body)
	if err != nil {
		return err
	}
	got := answer{header: http.Header{}}
	c.serve(&got, request)
	if got.status < http.StatusBadRequest {
		if err := json.Unmarshal(got.body.Bytes(), into); err != nil {
			return fmt.Errorf("%s %s: the answer cannot be read: %w", method, path, err)
		}
		return nil
	}
	problem := client.ErrorBody{}
	if err := json.Unmarshal(got.body.Bytes(), &problem); err != nil {
		return fmt.Errorf("%s %s was answered with %d: %w", method, path, got.status, err)
	}
	return &refusal{problem.Code, problem.Message, problem.Error, got.header.Get("Retry-After")}
}

// answer records the API's answer.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(text []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(text)
}
