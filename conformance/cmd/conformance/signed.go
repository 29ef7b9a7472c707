package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"partnerkit.dev/internal/bounded"
)

// mostCertificate is the largest certificate or key set, in bytes.
const mostCertificate = 1 << 20

// errInvalid is returned for a signed statement that is not valid. Its text is the reason.
type errInvalid string

func (e errInvalid) Error() string { return string(e) }

// keySet contains the public keys that verify statements.
type keySet struct {
	jose.JSONWebKeySet
	of string // who has them, for people
}

// readKeys reads a JSON Web Key Set from a file or a URL, which a flag gave.
func readKeys(ctx context.Context, flag, from string) (set keySet, err error) {
	text, err := readSource(ctx, flag, from, mostCertificate)
	if err != nil {
		return set, err
	}
	set.of = flag
	if err := json.Unmarshal(text, &set.JSONWebKeySet); err != nil || len(set.Keys) == 0 {
		return set, fmt.Errorf("%s %s is not a JSON Web Key Set: expected the content of a service's /.well-known/jwks.json", flag, from)
	}
	return set, nil
}

// readSigned returns the content of a compact JWS with a type. It returns errInvalid if the JWS was
// changed or was signed with another key.
func readSigned(text, kind, noun string, keys keySet) ([]byte, error) {
	signed, err := jose.ParseSignedCompact(text, []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil || len(signed.Signatures) != 1 {
		return nil, fmt.Errorf("is not %s: expected a compact JWS that is signed with Ed25519", noun)
	}
	header := signed.Signatures[0].Protected
	if header.ExtraHeaders[jose.HeaderType] != kind {
		return nil, fmt.Errorf("is not %s: expected the type %s", noun, kind)
	}
	if !isExactEncoding(text) {
		return nil, errInvalid("it was changed: its encoding does not match its content")
	}
	known := keys.Key(header.KeyID)
	if header.KeyID == "" || len(known) == 0 {
		return nil, errInvalid("it was signed with a key that " + keys.of + " does not contain")
	}
	payload, err := signed.Verify(known[0])
	if err != nil {
		return nil, errInvalid("it was changed, or signed with another key")
	}
	return payload, nil
}

// checkTime returns errInvalid if a statement has expired or is not valid yet.
func checkTime(issuedAt, expiresAt int64, now time.Time) error {
	switch {
	case now.Unix() >= expiresAt:
		return errInvalid("it expired at " + inUTC(expiresAt))
	case now.Add(time.Minute).Unix() < issuedAt:
		return errInvalid("it is valid only from " + inUTC(issuedAt) + ": compare the clocks")
	}
	return nil
}

// isExactEncoding reports whether a compact JWS is the only encoding of its parts. Decoders ignore line breaks, and
// the unused bits in a part's last character, and the signature does not cover them.
func isExactEncoding(text string) bool {
	for part := range strings.SplitSeq(text, ".") {
		if _, err := bounded.Base64URL(part); err != nil {
			return false
		}
	}
	return true
}

func inUTC(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }
