package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
)

// ShortestSecret is how many bytes the service's secret has at least.
const ShortestSecret = 32

// keySize is the size of every derived key, in bytes: that of AES-256.
const keySize = 32

// Secret is the service's. Nothing of it can be printed.
type Secret struct{ master []byte }

// NewSecret returns the secret of those bytes.
func NewSecret(master []byte) (*Secret, error) {
	if len(master) < ShortestSecret {
		return nil, fmt.Errorf("expected at least %d bytes, received %d", ShortestSecret, len(master))
	}
	return &Secret{master: append([]byte(nil), master...)}, nil
}

// String keeps the secret out of logs.
func (s *Secret) String() string { return "[secret]" }

// GoString keeps the secret out of logs.
func (s *Secret) GoString() string { return s.String() }

// Key returns the key for one purpose: 32 bytes that tell nothing of any other's.
func (s *Secret) Key(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, s.master, nil, "partnerkit marketplace: "+purpose, keySize)
	if err != nil {
		panic(err) // only for a key longer than we ask for
	}
	return key
}

// Sealer seals texts of one purpose with AES-256-GCM. It is safe for concurrent use.
type Sealer struct{ aead cipher.AEAD }

// Sealer returns the sealer of that purpose.
func (s *Secret) Sealer(purpose string) *Sealer {
	block, err := aes.NewCipher(s.Key(purpose))
	if err != nil {
		panic(err) // only for a key of another size
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // only for a block of another size
	}
	return &Sealer{aead: aead}
}

// Seal encrypts the text for its owner. No other owner can open it.
func (s *Sealer) Seal(text, owner string) []byte {
	return s.aead.Seal(nil, nil, []byte(text), []byte(owner))
}

// ErrSealed says that a text was sealed with another secret, or for somebody else.
var ErrSealed = errors.New("a stored key cannot be opened: the service's secret is not the one that encrypted it")

// Open returns a sealed text of the owner.
func (s *Sealer) Open(sealed []byte, owner string) (string, error) {
	text, err := s.aead.Open(nil, nil, sealed, []byte(owner))
	if err != nil {
		return "", ErrSealed
	}
	return string(text), nil
}

// tokenSize is how many random bytes a token has.
const tokenSize = 32

// NewToken returns a fresh token: 64 hexadecimal digits.
func NewToken() string {
	token := make([]byte, tokenSize)
	_, _ = rand.Read(token) // never fails
	return hex.EncodeToString(token)
}

// HashToken is what is stored of a token. Tokens are random, so that no salt is needed, and
// a lookup by hash tells nothing by its time.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// TokenMatches reports whether a token has that hash, in the same time whether or not.
func TokenMatches(token string, hash []byte) bool {
	return subtle.ConstantTimeCompare(HashToken(token), hash) == 1
}
