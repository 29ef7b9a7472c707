package api

import (
	"net/http"
	"strconv"
	"strings"

	"partnerkit.dev/marketplace/internal/storefront"
)

// leastGzip is from how many bytes on a body is worth to be compressed.
const leastGzip = 1 << 10

// writeCached writes an answer that is kept ready: nothing but its headers where the caller
// has it already, else compressed where that is taken.
func writeCached(w http.ResponseWriter, r *http.Request, answer *storefront.Answer) {
	x := exchangeOf(r.Context())
	x.set("Etag", answer.ETag)
	x.set("Cache-Control", "private, no-cache") // kept by the caller, and asked about each time
	x.set("Vary", "Accept-Encoding")
	if names(r.Header.Values("If-None-Match"), answer.ETag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := answer.Body
	if len(body) >= leastGzip && takesGzip(r.Header.Values("Accept-Encoding")) {
		if smaller := answer.Gzip(); smaller != nil {
			x.set("Content-Encoding", "gzip")
			body = smaller
		}
	}
	x.set("Content-Type", "application/json")
	x.set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // whoever is gone cannot be told
}

// names reports whether an If-None-Match names the tag. Whether a tag is weak does not
// matter (RFC 9110, 13.1.2).
func names(fields []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for _, field := range fields {
		for rest := field; rest != ""; {
			// A tag may hold a comma: from quote to quote.
			rest = strings.TrimLeft(rest, ", \t")
			if strings.HasPrefix(rest, "*") {
				return true
			}
			rest = strings.TrimPrefix(rest, "W/")
			end := strings.IndexByte(strings.TrimPrefix(rest, `"`), '"')
			if !strings.HasPrefix(rest, `"`) || end < 0 {
				break
			}
			if rest[:end+2] == tag {
				return true
			}
			rest = rest[end+2:]
		}
	}
	return false
}

// takesGzip reports whether an Accept-Encoding takes gzip: by its name, else by *, with
// a q above 0 (RFC 9110, 12.5.3).
func takesGzip(fields []string) bool {
	any := false
	for _, field := range fields {
		for coding := range strings.SplitSeq(field, ",") {
			name, parameter, _ := strings.Cut(coding, ";")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "gzip", "x-gzip":
				return wanted(parameter)
			case "*":
				any = wanted(parameter)
			}
		}
	}
	return any
}

// wanted reports whether a coding's parameter, such as q=0.5, leaves it wanted.
func wanted(parameter string) bool {
	name, weight, given := strings.Cut(parameter, "=")
	if !given || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return true
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
	return err == nil && q > 0
}
