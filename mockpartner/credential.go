package mockpartner

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

// credential is what callers must present (AUTH-1).
type credential struct {
	form   string // how it is to be presented, without the key
	digest [sha256.Size]byte
}

func newCredential(kind partnerapi.AuthType, key string) (credential, error) {
	if kind == "" {
		kind = partnerapi.Bearer
	}
	if !slices.Contains(partnerapi.AuthTypes(), kind) {
		return credential{}, fmt.Errorf("auth type: want bearer or api_key, got %q", kind)
	}
	if key == "" {
		return credential{}, errors.New("auth key: want the key that callers present, got none")
	}
	unfit := func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }
	if strings.TrimSpace(key) != key || strings.ContainsFunc(key, unfit) {
		return credential{}, errors.New("auth key: it has spaces at an end, line breaks or other characters that no header can carry")
	}
	return credential{
		form:   kind.Authorization("<key>"),
		digest: sha256.Sum256([]byte(kind.Authorization(key))),
	}, nil
}

// presented reports whether the request bears the credential. It compares
// digests, so that the time it takes tells nothing of the key.
func (c credential) presented(r *http.Request) bool {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return false
	}
	digest := sha256.Sum256([]byte(values[0]))
	return subtle.ConstantTimeCompare(digest[:], c.digest[:]) == 1
}
