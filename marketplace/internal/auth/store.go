package auth

import (
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// How long tokens are good for.
const (
	AccessLife  = 15 * time.Minute
	refreshLife = 30 * 24 * time.Hour
)

// Store is what is kept of accounts and tokens.
type Store interface {
	// AccountByEmail returns the account of a normal address, or NotFound.
	AccountByEmail(ctx context.Context, email string) (marketplace.Account, error)
	// Account returns the account of that id, or NotFound.
	Account(ctx context.Context, id uuid.UUID) (marketplace.Account, error)
	// AccountByAPIToken returns the account of a good token's hash and the token's mode, or
	// NotFound.
	AccountByAPIToken(ctx context.Context, hash []byte) (marketplace.Account, marketplace.Mode, error)
	// ChangeAccount stores what is changed, and ends all sign-ins of the account where
	// that is its password, or where it is disabled. The error is NotFound.
	ChangeAccount(ctx context.Context, id uuid.UUID, c AccountChange, now time.Time) (marketplace.Account, error)
	// StartFamily stores a sign-in with its first refresh token's hash. The error is
	// Unauthorized where the account has another password by now, or is disabled.
	StartFamily(ctx context.Context, family uuid.UUID, a marketplace.Account, hash []byte, now, expires time.Time) error
	// Rotate uses a refresh token up for the next, or returns Unauthorized. It is
	// atomic: of two uses one is the second, which ends the family.
	Rotate(ctx context.Context, hash, next []byte, now, expires time.Time) (family, account uuid.UUID, err error)
	// Resume returns the account of a good refresh token's sign-in, which is not used up
	// by that, and when it was begun. The error is Unauthorized, also where the account
	// is disabled.
	Resume(ctx context.Context, hash []byte, now time.Time) (family uuid.UUID, begun time.Time, account marketplace.Account, err error)
	// EndFamily ends the sign-in of a refresh token; one that is unknown ends nothing.
	EndFamily(ctx context.Context, hash []byte, now time.Time) error
	// Invited returns the invitation whose token has that hash and that has not expired, or
	// NotFound.
	Invited(ctx context.Context, hash []byte, now time.Time) (marketplace.Invitation, error)
	// Accept uses up the invitation whose token has that hash, and stores the account, or
	// neither. The error is NotFound, or Conflict where the address has an account.
	Accept(ctx context.Context, hash []byte, made marketplace.Account) error
	// EndedFamilies lists the sign-ins that were ended since then.
	EndedFamilies(ctx context.Context, since time.Time) ([]uuid.UUID, error)
}

// AccountChange is what is stored of an AccountChange of the domain; nil leaves it as it
// is.
type AccountChange struct {
	Name         *string
	PasswordHash *string
	Disabled     *bool
}
