package client

import (
	"context"
	"net/http"
	"time"
)

// renewBefore is how long before its expiry an access token is renewed. It covers the duration of a
// request and the difference between two clocks.
const renewBefore = time.Minute

// signIn is a session that starts at the first call. It is renewed before it expires, or replaced
// if it cannot be renewed.
type signIn struct {
	c        *connection
	email    string
	password Secret
	turn     chan struct{} // held by the call that renews; others wait
	tokens   tokens
	renewAt  time.Time
}

// tokens are the tokens of a session.
type tokens struct {
	AccessToken  Secret `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"` // seconds
	RefreshToken Secret `json:"refresh_token"`
}

type signInRequest struct {
	Email    string `json:"email"`
	Password Secret `json:"password"`
}

type refreshRequest struct {
	RefreshToken Secret `json:"refresh_token"`
}

func (s *signIn) authorize(ctx context.Context, header http.Header) error {
	if err := s.take(ctx); err != nil {
		return err
	}
	defer s.leave()
	if s.tokens.AccessToken == "" || !s.c.now().Before(s.renewAt) {
		if err := s.renew(ctx); err != nil {
			return err
		}
	}
	header.Set("Authorization", "Bearer "+string(s.tokens.AccessToken))
	return nil
}

func (s *signIn) take(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *signIn) leave() { <-s.turn }

// renew gets new tokens with the refresh token, or else with the password. It sends a refresh token
// only once, because a second use ends the session.
func (s *signIn) renew(ctx context.Context) error {
	if used := s.tokens.RefreshToken; used != "" {
		s.tokens = tokens{}
		if err := s.buy(ctx, request{method: http.MethodPost, path: path("auth", "refresh"), body: refreshRequest{used}, open: true}); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return s.buy(ctx, request{method: http.MethodPost, path: path("auth", "login"), body: signInRequest{s.email, s.password}, open: true, harmless: true})
}

func (s *signIn) buy(ctx context.Context, r request) error {
	bought, err := call[tokens](ctx, s.c, r)
	if err != nil {
		return err
	}
	s.tokens = bought
	s.renewAt = s.c.now().Add(time.Duration(bought.ExpiresIn)*time.Second - renewBefore)
	return nil
}

// renewRefused makes the next call renew the session, unless another call has renewed it already.
func (s *signIn) renewRefused(ctx context.Context, header http.Header) bool {
	if s.take(ctx) != nil {
		return false
	}
	defer s.leave()
	if header.Get("Authorization") == "Bearer "+string(s.tokens.AccessToken) {
		s.tokens.AccessToken = ""
	}
	return true
}

func (s *signIn) end(ctx context.Context) error {
	if err := s.take(ctx); err != nil {
		return err
	}
	defer s.leave()
	ended := s.tokens.RefreshToken
	if s.tokens = (tokens{}); ended == "" {
		return nil
	}
	return do(ctx, s.c, request{method: http.MethodPost, path: path("auth", "logout"), body: refreshRequest{ended}, open: true, harmless: true})
}
