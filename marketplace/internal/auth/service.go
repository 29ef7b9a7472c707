// Package auth knows who is calling and what they may do.
//
// A caller presents a short-lived access token (a JWT), which a password or a refresh
// token buys, or a reseller's long-lived API token. Refresh tokens are good for one use
// and are replaced by it; presenting a used one ends the sign-in. Only hashes of tokens
// are stored.
//
// The package also derives the service's keys from its one secret, seals what must be
// read again, and limits requests by key.
package auth

import (
	"cmp"
	"context"
	"encoding/hex"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// The failed sign-ins that are taken in a minute from one address; those of one account
// are a setting.
const failuresPerAddress = 30

// What a sign-in may have, in bytes: no account has more.
const (
	longestEmail    = 1000
	longestPassword = 4000
)

// Tokens are what a sign-in buys.
type Tokens struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"` // seconds
	RefreshToken string `json:"refresh_token"`
}

// Service signs accounts in. It is safe for concurrent use.
type Service struct {
	store     Store
	now       func() time.Time
	key       []byte
	sessions  []byte // the key of the hashes of sessions' tokens
	failed    func(error)
	byAccount *failures
	byAddress *failures
	passwords passwords
	ended     ended
	verified  verified
}

// NewService returns a service that takes so many failures a minute for one account; 0 takes
// any number.
func NewService(store Store, s *Secret, failuresPerAccount int, now func() time.Time) *Service {
	address := failuresPerAddress
	if failuresPerAccount == 0 {
		address = 0
	}
	return &Service{
		store: store, now: now, key: s.Key("access tokens"), sessions: s.Key("sessions of the console"), failed: func(error) {}, passwords: make(passwords, runtime.GOMAXPROCS(0)),
		ended:     ended{store: store, now: now},
		byAccount: newFailures(failuresPerAccount, now),
		byAddress: newFailures(address, now),
	}
}

// Tell has failed told of every sign-in that fails. It is called before the first sign-in.
func (s *Service) Tell(failed func(error)) { s.failed = failed }

var errUnauthorized = &marketplace.Error{Code: marketplace.Unauthorized, Message: "unauthorized access"}

// SignIn returns tokens for an address and its password. The error is Unauthorized,
// whether or not there is such an account and in the same time, or RateLimited after
// too many failures of the account, or from the caller's network address.
func (s *Service) SignIn(ctx context.Context, email, password, from string) (Tokens, error) {
	account, family, refresh, err := s.begin(ctx, email, password, from, HashToken)
	if err != nil {
		return Tokens{}, err
	}
	return s.tokens(account, family, refresh, s.now())
}

// begin starts a sign-in with its first token, which is stored by that hash.
func (s *Service) begin(ctx context.Context, email, password, from string, hash func(string) []byte) (account marketplace.Account, family uuid.UUID, token string, err error) {
	if account, err = s.attempt(ctx, marketplace.NormalEmail(email), password, from); err != nil {
		s.failed(err)
		return account, family, "", err
	}
	family, token = uuid.New(), NewToken()
	now := s.now()
	return account, family, token, s.store.StartFamily(ctx, family, account, hash(token), now, now.Add(refreshLife))
}

// attempt returns the account of an address and its password. What fails is counted;
// what could not be tried is not.
func (s *Service) attempt(ctx context.Context, email, password, from string) (account marketplace.Account, err error) {
	if len(email) > longestEmail || len(password) > longestPassword || !utf8.ValidString(email) || strings.Contains(email, "\x00") {
		return account, errUnauthorized // no account has them
	}
	if err := s.byAccount.begin(ctx, email); err != nil {
		return account, err
	}
	failed := false
	defer func() { s.byAccount.end(email, failed) }()
	if err := s.byAddress.begin(ctx, from); err != nil {
		return account, err
	}
	defer func() { s.byAddress.end(from, failed) }()
	account, err = s.store.AccountByEmail(ctx, email)
	if err != nil && marketplace.CodeOf(err) != marketplace.NotFound {
		return account, err
	}
	good, err := s.passwords.match(ctx, password, account.PasswordHash)
	if err != nil {
		return account, err
	}
	if failed = !good || account.DisabledAt != nil; failed {
		return account, errUnauthorized
	}
	return account, nil
}

