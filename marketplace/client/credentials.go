package client

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
)

// Credentials authenticate a client: an APIToken or a Password.
type Credentials struct {
	open func(*connection) (authorizer, error)
}

// authorizer adds a credential to requests. It consists of functions, because fmt does not print
// what functions hold.
type authorizer struct {
	authorize func(ctx context.Context, header http.Header) error
	// refused is called when the marketplace refused the credential of that header. It reports
	// whether a retry with a new one may succeed.
	refused func(ctx context.Context, header http.Header) bool
	// end revokes the credential, if that is possible.
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

// Password is an account's email address and password. The first call signs in, and the session is
// renewed before it expires.
func Password(email string, password Secret) Credentials {
	return Credentials{func(c *connection) (authorizer, error) {
		if email == "" || password == "" {
			return authorizer{}, errors.New("sign-in: expected an address and a password")
		}
		s := &signIn{c: c, email: email, password: password, turn: make(chan struct{}, 1)}
		return authorizer{s.authorize, s.renewRefused, s.end}, nil
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

// Secret is a text that fmt and slog do not print. string(s) and its JSON are the text itself.
type Secret string

const hidden = "[hidden]"

// String returns a placeholder.
func (Secret) String() string { return hidden }

// GoString returns a placeholder.
func (Secret) GoString() string { return hidden }

// LogValue returns a placeholder.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }
