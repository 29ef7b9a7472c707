// Package auth authenticates callers.
//
// A caller sends a short-lived access token (a JWT) or a reseller's long-lived API token. Access
// tokens are issued for a password or a refresh token. A refresh token is valid for one use, which
// replaces it; using it again ends the session. Only hashes of tokens are stored.
//
// The package also derives the service's keys from one secret, encrypts stored keys, and limits
// requests by key.
package auth

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// Failed sign-ins a minute from one address. The limit for one account is a setting.
const failuresPerAddress = 30

// Limits of a sign-in's fields, in bytes: no account has more.
const (
	longestEmail    = 1000
	longestPassword = 4000
)

// Tokens are the result of a sign-in.
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
	sessions  []byte // the key for hashes of session tokens
	places    []byte // the key for hashes of places
	failed    func(error)
	byAccount *failures
	byAddress *failures
	passwords passwords
	ended     ended
	verified  verified
}

// NewService returns a service with a limit of failed sign-ins a minute for each account; 0 means
// no limit.
func NewService(store Store, s *Secret, failuresPerAccount int, now func() time.Time) *Service {
	address := failuresPerAddress
	if failuresPerAccount == 0 {
		address = 0
	}
	return &Service{
		store: store, now: now, key: s.Key("access tokens"), sessions: s.Key("sessions of the console"), places: s.Key("places of sign-ins"), failed: func(error) {}, passwords: make(passwords, runtime.GOMAXPROCS(0)),
		ended:     ended{store: store, now: now},
		byAccount: newFailures(failuresPerAccount, now),
		byAddress: newFailures(address, now),
	}
}

// OnFailedSignIn registers a function that is called for every failed sign-in. Call it before the first
// sign-in.
func (s *Service) OnFailedSignIn(failed func(error)) { s.failed = failed }

var errUnauthorized = &domain.Error{Code: domain.Unauthorized, Message: "unauthorized access"}

// SignIn returns tokens for an address and its password. The error is Unauthorized, whether or not
// the account exists and in the same time. It is RateLimited after too many failures for the
// account, or from the network address.
func (s *Service) SignIn(ctx context.Context, email, password, from string) (Tokens, error) {
	account, family, refresh, err := s.begin(ctx, email, password, from, HashToken)
	if err != nil {
		return Tokens{}, err
	}
	return s.tokens(account, family, refresh, s.now())
}

// begin starts a session with its first token, which is stored with that hash function.
func (s *Service) begin(ctx context.Context, email, password, from string, hash func(string) []byte) (account domain.Account, family uuid.UUID, token string, err error) {
	if account, err = s.attempt(ctx, domain.NormalEmail(email), password, from); err != nil {
		s.failed(err)
		return account, family, "", err
	}
	family, token = uuid.New(), NewToken()
	now := s.now()
	return account, family, token, s.store.StartFamily(ctx, family, account, hash(token), s.hashPlace(account.Email, from), now, now.Add(refreshLife))
}

// hashPlace returns the stored form of an address from which an account signs in. The same address has
// another one for each account, and no address is found without the service's secret.
func (s *Service) hashPlace(email, from string) []byte {
	hash := hmac.New(sha256.New, s.places)
	hash.Write([]byte(email + "\x00" + from))
	return hash.Sum(nil)
}

// beginForAccount counts an attempt to sign in to an account, and returns the key by which it is
// counted. An attempt from a place where the account has signed in is counted by itself once others
// have used up the account's limit, so that guesses elsewhere do not lock its owner out.
func (s *Service) beginForAccount(ctx context.Context, email, from string) (key string, err error) {
	err = s.byAccount.begin(ctx, email)
	if domain.CodeOf(err) != domain.RateLimited {
		return email, err
	}
	place := s.hashPlace(email, from)
	if known, failed := s.store.KnowsPlace(ctx, email, place); failed != nil || !known {
		return email, cmp.Or(failed, err)
	}
	key = email + "\x00" + hex.EncodeToString(place)
	return key, s.byAccount.begin(ctx, key)
}

