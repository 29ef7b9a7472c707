package sandbox

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"partnerkit.dev/schemas/partnerapi"
)

// Credential is what callers must present (AUTH-1).
type Credential struct {
	kind   partnerapi.AuthType
	digest digest
}

// digest stands for an Authorization header, so that keys are neither kept nor
// compared.
type digest [sha256.Size]byte

// NewCredential returns the credential of that key. An empty kind is Bearer.
func NewCredential(kind partnerapi.AuthType, key string) (Credential, error) {
	if kind == "" {
		kind = partnerapi.Bearer
	}
	if !slices.Contains(partnerapi.AuthTypes(), kind) {
		return Credential{}, fmt.Errorf("auth type: want bearer or api_key, got %q", kind)
	}
	if key == "" {
		return Credential{}, errors.New("auth key: want the key that callers present, got none")
	}
	unfit := func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }
	if strings.TrimSpace(key) != key || strings.ContainsFunc(key, unfit) {
		return Credential{}, errors.New("auth key: it has spaces at an end, line breaks or other characters that no header can carry")
	}
	return Credential{kind: kind, digest: sha256.Sum256([]byte(kind.Authorization(key)))}, nil
}

// Form is the Authorization header to be sent, without the key.
func (c Credential) Form() string { return c.kind.Authorization("<key>") }

// Presented reports whether the request bears the credential. It compares
// digests, so that the time it takes tells nothing of the key.
func (c Credential) Presented(r *http.Request) bool {
	presented, ok := digestOf(r)
	return ok && subtle.ConstantTimeCompare(presented[:], c.digest[:]) == 1
}

func digestOf(r *http.Request) (digest, bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return digest{}, false
	}
	return sha256.Sum256([]byte(values[0])), true
}
