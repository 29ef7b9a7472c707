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

// longestCurlBody is the longest body in a curl command, in bytes.
const longestCurlBody = 4096

// curl returns the command that repeats a call; address and header are those of its request. If the
// call used the partner's key, the command takes the key from the environment.
func curl(call Call, address string, header http.Header, auth partnerapi.AuthType, redact func(string) string) string {
	line := []string{
		"curl", "-i", "--globoff", "--path-as-is", "--max-time", fmt.Sprintf("%.0f", max(1, cmp.Or(call.Limit, call.Deadline).Seconds())), "-X", call.Method,
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if name == "Authorization" && call.Key.inShell() != "" {
			line = append(line, "-H", `"Authorization: `+call.Key.authorization(auth, call.Key.inShell())+`"`)
			continue
		}
		if name == otherHeader {
			line = append(line, "-H", `"`+name+`: $`+KeyVariable+`"`)
			continue
		}
		if header.Get(name) == "" {
			line = append(line, "-H", quote(name+";")) // curl's syntax for an empty header
			continue
		}
		line = append(line, "-H", quote(name+": "+redact(header.Get(name))))
	}
	if len(call.Body) > 0 && header.Get("Content-Type") == "" {
		line = append(line, "-H", quote("Content-Type:")) // otherwise curl declares it as a form
	}
	switch {
	case len(call.Body) > longestCurlBody:
		line = append(line, "--data-raw", quote(fmt.Sprintf("(a body of %d bytes)", len(call.Body))))
	case len(call.Body) > 0:
		line = append(line, "--data-raw", quote(redact(string(call.Body))))
	}
	return strings.Join(append(line, quote(address)), " ")
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