// attempt returns the account of an address and its password. Failures are counted, except if the
// password could not be checked.
func (s *Service) attempt(ctx context.Context, email, password, from string) (account domain.Account, err error) {
	if len(email) > longestEmail || len(password) > longestPassword || !utf8.ValidString(email) || strings.Contains(email, "\x00") {
		return account, errUnauthorized // no account has such values
	}
	if err := s.byAddress.begin(ctx, from); err != nil { // first, because the caller chooses the email
		return account, err
	}
	failed := false
	defer func() { s.byAddress.end(from, failed) }()
	key, err := s.beginForAccount(ctx, email, from)
	if err != nil {
		return account, err
	}
	defer func() { s.byAccount.end(key, failed) }()
	account, err = s.store.AccountByEmail(ctx, email)
	if err != nil && domain.CodeOf(err) != domain.NotFound {
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

// Refresh returns new tokens for a refresh token, which it uses up, or Unauthorized.
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

// SignOut ends the session of a refresh token with its access tokens: immediately on this replica,
// and within a second on others.
func (s *Service) SignOut(ctx context.Context, token string) error {
	return s.end(ctx, HashToken(token))
}

func (s *Service) end(ctx context.Context, hash []byte) error {
	if err := s.store.EndFamily(ctx, hash, s.now()); err != nil {
		return err
	}
	return s.ended.renew(ctx)
}

// The fixed claims of access tokens.
const (
	issuer   = "partnerkit-marketplace"
	audience = "partnerkit-marketplace-api"
)

type claims struct {
	jwt.RegisteredClaims
	Role domain.Role `json:"role"`
}

func (s *Service) tokens(account domain.Account, family uuid.UUID, refresh string, now time.Time) (Tokens, error) {
	access, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: issuer, Audience: jwt.ClaimStrings{audience}, Subject: account.ID.String(), ID: family.String(),
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(AccessLife)),
		},
		Role: account.Role,
	}).SignedString(s.key)
	return Tokens{AccessToken: access, TokenType: "Bearer", ExpiresIn: int(AccessLife.Seconds()), RefreshToken: refresh}, err
}

// ByAccessToken returns the holder of an access token, or Unauthorized. Every replica with the same
// secret accepts it until its session ends, even after a restart.
func (s *Service) ByAccessToken(ctx context.Context, token string) (Identity, error) {
	parsed, known := s.verified.get(token, s.now())
	if !known {
		var err error
		if parsed, err = s.verify(token); err != nil {
			return Identity{}, errUnauthorized
		}
		s.verified.put(token, parsed)
	}
	if over, err := s.ended.has(ctx, parsed.family); over || err != nil {
		return Identity{}, cmp.Or(err, error(errUnauthorized))
	}
	return parsed.Identity, nil
}

// verify checks a token's signature, its claims and its validity period. Only the exact form in
// which it was issued is valid.
func (s *Service) verify(token string) (verifiedToken, error) {
	if strings.ContainsAny(token, "\r\n") { // base64 decoders ignore these characters
		return verifiedToken{}, errUnauthorized
	}
	var parsed claims
	_, err := jwt.ParseWithClaims(token, &parsed, func(*jwt.Token) (any, error) { return s.key, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Name}), jwt.WithIssuer(issuer), jwt.WithAudience(audience),
		jwt.WithExpirationRequired(), jwt.WithTimeFunc(s.now), jwt.WithStrictDecoding())
	if err != nil {
		return verifiedToken{}, err
	}
	id, err := uuid.Parse(parsed.Subject)
	if err != nil {
		return verifiedToken{}, err
	}
	family, err := uuid.Parse(parsed.ID)
	return verifiedToken{Identity{Account: id, Role: parsed.Role, Credential: "jwt:" + parsed.Subject}, family, parsed.ExpiresAt.Time}, err
}

// ByAPIToken returns the holder of a long-lived token, or Unauthorized.
func (s *Service) ByAPIToken(ctx context.Context, token string) (Identity, error) {
	hash := HashToken(token)
	account, mode, err := s.store.AccountByAPIToken(ctx, hash)
	switch {
	case err != nil && domain.CodeOf(err) == domain.NotFound:
		return Identity{}, errUnauthorized
	case err != nil:
		return Identity{}, err
	}
	return Identity{Account: account.ID, Role: account.Role, Mode: mode, Credential: "api-token:" + hex.EncodeToString(hash)}, nil
}
