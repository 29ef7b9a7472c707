package conformance

import (
	"errors"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
)

// Links signs the tokens of links to reports with a key that every replica derives from the
// service's secret. Tokens are not stored: a token names the stored Share, without which it opens
// nothing. It is safe for concurrent use.
type Links struct {
	key []byte
	now func() time.Time
}

// Share is a link to a run's report, without its token.
type Share struct {
	ID                   uuid.UUID
	CreatedAt, ExpiresAt time.Time
	Email                string      // of the account that made it
	Role                 domain.Role // of that account
}

// NewLinks returns the links of a service's secret.
func NewLinks(s *auth.Secret, now func() time.Time) *Links {
	return &Links{s.Key("links to conformance reports"), now}
}

// ErrLinkExpired is the error for a token that was valid.
var ErrLinkExpired = errors.New("the link has expired")

// New returns a link to a report with that name, and its token.
func (l *Links) New(report string, life time.Duration) (s Share, token string, err error) {
	s = Share{ID: uuid.New(), CreatedAt: l.now().UTC()}
	s.ExpiresAt = s.CreatedAt.Add(life).Truncate(time.Second)
	token, err = jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.RegisteredClaims{
		Subject: s.ID.String(), Audience: jwt.ClaimStrings{report}, ExpiresAt: jwt.NewNumericDate(s.ExpiresAt),
	}).SignedString(l.key)
	return s, token, err
}

// Share returns the id of the link of a token for a report with that name. The error is ErrLinkExpired for an
// expired token, and NotFound for one that this service did not sign.
func (l *Links) Share(token, report string) (uuid.UUID, error) {
	var claims jwt.RegisteredClaims
	_, err := jwt.ParseWithClaims(token, &claims, func(*jwt.Token) (any, error) { return l.key, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Name}), jwt.WithAudience(report),
		jwt.WithExpirationRequired(), jwt.WithTimeFunc(l.now), jwt.WithStrictDecoding())
	if errors.Is(err, jwt.ErrTokenExpired) { // the signature was verified before
		return uuid.Nil, ErrLinkExpired
	}
	share, wrong := uuid.Parse(claims.Subject)
	if err != nil || wrong != nil {
		return uuid.Nil, domain.Errorf(domain.NotFound, "report not found")
	}
	return share, nil
}
