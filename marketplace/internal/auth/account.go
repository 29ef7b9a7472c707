package auth

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/alexedwards/argon2id"
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

// ChangeAccount changes an account as an operator requests; Check has accepted the request. A
// new password ends all sign-ins. So does disabling the account: its API tokens are refused
// until it is enabled again. The error is NotFound, or Conflict for an operator who would
// disable their own account.
func (s *Service) ChangeAccount(ctx context.Context, operator, id uuid.UUID, asked marketplace.AccountChange) (marketplace.Account, error) {
	change := AccountChange{Name: asked.Name, Disabled: asked.Disabled}
	if asked.Disabled != nil && *asked.Disabled && id == operator {
		return marketplace.Account{}, &marketplace.Error{Code: marketplace.Conflict, Message: "you cannot disable your own account; another operator can"}
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

// NewAPIToken makes a long-lived token of an account. Its text begins with pk_live_ or
// pk_test_ and is shown once; its hash, HashToken, is what is stored.
func NewAPIToken(account uuid.UUID, asked marketplace.NewAPIToken, now time.Time) (made marketplace.APIToken, text string, err error) {
	id, err := uuid.NewV7() // in the order of their making
	mode := cmp.Or(asked.Mode, marketplace.Live)
	return marketplace.APIToken{ID: id, AccountID: account, Name: asked.Name, Mode: mode, CreatedAt: now}, "pk_" + string(mode) + "_" + NewToken(), err
}

// parameters of argon2id, of OWASP's cheat sheet: 19 MiB and two passes cost a guess
// some 20 ms.
var parameters = argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// decoy is a hash of the same cost, which stands for accounts that do not exist.
const decoy = "$argon2id$v=19$m=19456,t=2,p=1$93x73KoZF0y/OjlfHpUORg$NZGdQI6W5NaMYEIZkux4Exc80P2qlJcz9qjIrPbu3HE"

// passwords checks passwords, a few at a time: each takes its memory.
type passwords chan struct{}

// match reports whether a password has that hash; "" stands for no account, which
// takes the same time.
func (p passwords) match(ctx context.Context, password, hash string) (bool, error) {
	select {
	case p <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-p }()
	known := hash != ""
	if !known {
		hash = decoy
	}
	good, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return false, fmt.Errorf("check a password: %w", err)
	}
	return good && known, nil
}

// HashPassword returns what is stored of a password.
func HashPassword(password string) (string, error) {
	hash, err := argon2id.CreateHash(password, &parameters)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return hash, nil
}
