package auth

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// NewAccount returns an account for a request that Check has accepted.
func NewAccount(asked domain.NewAccount, now time.Time) (domain.Account, error) {
	hash, err := HashPassword(asked.Password)
	if err != nil {
		return domain.Account{}, err
	}
	id, err := uuid.NewV7() // ordered by time of creation
	return domain.Account{
		ID: id, Email: domain.NormalEmail(asked.Email), Name: asked.Name, Role: asked.Role, PasswordHash: hash, CreatedAt: now,
	}, err
}

// ChangeAccount changes an account for an operator; Check has accepted the request. A new password
// ends all sessions. Disabling the account does too, and its API tokens are refused until it is
// enabled. The error is NotFound, or Conflict for operators who would disable their own account.
func (s *Service) ChangeAccount(ctx context.Context, operator, id uuid.UUID, asked domain.AccountChange) (domain.Account, error) {
	change := AccountChange{Name: asked.Name, Disabled: asked.Disabled}
	if asked.Disabled != nil && *asked.Disabled && id == operator {
		return domain.Account{}, &domain.Error{Code: domain.Conflict, Message: "you cannot disable your own account; another operator can"}
	}
	if asked.Password != nil {
		hash, err := HashPassword(*asked.Password)
		if err != nil {
			return domain.Account{}, err
		}
		change.PasswordHash = &hash
	}
	changed, err := s.store.ChangeAccount(ctx, id, change, s.now())
	if err != nil {
		return domain.Account{}, err
	}
	return changed, s.ended.renew(ctx)
}

// NewAPIToken returns a long-lived token of an account. Its text begins with pk_live_ or pk_test_
// and is shown once. Only its hash, HashToken, is stored.
func NewAPIToken(account uuid.UUID, asked domain.NewAPIToken, now time.Time) (made domain.APIToken, text string, err error) {
	id, err := uuid.NewV7() // ordered by time of creation
	mode := cmp.Or(asked.Mode, domain.Live)
	return domain.APIToken{ID: id, AccountID: account, Name: asked.Name, Mode: mode, CreatedAt: now}, "pk_" + string(mode) + "_" + NewToken(), err
}

// parameters of argon2id follow OWASP's cheat sheet. With 19 MiB and two passes, a guess takes
// about 20 ms.
var parameters = argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// decoy is a hash of the same cost, for unknown accounts.
const decoy = "$argon2id$v=19$m=19456,t=2,p=1$93x73KoZF0y/OjlfHpUORg$NZGdQI6W5NaMYEIZkux4Exc80P2qlJcz9qjIrPbu3HE"

// passwords limits concurrent password checks, because each needs much memory.
type passwords chan struct{}

// match reports whether a password has that hash. For "", which means no account, it takes the same
// time.
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

// HashPassword returns the hash to store.
func HashPassword(password string) (string, error) {
	hash, err := argon2id.CreateHash(password, &parameters)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return hash, nil
}
