package auth

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Identity is who is calling.
type Identity struct {
	Account uuid.UUID
	Role    marketplace.Role
	// Mode is that of the credential; "" leaves it to the request.
	Mode marketplace.Mode
	// Credential tells one credential from another, for limits; it is no secret.
	Credential string
}

// verified keeps what access tokens say whose signature has been found good: to check
// one costs more than all else that becomes of most requests. It keeps hashes, not
// tokens. It is safe for concurrent use.
type verified struct {
	mu     sync.RWMutex
	byHash map[[sha256.Size]byte]verifiedToken
}

// verifiedToken is what a good token says.
type verifiedToken struct {
	Identity
	family  uuid.UUID
	expires time.Time
}

// mostVerified bounds what is kept: callers with a good token each, in 15 minutes.
const mostVerified = 1 << 14

// usualToken is more than our own tokens have, in bytes.
const usualToken = 1 << 10

func hashOf(token string) [sha256.Size]byte {
	var text [usualToken]byte // not one for the collector
	return sha256.Sum256(append(text[:0], token...))
}

// get returns what is kept of a token that has not run out.
func (v *verified) get(token string, now time.Time) (verifiedToken, bool) {
	hash := hashOf(token)
	v.mu.RLock()
	defer v.mu.RUnlock()
	found, known := v.byHash[hash]
	return found, known && now.Before(found.expires)
}

// put keeps what a good token says. Where there are too many all are forgotten: those in
// use are soon back.
func (v *verified) put(token string, told verifiedToken) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.byHash == nil || len(v.byHash) >= mostVerified {
		v.byHash = map[[sha256.Size]byte]verifiedToken{}
	}
	v.byHash[hashOf(token)] = told
}
