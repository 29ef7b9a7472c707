package probe

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"partnerkit.dev/schemas/partnerapi"
)

// KeyVariable is the environment variable that stands for the key in curl
// lines and that the command reads it from.
const KeyVariable = "CONFORMANCE_AUTH_KEY"

// longestCurlBody bounds the body in a curl line, in bytes.
const longestCurlBody = 4096

// curl returns the command line that repeats a call; address and header are
// those of its request. Where the call bore the partner's key the line takes it
// from the environment.
func curl(call Call, address string, header http.Header, auth partnerapi.AuthType, redact func(string) string) string {
	line := []string{
		"curl", "-i", "--globoff", "--path-as-is", "--max-time", fmt.Sprintf("%.0f", max(1, cmp.Or(call.Limit, call.Deadline).Seconds())), "-X", call.Method,
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if name == "Authorization" && call.Key == GoodKey {
			line = append(line, "-H", `"Authorization: `+auth.Authorization("$"+KeyVariable)+`"`)
			continue
		}
		line = append(line, "-H", quote(name+": "+redact(header.Get(name))))
	}
	if len(call.Body) > 0 && header.Get("Content-Type") == "" {
		line = append(line, "-H", quote("Content-Type:")) // else curl declares it as a form
	}
	switch {
	case len(call.Body) > longestCurlBody:
		line = append(line, "--data-raw", quote(fmt.Sprintf("(a body of %d bytes)", len(call.Body))))
	case len(call.Body) > 0:
		line = append(line, "--data-raw", quote(redact(string(call.Body))))
	}
	return strings.Join(append(line, quote(address)), " ")
}

// quote makes one word of a POSIX shell of s.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
