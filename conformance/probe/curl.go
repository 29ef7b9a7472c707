package probe

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// KeyVariable is the environment variable that stands for the key in curl
// lines and that the command reads it from.
const KeyVariable = "CONFORMANCE_AUTH_KEY"

// longestCurlBody bounds the body in a curl line, in bytes.
const longestCurlBody = 4096

// curl returns the command line that repeats a request. Where the request bore
// the partner's key the line takes it from the environment.
func curl(method, address string, header http.Header, body []byte, key Key, bearer bool, limit time.Duration, redact func(string) string) string {
	line := []string{"curl", "-i", "--path-as-is", "--max-time", fmt.Sprintf("%.0f", max(1, limit.Seconds())), "-X", method}
	names := make([]string, 0, len(header))
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if name == "Authorization" && key == GoodKey {
			scheme := ""
			if bearer {
				scheme = "Bearer "
			}
			line = append(line, "-H", `"Authorization: `+scheme+`$`+KeyVariable+`"`)
			continue
		}
		line = append(line, "-H", quote(name+": "+redact(header.Get(name))))
	}
	switch {
	case len(body) > longestCurlBody:
		line = append(line, "--data-raw", quote(fmt.Sprintf("(a body of %d bytes)", len(body))))
	case len(body) > 0:
		line = append(line, "--data-raw", quote(redact(string(body))))
	}
	return strings.Join(append(line, quote(redact(address))), " ")
}

// quote makes one word of a POSIX shell of s.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
