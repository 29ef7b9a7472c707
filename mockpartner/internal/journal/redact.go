package journal

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
)

// redacted stands for a credential.
const redacted = "[redacted]"

// maxLater bounds the secrets that came to be known later: those of before the
// last so many are forgotten.
const maxLater = 16

// Blank has another secret blanked wherever a request holds it from now on.
func (j *Journal) Blank(secret string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	later := append(slices.Clone(j.later), tellable([]string{secret}))
	j.later = later[max(len(later)-maxLater, 0):]
}

func (j *Journal) blanked() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.later) == 0 {
		return j.secrets
	}
	return slices.Concat(append([][]string{j.secrets}, j.later...)...)
}

func redact(e Exchange, secrets []string) Exchange {
	e.Request.Header = redactHeader(e.Request.Header)
	for _, secret := range secrets {
		e.Target = strings.ReplaceAll(e.Target, secret, redacted)
		if bytes.Contains(e.Request.Body, []byte(secret)) {
			e.Request.Body = bytes.ReplaceAll(e.Request.Body, []byte(secret), []byte(redacted))
		}
		for _, values := range e.Request.Header {
			for i, value := range values {
				values[i] = strings.ReplaceAll(value, secret, redacted)
			}
		}
	}
	return e
}

// redactHeader copies a header without its credentials. Of Authorization the
// form stays, since the form is part of the contract (AUTH-1).
func redactHeader(header http.Header) http.Header {
	kept := header.Clone()
	for _, name := range []string{"Authorization", "Proxy-Authorization", "Cookie"} {
		for i, value := range kept[name] {
			kept[name][i] = redacted
			if scheme, _, found := strings.Cut(value, " "); found && strings.EqualFold(scheme, "Bearer") {
				kept[name][i] = scheme + " " + redacted
			}
		}
	}
	return kept
}
