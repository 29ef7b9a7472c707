package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// refusal is an error that the API has answered, or one of the console's own.
type refusal struct {
	Status  int      `json:"code"`
	Message string   `json:"message"`
	Details []string `json:"error"`

	retryAfter string // in seconds; "" says nothing
}

func (e *refusal) Error() string { return e.Message }

// More are the details that say more than the message.
func (e *refusal) More() (list []string) {
	for _, detail := range e.Details {
		if detail != e.Message {
			list = append(list, detail)
		}
	}
	return list
}

// words are all that it says.
func (e *refusal) words() string {
	words := sentence(e.Message)
	for _, more := range e.More() {
		words += " " + sentence(more)
	}
	return words
}

// refusalOf is what the API would have said of an error of the domain.
func refusalOf(err error) *refusal {
	said := &refusal{Message: err.Error()}
	if wrong := (*marketplace.Error)(nil); errors.As(err, &wrong) {
		said.Message, said.Details = wrong.Message, wrong.Details
	}
	return said
}

// refused returns the refusal in an error, or nil.
func refused(err error) *refusal {
	said := (*refusal)(nil)
	errors.As(err, &said)
	return said
}

// pagination tells which part of a list an answer is.
type pagination struct {
	Page             int    `json:"page"` // 0: it was asked for by a cursor
	TotalCount       int    `json:"totalCount"`
	TotalCountCapped bool   `json:"totalCountCapped"`
	NextCursor       string `json:"next_cursor"` // "": it is the last
}

// get asks the API, and reads the answer's data into a value of that kind.
func read[T any](x *exchange, path string, query url.Values) (data T, part pagination, err error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	frame := struct {
		Data       *T          `json:"data"`
		Pagination *pagination `json:"pagination"`
	}{&data, &part}
	return data, part, x.ask(http.MethodGet, path, nil, &frame)
}

// send makes a call that changes something, and reads the answer's data where somebody
// wants them.
func send[T any](x *exchange, method, path string, body any) (data T, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return data, err
	}
	frame := struct {
		Data *T `json:"data"`
	}{&data}
	return data, x.ask(method, path, text, &frame)
}

// request makes a request of the API by whom the page is shown to.
func (x *exchange) request(method, path string, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(x.r.Context(), method, "http://"+x.r.Host+"/api/v1"+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	request.RemoteAddr = x.r.RemoteAddr
	request.Header.Set("X-Request-Id", x.w.Header().Get("X-Request-Id")) // one id for the page and what it asks
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if x.session.AccessToken != "" {
		request.Header.Set("Authorization", "Bearer "+x.session.AccessToken)
	}
	return request, nil
}

// ask makes a call of the API. Its error is a refusal where the API has
// answered with one.
func (x *exchange) ask(method, path string, body []byte, into any) error {
	request, err := x.request(method, path, body)
	if err != nil {
		return err
	}
	got := answer{header: http.Header{}}
	x.api.ServeHTTP(&got, request)
	if got.status < http.StatusBadRequest {
		if err := json.Unmarshal(got.body.Bytes(), into); err != nil {
			return fmt.Errorf("%s %s: the answer cannot be read: %w", method, path, err)
		}
		return nil
	}
	said := &refusal{retryAfter: got.header.Get("Retry-After")}
	if err := json.Unmarshal(got.body.Bytes(), said); err != nil {
		return fmt.Errorf("%s %s was answered with %d: %w", method, path, got.status, err)
	}
	return said
}

// answer keeps what the API answers.
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
