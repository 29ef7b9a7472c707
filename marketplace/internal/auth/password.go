package auth

import (
	"context"
	"fmt"
	"runtime"

	"github.com/alexedwards/argon2id"
)

// parameters of argon2id, of OWASP's cheat sheet: 19 MiB and two passes cost a guess
// some 20 ms.
var parameters = argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// decoy is a hash of the same cost, which stands for accounts that do not exist.
const decoy = "$argon2id$v=19$m=19456,t=2,p=1$93x73KoZF0y/OjlfHpUORg$NZGdQI6W5NaMYEIZkux4Exc80P2qlJcz9qjIrPbu3HE"

// passwords checks passwords, a few at a time: each takes its memory.
type passwords chan struct{}

func newPasswords() passwords { return make(passwords, runtime.GOMAXPROCS(0)) }

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
