package auth

import (
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// NewAccount makes an account of what was asked for, which Check has found good.
func NewAccount(asked marketplace.NewAccount, now time.Time) (marketplace.Account, error) {
	hash, err := HashPassword(asked.Password)
	if err != nil {
		return marketplace.Account{}, err
	}
	id, err := uuid.NewV7() // in the order of their making
	return marketplace.Account{
		ID: id, Email: marketplace.NormalEmail(asked.Email), Name: asked.Name, Role: asked.Role, PasswordHash: hash, CreatedAt: now,
	}, err
}

// ChangeAccount changes an account by an operator's wish, which Check has found good. A
// new password ends all sign-ins, and so does locking the account out, whose API tokens
// are no good until it is let in again. The error is NotFound, or Conflict for an
// operator who would lock itself out.
func (s *Service) ChangeAccount(ctx context.Context, operator, id uuid.UUID, asked marketplace.AccountChange) (marketplace.Account, error) {
	change := AccountChange{Name: asked.Name, Disabled: asked.Disabled}
	if asked.Disabled != nil && *asked.Disabled && id == operator {
		return marketplace.Account{}, &marketplace.Error{Code: marketplace.Conflict, Message: "nobody can lock itself out: another operator can"}
	}
	if asked.Password != nil {
		hash, err := HashPassword(*asked.Password)
		if err != nil {
			return marketplace.Account{}, err
		}
		change.PasswordHash = &hash
	}
	changed, err := s.store.ChangeAccount(ctx, id, change, s.now())
	if err != nil {
		return marketplace.Account{}, err
	}
	return changed, s.ended.renew(ctx)
}

// NewAPIToken makes a long-lived token of an account. The text is shown once; its hash,
// HashToken, is what is stored.
func NewAPIToken(account uuid.UUID, name string, now time.Time) (made marketplace.APIToken, text string, err error) {
	id, err := uuid.NewV7() // in the order of their making
	return marketplace.APIToken{ID: id, AccountID: account, Name: name, CreatedAt: now}, NewToken(), err
}
