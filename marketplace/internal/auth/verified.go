package auth

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// Identity is an authenticated caller.
type Identity struct {
	Account uuid.UUID
	Role    domain.Role
	// Mode is the credential's mode; "" means that the request chooses.
	Mode domain.Mode
	// Credential identifies the credential for rate limits. It is not secret.
	Credential string
}

// verified caches the content of access tokens whose signature is valid, because checking a
// signature costs more than the rest of most requests. It stores hashes, not tokens. It is safe for
// concurrent use.
type verified struct {
	mu     sync.RWMutex
	byHash map[[sha256.Size]byte]verifiedToken
}

// verifiedToken is the content of a valid token.
type verifiedToken struct {
	Identity
	family  uuid.UUID
	expires time.Time
}

// mostVerified limits the cache: one entry for each caller in 15 minutes.
const mostVerified = 1 << 14

// usualToken is more than the size of our tokens, in bytes.
const usualToken = 1 << 10

func hashOf(token string) [sha256.Size]byte {
	var text [usualToken]byte // on the stack
	return sha256.Sum256(append(text[:0], token...))
}

// get returns the cached content of a token that has not expired.
func (v *verified) get(token string, now time.Time) (verifiedToken, bool) {
	hash := hashOf(token)
	v.mu.RLock()
	defer v.mu.RUnlock()
	found, known := v.byHash[hash]
	return found, known && now.Before(found.expires)
}

// put caches the content of a valid token. If the cache is full, it is cleared; tokens in use
// return soon.
func (v *verified) put(token string, entry verifiedToken) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.byHash == nil || len(v.byHash) >= mostVerified {
		v.byHash = map[[sha256.Size]byte]verifiedToken{}
	}
	v.byHash[hashOf(token)] = entry
}
