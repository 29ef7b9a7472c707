package live_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/traffic/live"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/recording"
)

const (
	key   = "a-key-of-a-partner-7f3a"
	guest = "Ottilie Winterbottom"
	short = "Bo"
	email = "ottilie@example.org"
	phone = "+44 20 7946 0958"
)

// startWatcher judges with these options until the test stops it.
func startWatcher(options live.Options) *live.Watcher {
	w := live.New(options)
	go w.Run(func(*live.Findings) {})
	return w
}

// stop has everything judged, and returns what was found.
func stop(t *testing.T, w *live.Watcher) *live.Findings {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return w.Stop(ctx)
}

// pass sends a watcher a call with its answer, as a proxy does.
func pass(t testing.TB, w *live.Watcher, method, path, body string, status int, answer string) {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + key}, "Content-Type": {"application/json"}, "X-Api-Key": {key}, "Cookie": {"s=" + key}}
	c := w.Begin(method, "https://partner.example/api"+path, header)
	for _, reader := range []io.ReadCloser{
		c.Sends(io.NopCloser(strings.NewReader(body))),
		c.Receives(status, http.Header{"Content-Type": {"application/json"}, "X-Echo": {key}}, int64(len(answer)), io.NopCloser(strings.NewReader(answer))),
	} {
		if _, err := io.Copy(io.Discard, reader); err != nil {
			t.Fatal(err)
		}
	}
	c.End(false)
}

func reserve(name string) string {
	return `{"productId":"walk","optionId":"tour","availabilityId":"s1","units":[{"id":"unit-adult","quantity":1}],"contact":{"fullName":"` + name +
		`","emailAddress":"` + email + `","phoneNumber":"` + phone + `"},"resellerReference":"r-` + name[:2] + `"}`
}

func holdBody(code string) string {
	return `{"reservationConfirmationCode":"` + code + `","expiresAt":"` + time.Now().Add(20*time.Minute).UTC().Format(time.RFC3339) + `","note":"for ` + guest + `, ` + email + `"}`
}

// confirmTwice is a hold whose second confirm gives another booking.
func confirmTwice(t testing.TB, w *live.Watcher) {
	pass(t, w, "POST", "/bookings/reserve", reserve(guest), 200, holdBody("R1"))
	for _, id := range []string{"B1", "B2"} {
		pass(t, w, "POST", "/bookings/confirm", `{"reservationConfirmationCode":"R1","contact":{"fullName":"`+short+`","phoneNumber":"`+phone+`"}}`, 200,
			`{"externalBookingId":"`+id+`","status":"CONFIRMED","message":"Thank you, `+short+` alias `+guest+`","key":"`+key+`"}`)
	}
}

func isBroken(r *report.Result, id string) bool {
	for _, one := range r.Rules {
		if one.ID == id {
			return one.Outcome == report.Failed || one.Outcome == report.Warned
		}
	}
	return false
}

func TestCallsThatPassAreJudgedTogether(t *testing.T) {
	t.Parallel()
	w := startWatcher(live.Options{})
	confirmTwice(t, w)
	found := stop(t, w)
	if !isBroken(found.Result, "confirm.repeat.booking") || found.Result.Verdict != report.Nonconformant || !found.Complete {
		t.Errorf("Expected the second booking to be found, received %s, %v", found.Result.Verdict, found.Result.Summary)
	}
	if found.Result.Coverage.Calls != 3 || found.Result.Coverage.Holds != 1 {
		t.Errorf("Expected 3 calls and a hold, received %+v", found.Result.Coverage)
	}
}

func TestCallsAreJudgedInTheOrderOfTheirBeginnings(t *testing.T) {
	t.Parallel()
	var order []string
	w := startWatcher(live.Options{Judged: func(x recording.Exchange) { order = append(order, x.URL.RawQuery) }})
	first := w.Begin("GET", "https://partner.example/products?limit=1", http.Header{})
	second := w.Begin("GET", "https://partner.example/products?limit=2", http.Header{})
	for _, c := range []*live.Call{second, first} {
		_, _ = io.ReadAll(c.Receives(200, http.Header{}, 2, io.NopCloser(strings.NewReader("[]"))))
		c.End(false)
	}
	if stop(t, w); fmt.Sprint(order) != "[limit=1 limit=2]" {
		t.Errorf("Expected the call that began first to be judged first, received %v", order)
	}
}

