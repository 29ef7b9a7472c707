package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"time"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Session is a sign-in of a browser that goes on.
type Session struct {
	Account     marketplace.Account
	Begun       time.Time
	AccessToken string // a fresh one
}

// hashSession is what is stored of a session's token. It is another hash than that of a
// refresh token: neither is good for the other.
func (s *Service) hashSession(token string) []byte {
	hash := hmac.New(sha256.New, s.sessions)
	hash.Write([]byte(token))
	return hash.Sum(nil)
}

// BeginSession signs in as SignIn does, and returns a session token. Keep it
// where no script can read it, in an HttpOnly cookie. It is not a refresh token, and
// Resume does not accept refresh tokens.
func (s *Service) BeginSession(ctx context.Context, email, password, from string) (token string, err error) {
	_, _, token, err = s.begin(ctx, email, password, from, s.hashSession)
	return token, err
}

// Resume returns the sign-in of a session's token, which stays valid: a browser may
// use it from several tabs concurrently. The error is Unauthorized as soon as the session has ended.
func (s *Service) Resume(ctx context.Context, token string) (Session, error) {
	now := s.now()
	family, begun, account, err := s.store.Resume(ctx, s.hashSession(token), now)
	if err != nil {
		return Session{}, err
	}
	tokens, err := s.tokens(account, family, "", now)
	return Session{Account: account, Begun: begun, AccessToken: tokens.AccessToken}, err
}

// EndSession ends the sign-in of a session's token as SignOut does.
func (s *Service) EndSession(ctx context.Context, token string) error {
	return s.end(ctx, s.hashSession(token))
}
