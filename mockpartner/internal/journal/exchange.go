package journal

import (
	"net/http"
	"slices"
	"strings"

	"partnerkit.dev/internal/redact"
	"partnerkit.dev/mockpartner/client"
)

type entry struct {
	client.Exchange
	shares bool // the answer's body is shared
	gone   bool // it is no longer in the ring
}

// maxLater is the maximum number of secrets added later. Beyond it the oldest are forgotten.
const maxLater = 16

// AddSecret redacts another secret in all requests from now on.
func (j *Journal) AddSecret(secret string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	later := append(slices.Clone(j.later), redactors([]string{secret})...)
	j.later = later[max(len(later)-maxLater, 0):]
}

func (j *Journal) allRedactors() []*redact.Redactor {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.later) == 0 {
		return j.secrets
	}
	return slices.Concat(j.secrets, j.later)
}

func redactExchange(e client.Exchange, secrets []*redact.Redactor) client.Exchange {
	e.Request.Header = redactHeader(e.Request.Header)
	for _, secret := range secrets {
		e.Target = secret.Redact(e.Target)
		if body := string(e.Request.Body); body != "" {
			if clean := secret.Redact(body); clean != body {
				e.Request.Body = []byte(clean)
			}
		}
		for _, values := range e.Request.Header {
			for i, value := range values {
				values[i] = secret.Redact(value)
			}
		}
	}
	return e
}

// redactHeader copies a header without its credentials. The form of Authorization stays, because it
// is part of the contract (AUTH-1).
func redactHeader(header http.Header) http.Header {
	kept := header.Clone()
	for _, name := range []string{"Authorization", "Proxy-Authorization", "Cookie"} {
		for i, value := range kept[name] {
			kept[name][i] = redact.Mark
			if scheme, _, found := strings.Cut(value, " "); found && strings.EqualFold(scheme, "Bearer") {
				kept[name][i] = scheme + " " + redact.Mark
			}
		}
	}
	return kept
}
