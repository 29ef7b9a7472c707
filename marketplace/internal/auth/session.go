package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"time"

	"partnerkit.dev/marketplace/internal/domain"
)

// Session is a browser's session.
type Session struct {
	Account     domain.Account
	Begun       time.Time
	AccessToken string // newly issued
}

// hashSession returns the stored hash of a session's token. It differs from a refresh token's hash,
// so that one cannot be used as the other.
func (s *Service) hashSession(token string) []byte {
	hash := hmac.New(sha256.New, s.sessions)
	hash.Write([]byte(token))
	return hash.Sum(nil)
}

// BeginSession signs in like SignIn and returns a session token. Keep it in an HttpOnly cookie,
// where no script can read it. It is not a refresh token, and Resume does not accept refresh
// tokens.
func (s *Service) BeginSession(ctx context.Context, email, password, from string) (token string, err error) {
	_, _, token, err = s.begin(ctx, email, password, from, s.hashSession)
	return token, err
}

// Resume returns the session of a token, which stays valid, so that a browser can use it in several
// tabs. The error is Unauthorized once the session has ended.
func (s *Service) Resume(ctx context.Context, token string) (Session, error) {
	now := s.now()
	family, begun, account, err := s.store.Resume(ctx, s.hashSession(token), now)
	if err != nil {
		return Session{}, err
	}
	tokens, err := s.tokens(account, family, "", now)
	return Session{Account: account, Begun: begun, AccessToken: tokens.AccessToken}, err
}

// EndSession ends the session of a token, like SignOut.
func (s *Service) EndSession(ctx context.Context, token string) error {
	return s.end(ctx, s.hashSession(token))
}