func TestABlockedJudgeDelaysNoCallAndReportsWhatItMissed(t *testing.T) {
	t.Parallel()
	blocked, release := make(chan struct{}, 1), make(chan struct{})
	w := startWatcher(live.Options{MostCalls: 10, Judged: func(recording.Exchange) {
		select {
		case blocked <- struct{}{}:
		default:
		}
		<-release
	}})
	defer close(release)
	pass(t, w, "GET", "/products", "", 200, "[]")
	<-blocked
	for range 1000 { // each returns although nothing is judged
		pass(t, w, "GET", "/products", "", 200, "[]")
	}
	for path, want := range map[string]string{
		"/":        "991 calls passed without being judged",
		"/metrics": `conformance_proxy_not_judged_total{reason="room"} 991`,
	} {
		answer := httptest.NewRecorder()
		w.Admin().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		if !strings.Contains(answer.Body.String(), want) {
			t.Errorf("Expected %q at %s, received\n%s", want, path, answer.Body)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if found := w.Stop(ended); found.Complete {
		t.Error("Expected findings that say that they are not complete")
	}
}

func TestCallsWithoutRoomAreNotJudgedAndBreakNoRule(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	first := true
	w := startWatcher(live.Options{MostCalls: 2, Judged: func(recording.Exchange) {
		if first {
			first = false
			close(entered)
			<-release
		}
	}})
	pass(t, w, "POST", "/bookings/reserve", reserve(guest), 200, holdBody("R1"))
	<-entered
	pass(t, w, "GET", "/products", "", 200, "[]")
	pass(t, w, "DELETE", "/bookings/R1", "", 200, `{"success":true}`) // there is no room for it
	close(release)
	for w.PendingCalls() > 0 {
		select {
		case <-time.After(time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("Expected room again")
		}
	}
	pass(t, w, "POST", "/bookings/confirm", `{"reservationConfirmationCode":"R1"}`, 400, `{"message":"released"}`)
	found := stop(t, w)
	if found.Result.Summary[report.Failed] > 0 || found.Result.Coverage.CallsNotJudged != 1 || found.Result.Coverage.Calls != 3 {
		t.Errorf("Expected nothing held against the partner, and one call not judged, received %v, %+v", found.Result.Summary, found.Result.Coverage)
	}
}

func TestMemoryForCopiesIsBounded(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	first := true
	w := startWatcher(live.Options{MostBytes: 1 << 20, Judged: func(recording.Exchange) {
		if first {
			first = false
			close(entered)
			<-release
		}
	}})
	pass(t, w, "GET", "/products", "", 200, "[]")
	<-entered
	for range 50 {
		pass(t, w, "GET", "/products", "", 200, "["+strings.Repeat(" ", 100_000)+"]")
	}
	if held := w.Memory(); held > 1<<20 {
		t.Errorf("Expected at most 1 MiB, received %d bytes", held)
	}
	close(release)
	found := stop(t, w)
	if found.Dropped < 40 || found.Result.Coverage.Calls+int(found.Dropped) != 51 || w.Memory() != 0 {
		t.Errorf("Expected most calls not judged, and no memory in the end, received %d, %d judged, %d bytes", found.Dropped, found.Result.Coverage.Calls, w.Memory())
	}
}

func TestARecordingIsJudgedAsTheCallsWere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"calls.jsonl", "calls.jsonl.gz"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			name := filepath.Join(t.TempDir(), name)
			var all *live.Findings
			for range 2 { // a restart appends
				recorder, err := live.Record(name, func(err error) { t.Error(err) })
				if err != nil {
					t.Fatal(err)
				}
				w := startWatcher(live.Options{Recorder: recorder})
				confirmTwice(t, w)
				all = stop(t, w)
				if err := recorder.Close(); err != nil {
					t.Error(err)
				}
				if all.Result.Summary[report.Failed] == 0 {
					t.Fatal("Expected a breach")
				}
				recorded, err := suite.JudgeRecorded(t.Context(), suite.Recorded{Files: []string{name}})
				if err != nil {
					t.Fatal(err)
				}
				if recorded.Result.Coverage.Calls == 3 {
					for i, r := range recorded.Result.Rules {
						if want := all.Result.Rules[i]; r.Outcome != want.Outcome {
							t.Errorf("%s: expected %s, received %s", r.ID, want.Outcome, r.Outcome)
						}
					}
				} else if recorded.Result.Coverage.Calls != 6 {
					t.Errorf("Expected 3 calls, and then 6, received %d", recorded.Result.Coverage.Calls)
				}
			}
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("Expected a file for its owner only, received %v, %v", info.Mode(), err)
			}
		})
	}
}

