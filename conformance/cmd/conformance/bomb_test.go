//go:build unix

package main_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"partnerkit.dev/internal/bombtest"
)

func TestARecordingThatExpandsTakesNoMoreMemoryThanARun(t *testing.T) {
	t.Parallel()
	bombtest.EachFile(t, func(t *testing.T, file string) {
		p := startProcess(t, nil, "judge", file, "--report-dir", t.TempDir())
		if r := p.wait(t); r.code < 0 || r.code > 2 {
			t.Errorf("Expected a verdict or a refusal, received exit %d\n%s", r.code, r.stderr)
		}
		p.staysSmall(t)
	})
}

// The judge of a marketplace reads the calls to all its partners.
func TestAPartnerWhoseAnswersExpandDoesNotKeepTheJudgeFromOthers(t *testing.T) {
	t.Parallel()
	judging := exec.CommandContext(t.Context(), command(), "judge", "--follow", "--partial", "--announce", "-")
	judging.Env = append(os.Environ(), "GOMEMLIMIT=256MiB", "GOGC=100")
	input, err := judging.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out, wrong bytes.Buffer
	judging.Stdout, judging.Stderr = &out, &wrong
	wait, err := bombtest.Watch(judging)
	if err != nil {
		t.Fatal(err)
	}
	other := func(second int, path, sent, answer string) string {
		return fmt.Sprintf(`{"startedDateTime":"2026-07-01T12:00:%02dZ","time":1,"_history":"other","request":{"method":"POST","url":"https://b.example/bookings/%s","headers":[{"name":"Content-Type","value":"application/json"}],"postData":{"text":%q}},"response":{"status":200,"headers":[{"name":"Content-Type","value":"application/json"}],"content":{"text":%q}}}`+"\n", second, path, sent, answer)
	}
	attack := func() {
		for _, recording := range bombtest.Recordings(t) {
			if recording.Text[0] == '{' { // the marketplace compresses no line
				_, err = io.Copy(input, bytes.NewReader(bytes.ReplaceAll(recording.Text, []byte(`{"startedDateTime"`), []byte(`{"_history":"attacker","startedDateTime"`))))
			}
		}
	}
	const confirm, confirmed = `{"reservationConfirmationCode":"R1"}`, `{"externalBookingId":"%s","status":"CONFIRMED"}`
	const reserved = `{"productId":"p","optionId":"o","availabilityId":"a","units":[{"id":"unit-adult","quantity":1}]}`
	_, _ = io.WriteString(input, other(0, "reserve", reserved, `{"reservationConfirmationCode":"R1","expiresAt":"2026-07-01T12:20:00Z"}`))
	_, _ = io.WriteString(input, other(1, "confirm", confirm, fmt.Sprintf(confirmed, "B1")))
	attack()
	_, _ = io.WriteString(input, other(2, "confirm", confirm, fmt.Sprintf(confirmed, "B2")))
	if err := input.Close(); err != nil {
		t.Fatal(err)
	}
	memory, _ := wait() // its exit code says the rest
	if code := judging.ProcessState.ExitCode(); code != 1 || !strings.Contains(out.String(), `"history":"other","rule":"confirm.repeat.booking"`) {
		t.Errorf("Expected the breach of the other partner, received exit %d, %s\n%.2000s", code, wrong.String(), out.String())
	}
	if !strings.Contains(out.String(), `{"history":"attacker"}`+"\n"+`{"history":"other"}`) {
		t.Errorf("Expected the name of each history before its calls are judged, received %.2000s", out.String())
	}
	if memory > mostBytes {
		t.Errorf("Expected less than %d MiB of memory, received %d", mostBytes>>20, memory>>20)
	}
}

func TestAProxyOfAPartnerWhoseAnswersExpandStaysWithinItsMemory(t *testing.T) {
	t.Parallel()
	large, small := bombtest.Body(t, 63), bombtest.Body(t, 3)
	partner := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		if strings.HasPrefix(r.URL.Path, "/products") {
			_, _ = w.Write(large)
		} else {
			_, _ = w.Write(small)
		}
	})
	p := startProxy(t, partner, "--max-memory", "128")
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for n := range 12 { // far more than fits, expanded
				path, method := "/products", http.MethodGet
				if n%2 == 0 {
					path, method = "/availability", http.MethodPost
				}
				request, err := http.NewRequestWithContext(t.Context(), method, p.address+path, strings.NewReader("{}"))
				if err != nil {
					t.Error(err)
					return
				}
				request.Header.Set("Accept-Encoding", "gzip") // the client does not decompress it
				answer, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
		})
	}
	callers.Wait()
	p.stop(t) // on a slow machine before its judge has come to a call
	if p.memory > 128<<20+mostBytes {
		t.Errorf("Expected less than %d MiB of memory, received %d", (128<<20+mostBytes)>>20, p.memory>>20)
	}
}
