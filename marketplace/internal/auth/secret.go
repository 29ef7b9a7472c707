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

// ShortestSecret is the minimum length of the service's secret, in bytes.
const ShortestSecret = 32

// keySize is the size of derived keys, in bytes: that of AES-256.
const keySize = 32

// Secret is the service's secret. It cannot be printed.
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

// Key returns the key for one purpose: 32 bytes that reveal nothing about other keys.
func (s *Secret) Key(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, s.master, nil, "partnerkit marketplace: "+purpose, keySize)
	if err != nil {
		panic(err) // only for longer keys
	}
	return key
}

// Sealer encrypts texts of one purpose with AES-256-GCM. It is safe for concurrent use.
type Sealer struct{ aead cipher.AEAD }

// Sealer returns the sealer of that purpose.
func (s *Secret) Sealer(purpose string) *Sealer {
	block, err := aes.NewCipher(s.Key(purpose))
	if err != nil {
		panic(err) // only for other key sizes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // only for other block sizes
	}
	return &Sealer{aead: aead}
}

// Seal encrypts the text for its owner. No other owner can open it.
func (s *Sealer) Seal(text, owner string) []byte {
	return s.aead.Seal(nil, nil, []byte(text), []byte(owner))
}

// ErrSealed is returned when a text was sealed with another secret or for another owner.
var ErrSealed = errors.New("a stored key cannot be opened: the service's secret is not the one that encrypted it")

// Open decrypts a sealed text of the owner.
func (s *Sealer) Open(sealed []byte, owner string) (string, error) {
	text, err := s.aead.Open(nil, nil, sealed, []byte(owner))
	if err != nil {
		return "", ErrSealed
	}
	return string(text), nil
}

// tokenSize is the size of a token, in random bytes.
const tokenSize = 32

// NewToken returns a fresh token: 64 hexadecimal digits.
func NewToken() string {
	token := make([]byte, tokenSize)
	_, _ = rand.Read(token) // never fails
	return hex.EncodeToString(token)
}

// HashToken returns the hash of a token that is stored. Tokens are random, so it needs no salt, and
// the duration of a lookup by hash reveals nothing.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// TokenMatches reports in constant time whether a token has that hash.
func TokenMatches(token string, hash []byte) bool {
	return subtle.ConstantTimeCompare(HashToken(token), hash) == 1
}
