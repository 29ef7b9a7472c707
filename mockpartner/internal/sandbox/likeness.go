package sandbox

import (
	"net/http"
	"strings"

	"partnerkit.dev/mockpartner/internal/script"
)

// Bears reports whether the request presents the credential, or one that is similar in that way.
// Only a deliberately faulty partner checks the latter.
func (c Credential) Bears(r *http.Request, form script.Credential) bool {
	if form == script.CredentialGood {
		return c.IsPresented(r)
	}
	header := r.Header.Get("Authorization")
	// The key after the scheme, if the credential has a scheme.
	presented, due := strings.CutPrefix(header, c.kind.Authorization(""))
	return !c.IsPresented(r) && isLike(form, header, presented, c.key, due)
}

const nearEnds = 4

func isLike(form script.Credential, header, presented, key string, due bool) bool {
	scheme, last, _ := strings.Cut(header, " ")
	switch form {
	case script.CredentialOtherScheme:
		return !due && !strings.EqualFold(scheme, "bearer") && (header == key || last == key)
	case script.CredentialSchemeCase:
		return !due && strings.EqualFold(scheme, "bearer") && last == key
	case script.CredentialEmpty:
		return presented == "" || strings.EqualFold(strings.TrimSpace(header), "bearer")
	}
	if !due {
		return false
	}
	switch form {
	case script.CredentialOtherCase:
		return strings.EqualFold(presented, key)
	case script.CredentialShorter:
		return presented != "" && strings.HasPrefix(key, presented)
	case script.CredentialLonger:
		return strings.HasPrefix(presented, key)
	case script.CredentialPart:
		return strings.Contains(key, presented)
	case script.CredentialSameStart:
		return strings.HasPrefix(presented, key[:min(nearEnds, len(key))])
	case script.CredentialSameEnd:
		return strings.HasSuffix(presented, key[max(len(key)-nearEnds, 0):])
	case script.CredentialSameLength:
		return len(presented) == len(key)
	case script.CredentialPadded:
		return strings.Trim(presented, " \"'") == key
	}
	return false
}