func TestARecordingWhoseLastLineWasCutIsReadAndContinued(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "calls.jsonl")
	for range 2 {
		recorder, err := live.Record(name, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		w := startWatcher(live.Options{Recorder: recorder})
		confirmTwice(t, w)
		stop(t, w)
		_ = recorder.Close()
		file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = file.WriteString(`{"startedDateTime":"2026-07-01T12:00:00Z","req`)
		_ = file.Close()
	}
	recorded, err := suite.JudgeRecorded(t.Context(), suite.Recorded{Files: []string{name}})
	if err != nil || recorded.Result.Coverage.Calls != 6 {
		t.Errorf("Expected the 6 complete calls, received %v, %v", recorded, err)
	}
}

func TestKeysAndCustomersAreNowhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	recorder, err := live.Record(filepath.Join(dir, "calls.jsonl"), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	w := startWatcher(live.Options{Recorder: recorder, Upstream: "https://partner.example/" + url.PathEscape(key)})
	confirmTwice(t, w)
	pass(t, w, "POST", "/bookings/reserve", "name="+url.QueryEscape(guest)+"&mail="+email, 500, "<p>"+guest+" "+email+" "+key+"</p>")
	pass(t, w, "POST", "/bookings/B1/cancel", `{"reason":"x"}`, 500, `{"message":"`+base64.StdEncoding.EncodeToString([]byte("Bearer "+key))+`"}`)
	pass(t, w, "GET", "/products", "", 200, `[{"id":"`+key+`","note":"`+hex.EncodeToString([]byte(key))+`"}]`)
	found := stop(t, w)
	_ = recorder.Close()
	outcome := &suite.Outcome{Result: found.Result, Redactor: found.Redactor}
	if _, _, err := outcome.WriteReports(dir, "report.json", "report.html", "report.md", "junit.xml"); err != nil {
		t.Error(err)
	}
	texts := map[string][]byte{}
	for _, path := range []string{"/", "/metrics"} {
		answer := httptest.NewRecorder()
		w.Admin().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		texts[path] = answer.Body.Bytes()
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 5 {
		t.Fatalf("Expected five files, received %v, %v", files, err)
	}
	for _, file := range files {
		if texts[file.Name()], err = os.ReadFile(filepath.Join(dir, file.Name())); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range texts {
		for _, secret := range []string{
			key, url.QueryEscape(key), hex.EncodeToString([]byte(key)), base64.StdEncoding.EncodeToString([]byte("Bearer " + key)),
			guest, url.QueryEscape(guest), "Winterbottom", email, url.QueryEscape(email), phone, `"` + short + `"`,
		} {
			if at := bytes.Index(text, []byte(secret)); at >= 0 {
				t.Errorf("%s: expected no %q, received …%s…", name, secret, text[max(0, at-100):min(len(text), at+100)])
			}
		}
	}
}

func TestTheStatusPageAnswersToNoNameThatWasRebound(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(live.New(live.Options{}).Admin())
	t.Cleanup(server.Close)
	for host, want := range map[string]int{"": http.StatusOK, "rebound.example": http.StatusForbidden} {
		for _, path := range []string{"/", "/metrics", "/healthz"} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Host = host
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("%s with the name %q: expected %d, received %d", path, host, want, answer.StatusCode)
			}
		}
	}
}
