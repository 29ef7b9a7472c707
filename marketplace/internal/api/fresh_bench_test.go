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

	"partnerkit.dev/internal/benchsize"
)

// send requests a change, as an operator unless a header names another caller.
func (r *server) send(b *testing.B, method, path, body string, headers ...header) []byte {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), method, "http://"+r.address+path, strings.NewReader(body))
	if err != nil {
		b.Error(err)
		return nil
	}
	request.Header.Set("Authorization", "Bearer "+r.operator)
	request.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		request.Header.Set(h.name, h.value)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Error(err)
		return nil
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 300 {
		b.Errorf("want the change taken, got %d %s and %v", answer.StatusCode, text, err)
	}
	return text
}

// requireFresh expects that every read shows a change immediately on the replica that answered it,
// and within 2 s on the other one; with -short in any time.
func requireFresh(b *testing.B, first, second *server, path, change string, shown func(page []byte) bool) {
	b.Helper()
	answered, limit := time.Now(), time.Duration(benchsize.Choose(2, 300))*time.Second
	shows := func(r *server) bool {
		_, body := get(b, r.address, r.request(path))
		return shown(body)
	}
	for range 3 {
		if !shows(first) {
			b.Errorf("%s is not shown where it was made", change)
		}
	}
	for !shows(second) {
		if time.Since(answered) > limit {
			b.Errorf("%s is not shown at the other replica", change)
			return
		}
	}
}

// edit changes an activity of the first page once a second until it is stopped.
func edit(b *testing.B, first, second *server) (stop func()) {
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
			requireFresh(b, first, second, path, "an edit", func(page []byte) bool { return bytes.Contains(page, []byte(title)) })
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
			}
		}
	})
	return func() { cancel(); all.Wait() }
}

// stir changes a rate, changes a product at a partner and triggers a sync, during other reads.
// It does so before the measurement: a rate invalidates every page, and the time to render
// them again would dominate the result. It restores the rate at the end.
func stir(b *testing.B, first, second *server, paths []string) {
	partner := aScriptedPartner(b)
	partner.sells("a", "b", "c")
	products := partner.body.Load().(string)
	var made struct{ Data registered }
	asked := fmt.Sprintf(`{"name":"New Town Walks","base_url":%q,"auth_key":"partner-key"}`, partner.address)
	must(b, json.Unmarshal(first.send(b, http.MethodPost, "/api/v1/partner-integrations", asked), &made))
	pull := func() {
		first.send(b, http.MethodPost, "/api/v1/partner-integrations/"+made.Data.ID+"/sync/trigger", "", header{"x-webhook-secret", made.Data.Secret})
	}
	pull()
	for _, rate := range []string{"200", "150.5", "171.94"} {
		wait := whileRead(b, first, paths)
		yen := resellersList + "?limit=20&page=3&currency=JPY"
		_, before := get(b, first.address, first.request(yen))
		first.send(b, http.MethodPut, "/api/v1/operator/rates", `{"base":"EUR","rates":{"JPY":"`+rate+`"}}`)
		requireFresh(b, first, second, yen, "a rate", func(page []byte) bool { return !bytes.Equal(page, before) })

		policy := rate + " hours"
		partner.body.Store(strings.Replace(products, "24 hours", policy, 1))
		pull()
		last := fmt.Sprintf("%s?limit=20&page=%d&currency=USD", resellersList, len(paths)/len(listCurrencies)+1) // the page with the newest activities
		requireFresh(b, first, second, last, "a sync", func(page []byte) bool { return bytes.Contains(page, []byte(policy)) })
		wait()
	}
}

// whileRead reads the pages for a while. The function that it returns waits until that ends.
func whileRead(b *testing.B, r *server, paths []string) (wait func()) {
	requests := make([][]byte, len(paths))
	for i, path := range paths {
		requests[i] = r.request(path)
	}
	var all sync.WaitGroup
	all.Go(func() { load(b, r.address, requests, http.StatusOK, loadTime()) })
	return all.Wait
}
