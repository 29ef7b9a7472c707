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
// service's secret. Tokens are not stored, so a link ends when it expires or its run is deleted. It
// is safe for concurrent use.
type Links struct {
	key []byte
	now func() time.Time
}

// NewLinks returns the links of a service's secret.
func NewLinks(s *auth.Secret, now func() time.Time) *Links {
	return &Links{s.Key("links to conformance reports"), now}
}

// ErrLinkExpired is the error for a token that was valid.
var ErrLinkExpired = errors.New("the link has expired")

// New returns a token for a run's report with that name, and when it expires.
func (l *Links) New(run uuid.UUID, report string, life time.Duration) (token string, expires time.Time, err error) {
	expires = l.now().UTC().Add(life).Truncate(time.Second)
	token, err = jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.RegisteredClaims{
		Subject: run.String(), Audience: jwt.ClaimStrings{report}, ExpiresAt: jwt.NewNumericDate(expires),
	}).SignedString(l.key)
	return token, expires, err
}

// Run returns the run of a token for a report with that name. The error is ErrLinkExpired for an
// expired token, and NotFound for one that this service did not sign.
func (l *Links) Run(token, report string) (uuid.UUID, error) {
	var claims jwt.RegisteredClaims
	_, err := jwt.ParseWithClaims(token, &claims, func(*jwt.Token) (any, error) { return l.key, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Name}), jwt.WithAudience(report),
		jwt.WithExpirationRequired(), jwt.WithTimeFunc(l.now), jwt.WithStrictDecoding())
	if errors.Is(err, jwt.ErrTokenExpired) { // the signature was verified before
		return uuid.Nil, ErrLinkExpired
	}
	run, wrong := uuid.Parse(claims.Subject)
	if err != nil || wrong != nil {
		return uuid.Nil, domain.Errorf(domain.NotFound, "report not found")
	}
	return run, nil
}
