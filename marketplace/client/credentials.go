package client

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
)

// Credentials are what a client comes in with: an APIToken or a Password.
type Credentials struct {
	open func(*connection) (authorizer, error)
}

// authorizer puts a credential to requests. It is made of functions, since nothing that
// prints a value looks into those.
type authorizer struct {
	authorize func(ctx context.Context, header http.Header) error
	// refused is told that the credential of that header was, and reports whether there
	// may be a better one.
	refused func(ctx context.Context, header http.Header) bool
	// end makes the credential worthless, where it can be.
	end func(ctx context.Context) error
}

// APIToken is a reseller's long-lived token.
func APIToken(token Secret) Credentials {
	return Credentials{func(*connection) (authorizer, error) {
		if token == "" {
			return authorizer{}, errors.New("API token: required")
		}
		return fixedHeader("x-api-token", token), nil
	}}
}

// Password is an account's address and password. The first call signs in; the sign-in is
// renewed before it runs out.
func Password(email string, password Secret) Credentials {
	return Credentials{func(c *connection) (authorizer, error) {
		if email == "" || password == "" {
			return authorizer{}, errors.New("sign-in: expected an address and a password")
		}
		s := &signIn{c: c, email: email, password: password, turn: make(chan struct{}, 1)}
		return authorizer{s.authorize, s.refused, s.end}, nil
	}}
}

// fixedHeader is a credential that never changes.
func fixedHeader(name string, value Secret) authorizer {
	return authorizer{
		authorize: func(_ context.Context, header http.Header) error {
			header.Set(name, string(value))
			return nil
		},
		refused: func(context.Context, http.Header) bool { return false },
		end:     func(context.Context) error { return nil },
	}
}

// Secret is a text that is not printed: neither fmt nor slog show it. string(s) is the
// text itself, and so is its JSON.
type Secret string

const hidden = "[hidden]"

// String returns a word in its place.
func (Secret) String() string { return hidden }

// GoString returns a word in its place.
func (Secret) GoString() string { return hidden }

// LogValue returns a word in its place.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }
