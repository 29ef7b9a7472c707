package client

import (
	"context"
	"errors"
	"net/http"
)

// Credentials are what a client comes in with: of APIToken or of Password.
type Credentials struct {
	open func(*connection) (authorizer, error) // a closure: nothing that prints a value looks into it
}

// authorizer puts a credential to a request.
type authorizer interface {
	authorize(ctx context.Context, header http.Header) error
	// refused is told that the credential of that header was, and reports whether there
	// may be a better one.
	refused(ctx context.Context, header http.Header) bool
	// end makes the credential worthless, where it can be.
	end(ctx context.Context) error
}

// APIToken is a reseller's long-lived token.
func APIToken(token Secret) Credentials {
	return Credentials{func(*connection) (authorizer, error) {
		if token == "" {
			return nil, errors.New("API token: want one, got none")
		}
		return fixedHeader{"x-api-token", token}, nil
	}}
}

// Password is an account's address and password. The first call signs in; the sign-in is
// renewed before it runs out.
func Password(email string, password Secret) Credentials {
	return Credentials{func(c *connection) (authorizer, error) {
		if email == "" || password == "" {
			return nil, errors.New("sign-in: want an address and a password")
		}
		return newSignIn(c, email, password), nil
	}}
}

// fixedHeader is a credential that stays as it is.
type fixedHeader struct {
	name  string
	value Secret
}

func (f fixedHeader) authorize(_ context.Context, header http.Header) error {
	header.Set(f.name, string(f.value))
	return nil
}

func (fixedHeader) refused(context.Context, http.Header) bool { return false }
func (fixedHeader) end(context.Context) error                 { return nil }
