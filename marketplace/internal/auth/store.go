package auth

import (
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// How long tokens are valid.
const (
	AccessLife  = 15 * time.Minute
	refreshLife = 30 * 24 * time.Hour
)

// Store stores accounts and tokens.
type Store interface {
	// AccountByEmail returns the account of a normalized address, or NotFound.
	AccountByEmail(ctx context.Context, email string) (domain.Account, error)
	// Account returns the account of that id, or NotFound.
	Account(ctx context.Context, id uuid.UUID) (domain.Account, error)
	// AccountByAPIToken returns the account of a valid token's hash and the token's mode, or
	// NotFound.
	AccountByAPIToken(ctx context.Context, hash []byte) (domain.Account, domain.Mode, error)
	// ChangeAccount stores a change. A new password or disabling the account ends all its sessions.
	// The error is NotFound.
	ChangeAccount(ctx context.Context, id uuid.UUID, c AccountChange, now time.Time) (domain.Account, error)
	// StartFamily stores a session with the hash of its first refresh token and of the place from
	// which it was begun. The error is Unauthorized if the account's password has changed or the
	// account is disabled.
	StartFamily(ctx context.Context, family uuid.UUID, a domain.Account, hash, place []byte, now, expires time.Time) error
	// KnowsPlace reports whether a stored session of the address's account was begun at that place.
	KnowsPlace(ctx context.Context, email string, place []byte) (bool, error)
	// Rotate replaces a refresh token by the next, or returns Unauthorized. It is atomic: the
	// second of two uses ends the session.
	Rotate(ctx context.Context, hash, next []byte, now, expires time.Time) (family, account uuid.UUID, err error)
	// Resume returns the session of a valid refresh token, its start and its account, and keeps the
	// token. The error is Unauthorized, also if the account is disabled.
	Resume(ctx context.Context, hash []byte, now time.Time) (family uuid.UUID, begun time.Time, account domain.Account, err error)
	// EndFamily ends the session of a refresh token. It ignores an unknown token.
	EndFamily(ctx context.Context, hash []byte, now time.Time) error
	// FindInvitation returns the invitation whose token has that hash, or NotFound if it has expired or
	// does not exist.
	FindInvitation(ctx context.Context, hash []byte, now time.Time) (domain.Invitation, error)
	// Accept atomically uses up the invitation whose token has that hash and stores the account.
	// The error is NotFound, or Conflict if the address has an account.
	Accept(ctx context.Context, hash []byte, made domain.Account) error
	// EndedFamilies lists the sessions that have ended since that time.
	EndedFamilies(ctx context.Context, since time.Time) ([]uuid.UUID, error)
}

// AccountChange is the stored form of a change. A nil field is unchanged.
type AccountChange struct {
	Name         *string
	PasswordHash *string
	Disabled     *bool
}
