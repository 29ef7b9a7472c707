package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// send asks for a change, as an operator does.
func (r *replica) send(b *testing.B, method, path, body string) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), method, "http://"+r.address+path, strings.NewReader(body))
	if err != nil {
		b.Error(err)
		return
	}
	request.Header.Set("Authorization", "Bearer "+r.operator)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Error(err)
		return
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 300 {
		b.Errorf("want the change taken, got %d %s and %v", answer.StatusCode, text, err)
	}
}

// seen wants a change, which has just been answered, shown by every read where it was
// made, and within 2 s by the other replica.
func seen(b *testing.B, first, second *replica, path, change string, shown func(page []byte) bool) {
	b.Helper()
	answered := time.Now()
	shows := func(r *replica) bool {
		_, body := get(b, r.address, r.request(path))
		return shown(body)
	}
	for range 3 {
		if !shows(first) {
			b.Errorf("%s is not shown where it was made", change)
		}
	}
	for !shows(second) {
		if time.Since(answered) > 2*time.Second {
			b.Errorf("%s is not shown at the other replica", change)
			return
		}
	}
}

// edit changes an activity of the first page once a second until it is stopped.
func edit(b *testing.B, first, second *replica) (stop func()) {
	ctx, cancel := context.WithCancel(b.Context())
	var all sync.WaitGroup
	const path = resellersList + "?limit=20&page=1&currency=USD"
	_, body := get(b, first.address, first.request(path))
	var listed page
	must(b, json.Unmarshal(body, &listed))
	edited := "/api/v1/operator/activities/" + listed.Data[7].ID
	all.Go(func() {
		for n := 0; ; n++ {
			title := fmt.Sprintf("Changed %d at %d", n, time.Now().UnixNano())
			first.send(b, http.MethodPatch, edited, `{"activity_title":"`+title+`"}`)
			seen(b, first, second, path, "an edit", func(page []byte) bool { return bytes.Contains(page, []byte(title)) })
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
			}
		}
	})
	return func() { cancel(); all.Wait() }
}
