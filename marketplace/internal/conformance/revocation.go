package conformance

import (
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// revocationsType distinguishes lists of revocations from other signed statements.
const revocationsType = "conformance-revocations+jwt"

// revocationsFor is how long a signed list is valid. It limits how long an old list can be passed off as the
// newest.
const revocationsFor = 24 * time.Hour

// Revocation revokes every certificate of an integration that was issued at that time or before, because
// an older one may be valid for longer than the one that ended.
type Revocation struct {
	Integration uuid.UUID
	At          time.Time
	Reason      string // breach, settings_changed or deleted
}

// revocations is the content of a signed list. Its first fields are standard JWT claims.
type revocations struct {
	IssuedAt  int64                      `json:"iat"`
	ExpiresAt int64                      `json:"exp"`
	Revoked   domain.List[revokedBefore] `json:"revoked"`
}

type revokedBefore struct {
	Subject string `json:"sub"`    // the integration
	Before  int64  `json:"before"` // in seconds since 1970; includes that second
	Reason  string `json:"reason"`
}

// SignRevocations returns the signed list of revocations, as a compact JWS.
func (s *Signer) SignRevocations(list []Revocation, now time.Time) (string, error) {
	content := revocations{IssuedAt: now.Unix(), ExpiresAt: now.Add(revocationsFor).Unix()}
	for _, r := range list {
		content.Revoked = append(content.Revoked, revokedBefore{r.Integration.String(), r.At.Unix(), r.Reason})
	}
	return sign(s.revocations, content)
}