// Refresh returns fresh tokens for a refresh token, which is used up, or Unauthorized.
func (s *Service) Refresh(ctx context.Context, token string) (Tokens, error) {
	next, now := NewToken(), s.now()
	family, id, err := s.store.Rotate(ctx, HashToken(token), HashToken(next), now, now.Add(refreshLife))
	if err != nil {
		return Tokens{}, err
	}
	account, err := s.store.Account(ctx, id)
	if err != nil {
		return Tokens{}, err
	}
	return s.tokens(account, family, next, now)
}

// SignOut ends the sign-in of a refresh token, with its access tokens: immediately on
// this replica, within a second on the others.
func (s *Service) SignOut(ctx context.Context, token string) error {
	return s.end(ctx, HashToken(token))
}

func (s *Service) end(ctx context.Context, hash []byte) error {
	if err := s.store.EndFamily(ctx, hash, s.now()); err != nil {
		return err
	}
	return s.ended.renew(ctx)
}

// The access token's fixed claims.
const (
	issuer   = "partnerkit-marketplace"
	audience = "partnerkit-marketplace-api"
)

type claims struct {
	jwt.RegisteredClaims
	Role marketplace.Role `json:"role"`
}

func (s *Service) tokens(account marketplace.Account, family uuid.UUID, refresh string, now time.Time) (Tokens, error) {
	access, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: issuer, Audience: jwt.ClaimStrings{audience}, Subject: account.ID.String(), ID: family.String(),
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(AccessLife)),
		},
		Role: account.Role,
	}).SignedString(s.key)
	return Tokens{AccessToken: access, TokenType: "Bearer", ExpiresIn: int(AccessLife.Seconds()), RefreshToken: refresh}, err
}

// ByAccessToken returns who holds an access token, or Unauthorized. Every replica of the
// same secret takes it, also after a restart, until its sign-in ends.
func (s *Service) ByAccessToken(ctx context.Context, token string) (Identity, error) {
	told, known := s.verified.get(token, s.now())
	if !known {
		var err error
		if told, err = s.verify(token); err != nil {
			return Identity{}, errUnauthorized
		}
		s.verified.put(token, told)
	}
	if over, err := s.ended.has(ctx, told.family); over || err != nil {
		return Identity{}, cmp.Or(err, error(errUnauthorized))
	}
	return told.Identity, nil
}

// verify checks a token's signature and its claims, its time among them. A token is good
// in the one form in which it was made.
func (s *Service) verify(token string) (verifiedToken, error) {
	if strings.ContainsAny(token, "\r\n") { // which base64 passes over
		return verifiedToken{}, errUnauthorized
	}
	var told claims
	_, err := jwt.ParseWithClaims(token, &told, func(*jwt.Token) (any, error) { return s.key, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Name}), jwt.WithIssuer(issuer), jwt.WithAudience(audience),
		jwt.WithExpirationRequired(), jwt.WithTimeFunc(s.now), jwt.WithStrictDecoding())
	if err != nil {
		return verifiedToken{}, err
	}
	id, err := uuid.Parse(told.Subject)
	if err != nil {
		return verifiedToken{}, err
	}
	family, err := uuid.Parse(told.ID)
	return verifiedToken{Identity{Account: id, Role: told.Role, Credential: "jwt:" + told.Subject}, family, told.ExpiresAt.Time}, err
}

// ByAPIToken returns who holds a long-lived token, or Unauthorized.
func (s *Service) ByAPIToken(ctx context.Context, token string) (Identity, error) {
	hash := HashToken(token)
	account, mode, err := s.store.AccountByAPIToken(ctx, hash)
	switch {
	case err != nil && marketplace.CodeOf(err) == marketplace.NotFound:
		return Identity{}, errUnauthorized
	case err != nil:
		return Identity{}, err
	}
	return Identity{Account: account.ID, Role: account.Role, Mode: mode, Credential: "api-token:" + hex.EncodeToString(hash)}, nil
}
