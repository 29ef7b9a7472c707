package probe_test

import (
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

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
