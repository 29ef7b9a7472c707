package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// sandbox is the address of one sandbox's control API.
type sandbox struct {
	options Options
	root    string // of the mock
	name    string
	base    string // where the partner endpoints are
}

// Error is a refusal by the mock.
type Error struct {
	Method  string
	URL     string
	Status  int
	Message string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %d: %s", e.Method, e.URL, e.Status, e.Message)
}

// maxRefusal limits how much of a refusal is read, in bytes.
const maxRefusal = 64 << 10

// send sends a request and returns the answer if it is successful. A string body is sent unchanged,
// any other value as JSON.
func (s *sandbox) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	address := s.base + "/_mock" + path
	text, err := bodyOf(body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, address, err)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, text)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if s.options.Token != "" {
		request.Header.Set("Authorization", "Bearer "+s.options.Token)
	}
	response, err := s.options.HTTP.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusBadRequest {
		defer response.Body.Close()
		return nil, refusalOf(request, response)
	}
	return response, nil
}

func bodyOf(body any) (io.Reader, error) {
	switch body := body.(type) {
	case nil:
		return http.NoBody, nil
	case string:
		return strings.NewReader(body), nil
	}
	text, err := json.Marshal(body)
	return bytes.NewReader(text), err
}

func refusalOf(request *http.Request, response *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
	if err != nil {
		return fmt.Errorf("%s %s: %s: %w", request.Method, request.URL, response.Status, err)
	}
	refusal := struct{ Message string }{}
	if json.Unmarshal(text, &refusal) != nil || refusal.Message == "" {
		refusal.Message = strings.TrimSpace(string(text)) // the answer may not come from the mock itself
	}
	return &Error{Method: request.Method, URL: request.URL.String(), Status: response.StatusCode, Message: refusal.Message}
}

func call[T any](ctx context.Context, s *sandbox, method, path string, body any) (answer T, err error) {
	response, err := s.send(ctx, method, path, body)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return answer, fmt.Errorf("%s %s: %w", method, response.Request.URL, err)
	}
	// The connection can be reused only after the complete body is read.
	_, err = io.Copy(io.Discard, response.Body)
	return answer, err
}

// do is call for answers whose content is not needed.
func do(ctx context.Context, s *sandbox, method, path string, body any) error {
	_, err := call[json.RawMessage](ctx, s, method, path, body)
	return err
}

// field is call for an answer whose one key contains the result.
func field[T any](ctx context.Context, s *sandbox, method, path, key string, body any) (value T, err error) {
	answer, err := call[map[string]json.RawMessage](ctx, s, method, path, body)
	if err != nil {
		return value, err
	}
	if err := json.Unmarshal(answer[key], &value); err != nil {
		return value, fmt.Errorf("%s %s: %s: %w", method, path, key, err)
	}
	return value, nil
}

// encodeQuery returns the query with the parameters that are not zero.
func encodeQuery(parameters map[string]any) string {
	values := url.Values{}
	for name, value := range parameters {
		if !reflect.ValueOf(value).IsZero() {
			values.Set(name, fmt.Sprint(value))
		}
	}
	return values.Encode()
}

// wait returns the parameters of a wait.
func wait(n int, timeout time.Duration) map[string]any {
	return map[string]any{"count": strconv.Itoa(n), "timeout": timeout.String()}
}

// path joins segments, escaped.
func path(segments ...string) (joined string) {
	for _, segment := range segments {
		joined += "/" + url.PathEscape(segment)
	}
	return joined
}

// IsStatus reports whether the error is a refusal with that status.
func IsStatus(err error, status int) bool {
	refusal := (*Error)(nil)
	return errors.As(err, &refusal) && refusal.Status == status
}
