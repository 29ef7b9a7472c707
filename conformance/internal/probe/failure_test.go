package probe_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/connection"
	"partnerkit.dev/internal/connection/connectiontest"
	"partnerkit.dev/schemas/partnerapi"
)

func TestEveryFailureIsReportedByItsKind(t *testing.T) {
	t.Parallel()
	unknownAuthority := httptest.NewUnstartedServer(http.NotFoundHandler())
	unknownAuthority.Config.ErrorLog = nil
	unknownAuthority.StartTLS()
	t.Cleanup(unknownAuthority.Close)
	silent := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	headerOnly := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	for name, test := range map[string]struct {
		address  string
		kind     report.FailureKind
		says     string
		brokeOff bool
	}{
		"nothing listens":                {"http://127.0.0.1:1", report.Refused, "connection refused", false},
		"a name without address":         {"http://partner.invalid", report.Unresolved, `"partner.invalid" has no address`, false},
		"an unknown authority":           {unknownAuthority.URL, report.TLS, "unknown authority", false},
		"no TLS where it is wanted":      {"https://" + connectiontest.Speak(t, "HTTP/1.1 400 Bad Request\r\n\r\n"), report.TLS, "plain HTTP", false},
		"garbage in place of TLS":        {"https://" + connectiontest.Speak(t, "garbage"), report.TLS, "the TLS handshake failed", false},
		"a handshake that breaks off":    {"https://" + connectiontest.Speak(t, ""), report.TLS, "closed during the TLS handshake", false},
		"nothing":                        {"http://" + connectiontest.Speak(t, ""), report.Reset, "closed before an answer began", false},
		"half a body":                    {"http://" + connectiontest.Speak(t, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[1"), report.Reset, "closed before the answer was complete", true},
		"half a chunk":                   {"http://" + connectiontest.Speak(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n[1"), report.Reset, "closed before the answer was complete", true},
		"a broken chunk":                 {"http://" + connectiontest.Speak(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"), report.Protocol, "the body cannot be read", true},
		"no gzip where it is declared":   {"http://" + connectiontest.Speak(t, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n01234567890123456789"), report.Protocol, "Content-Encoding says gzip, but it is not gzip", true},
		"no x-gzip where it is declared": {"http://" + connectiontest.Speak(t, "HTTP/1.1 200 OK\r\nContent-Encoding: X-GZIP\r\nContent-Length: 20\r\n\r\n01234567890123456789"), report.Protocol, "Content-Encoding says gzip, but it is not gzip", true},
		"a coding that is not requested": {"http://" + connectiontest.Speak(t, "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\n[]"), report.Protocol, `its Content-Encoding is "br"`, true},
		"two codings":                    {"http://" + connectiontest.Speak(t, "HTTP/1.1 200 OK\r\nContent-Encoding: deflate, gzip\r\nContent-Length: 2\r\n\r\n[]"), report.Protocol, `its Content-Encoding is "deflate, gzip"`, true},
		"garbage":                        {"http://" + connectiontest.Speak(t, "garbage\r\n\r\n"), report.Protocol, "does not speak HTTP", false},
		"a header without an end":        {"http://" + connectiontest.Speak(t, "HTTP/1.1 200 OK\r\n"+strings.Repeat("X-Y: z\r\n", 200_000)), report.Protocol, "header", false},
		"no answer":                      {silent, report.Timeout, "no complete answer within 200ms", false},
		"no body":                        {headerOnly, report.Timeout, "no complete answer within 200ms", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call := get()
			if test.kind == report.Timeout {
				call.Deadline = 200 * time.Millisecond
			}
			answer := newClient(t, test.address, "").Do(t.Context(), call)
			if answer.Failure == nil || answer.Failure.Kind != test.kind || !strings.Contains(answer.Failure.Message, test.says) {
				t.Fatalf("want %s, %q, got %+v", test.kind, test.says, answer.Failure)
			}
			if answer.HasStatus(200) || answer.BrokeOff(200) != test.brokeOff || answer.Raw != nil {
				t.Errorf("want an answer that broke off: %t, got %+v", test.brokeOff, answer.Exchange)
			}
			if answer.Curl == "" || answer.Request.Method != http.MethodGet || answer.Duration <= 0 {
				t.Errorf("want the request as evidence, got %+v", answer.Exchange)
			}
		})
	}
}

func TestAFailuresMessageIsShortAndWithoutTheKey(t *testing.T) {
	t.Parallel()
	for name, bytes := range map[string]string{
		"garbage with the key":            goodKey + "\r\n\r\n",
		"garbage without an end":          strings.Repeat("garbage ", 100_000) + "\r\n\r\n",
		"a header without a colon":        "HTTP/1.1 200 OK\r\n" + strings.Repeat(goodKey, 1000) + "\r\n\r\n",
		"an invalid status":               "HTTP/1.1 " + strings.Repeat("9", 300_000) + " OK\r\n\r\n",
		"an invalid length":               "HTTP/1.1 200 OK\r\nContent-Length: " + goodKey + "\r\n\r\n",
		"an unknown encoding":             "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + goodKey + "\r\n\r\n",
		"a key at the end of the excerpt": strings.Repeat("g", 420) + goodKey + "\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := newClient(t, "http://"+connectiontest.Speak(t, bytes), "").Do(t.Context(), get())
			if answer.Failure == nil {
				t.Fatalf("want a failure, got %+v", answer.Response)
			}
			if message := answer.Failure.Message; len(message) > 520 || strings.Contains(message, goodKey[:4]) {
				t.Errorf("want a short message without the key, got %d bytes: %q", len(message), message)
			}
		})
	}
}

// A partner that has answered before and does not take a connection any more is
// late; one that never answered is not there.
func TestAServerThatAcceptsNoConnectionAnyMoreIsLate(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = conn.Read(make([]byte, 4<<10))
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		_ = conn.Close()
	}()
	client := newClient(t, "http://"+listener.Addr().String(), "")
	if answer := client.Do(t.Context(), get()); !answer.HasStatus(200) {
		t.Fatalf("want 200 at first, got %+v", answer.Failure)
	}
	call := get()
	call.Deadline = 200 * time.Millisecond
	if answer := client.Do(t.Context(), call); answer.Failure == nil || answer.Failure.Kind != report.Timeout {
		t.Errorf("want a timeout, got %+v", answer.Failure)
	}
}

// arguments runs a curl line in a shell whose curl prints its arguments, each
// ended by a byte that none of them holds.
func arguments(t *testing.T, line, key string) []string {
	t.Helper()
	shell := exec.Command("sh", "-c", "curl() { printf '%s\\001' \"$@\"; }\n"+line)
	shell.Env = []string{probe.KeyVariable + "=" + key}
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("sh -c %s: %v\n%s", line, err, out)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x01"), "\x01")
}

// value returns the argument behind a flag.
func value(t *testing.T, arguments []string, flag string) string {
	t.Helper()
	at := slices.Index(arguments, flag)
	if at < 0 || at+1 == len(arguments) {
		t.Fatalf("want %s in %q", flag, arguments)
	}
	return arguments[at+1]
}

func TestCurlLinesRepeatTheRequestWhateverItHolds(t *testing.T) {
	t.Parallel()
	address := serve(t, func(http.ResponseWriter, *http.Request) {})
	for name, text := range map[string]string{
		"plain":              "R-1",
		"single quotes":      "it's 'so'",
		"double quotes":      `say "so"`,
		"a command":          "$(touch /tmp/x) `id` ${HOME} $HOME",
		"an end of command":  "; exit 1 & | > /dev/null # no",
		"backslashes":        `\n \\ \' \" \`,
		"a line break":       "one\ntwo\r\n",
		"braces, brackets":   "{a,b}[1-9]*?~!",
		"a leading dash":     "--output /tmp/x",
		"a leading at sign":  "@/etc/passwd",
		"slashes":            "a/b/../c",
		"dots":               "..",
		"percent signs":      "100%2F",
		"other alphabets":    "鍵 🔑",
		"nothing but spaces": "   ",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, address, "")
			body := []byte(text) // no JSON, which is no matter here
			answer := client.Do(t.Context(), probe.Call{
				Endpoint: partnerapi.Release, Method: http.MethodDelete, Path: partnerapi.ReleasePath(text),
				Body: body, Limit: 10 * time.Second, Deadline: time.Minute,
			})
			got := arguments(t, answer.Curl, goodKey)
			if got[len(got)-1] != address+partnerapi.ReleasePath(text) {
				t.Errorf("want the address last, got %q", got)
			}
			if data := value(t, got, "--data-raw"); data != text {
				t.Errorf("want the body %q, got %q", text, data)
			}
			if method := value(t, got, "-X"); method != http.MethodDelete {
				t.Errorf("want -X DELETE, got %q", method)
			}
			if most := value(t, got, "--max-time"); most != "10" {
				t.Errorf("want the limit as --max-time, got %q", most)
			}
			for _, want := range []string{"Authorization: Bearer " + goodKey, "Content-Type: application/json", "Accept: application/json", "-i", "--globoff", "--path-as-is"} {
				if !slices.Contains(got, want) {
					t.Errorf("want %q among %q", want, got)
				}
			}
		})
	}
}

func TestACurlLineOfALargeBodySaysHowLargeItIs(t *testing.T) {
	t.Parallel()
	address := serve(t, func(http.ResponseWriter, *http.Request) {})
	line := newClient(t, address, "").Do(t.Context(), probe.Call{
		Method: http.MethodPost, Path: "/availability", Body: []byte(strings.Repeat("x", 5000)), Deadline: time.Minute,
	}).Curl
	if got := value(t, arguments(t, line, goodKey), "--data-raw"); got != "(a body of 5000 bytes)" {
		t.Errorf("want the size in place of the body, got %q", got)
	}
}

func TestABodyIsDeclaredAsTheCallSays(t *testing.T) {
	t.Parallel()
	types := make(chan []string, 1)
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) { types <- r.Header["Content-Type"] })
	for _, test := range []struct {
		bodyType string
		sent     []string
		curl     string // the header of its line
	}{
		{"", []string{"application/json"}, "Content-Type: application/json"},
		{"text/plain", []string{"text/plain"}, "Content-Type: text/plain"},
		{probe.NoType, nil, "Content-Type:"},
	} {
		line := newClient(t, address, "").Do(t.Context(), probe.Call{
			Method: http.MethodPost, Path: "/availability", Body: []byte("{}"), BodyType: test.bodyType, Deadline: time.Minute,
		}).Curl
		if sent := <-types; !slices.Equal(sent, test.sent) {
			t.Errorf("%q: want the content type %q, got %q", test.bodyType, test.sent, sent)
		}
		if got := arguments(t, line, goodKey); !slices.Contains(got, test.curl) {
			t.Errorf("%q: want curl to send %q, got %q", test.bodyType, test.curl, got)
		}
	}
}

func TestWhatFailsBelowHTTPHasTheCauseThatTheMarketplaceNames(t *testing.T) {
	t.Parallel()
	for _, way := range connectiontest.Ways(t) {
		if way.Name == "another protocol" {
			continue // the suite judges it as an answer
		}
		t.Run(way.Name, func(t *testing.T) {
			t.Parallel()
			base, err := url.Parse(way.Address)
			if err != nil {
				t.Fatal(err)
			}
			client := probe.NewClient(probe.Config{BaseURL: base, AuthType: partnerapi.Bearer, AuthKey: goodKey, UserAgent: "a-test", RootCAs: way.Roots})
			t.Cleanup(client.Close)
			call := get()
			if way.Cause == connection.Timeout {
				call.Deadline = 200 * time.Millisecond
			}
			if answer := client.Do(t.Context(), call); answer.Failure == nil || !strings.HasPrefix(answer.Failure.Message, string(way.Cause)+": ") {
				t.Errorf("Expected %s, received %+v", way.Cause, answer.Failure)
			}
		})
	}
}
