package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/signin"
)

// Accounts keeps accounts, with their tokens and sign-ins.
type Accounts struct{ database }

// CreateAccount stores a new account. The error is Conflict where the address has one.
func (a *Accounts) CreateAccount(ctx context.Context, made marketplace.Account) error {
	_, err := a.pool.Exec(ctx, `
		INSERT INTO accounts (id, email, name, role, password_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		made.ID, made.Email, made.Name, made.Role, made.PasswordHash, made.CreatedAt)
	if violates(err, "accounts_email_key") {
		return &marketplace.Error{Code: marketplace.Conflict, Message: "there is an account with this email", Cause: err}
	}
	return err
}

const accountColumns = `SELECT id, email, name, role, password_hash, created_at, disabled_at FROM accounts `

// AccountByEmail returns the account of a normal address, or NotFound.
func (a *Accounts) AccountByEmail(ctx context.Context, email string) (marketplace.Account, error) {
	return a.account(ctx, accountColumns+`WHERE email = $1`, email)
}

// Account returns the account of that id, or NotFound.
func (a *Accounts) Account(ctx context.Context, id uuid.UUID) (marketplace.Account, error) {
	return a.account(ctx, accountColumns+`WHERE id = $1`, id)
}

// List returns a page of the accounts of a role, of all roles for "", that have the
// words in their address or name, in the order of their making, and how many there are.
func (a *Accounts) List(ctx context.Context, role marketplace.Role, words string, skip int64, size int) ([]marketplace.Account, int, error) {
	const where = `WHERE ($1 = '' OR role = $1) AND ($2 = '' OR position(lower($2) IN email) > 0 OR position(lower($2) IN lower(name)) > 0)`
	return page(ctx, a.database, pgx.RowToStructByName[marketplace.Account],
		`SELECT count(*) FROM accounts `+where, accountColumns+where+` ORDER BY created_at, id`, skip, size, role, words)
}

// ChangeAccount stores what is changed, or returns NotFound. A new password and locking
// the account out end its sign-ins.
func (a *Accounts) ChangeAccount(ctx context.Context, id uuid.UUID, c signin.AccountChange, now time.Time) (changed marketplace.Account, err error) {
	err = a.transaction(ctx, func(tx pgx.Tx) error {
		changed, err = one(ctx, tx, "account", pgx.RowToStructByName[marketplace.Account], `
			UPDATE accounts SET name = coalesce($2, name), password_hash = coalesce($3, password_hash),
				disabled_at = CASE WHEN $4 THEN coalesce(disabled_at, $5) WHEN NOT $4 THEN NULL ELSE disabled_at END
			WHERE id = $1 RETURNING id, email, name, role, password_hash, created_at, disabled_at`, id, c.Name, c.PasswordHash, c.Disabled, now)
		if err != nil {
			return err
		}
		if c.PasswordHash == nil && changed.DisabledAt == nil {
			return nil
		}
		_, err = tx.Exec(ctx, `UPDATE refresh_families SET revoked_at = $2 WHERE account_id = $1 AND revoked_at IS NULL`, id, now)
		return err
	})
	return changed, err
}

func (a *Accounts) account(ctx context.Context, query string, args ...any) (marketplace.Account, error) {
	return one(ctx, a.pool, "account", pgx.RowToStructByName[marketplace.Account], query, args...)
}

// AddAPIToken stores a token's hash (SHA-256, 32 bytes) with its description. The
// error is NotFound where there is no such account of that role.
func (a *Accounts) AddAPIToken(ctx context.Context, t marketplace.APIToken, hash []byte, role marketplace.Role) error {
	added, err := a.pool.Exec(ctx, `
		INSERT INTO api_tokens (id, account_id, name, hash, created_at)
		SELECT $1, id, $3, $4, $5 FROM accounts WHERE id = $2 AND role = $6`,
		t.ID, t.AccountID, t.Name, hash, t.CreatedAt, role)
	if err == nil && added.RowsAffected() == 0 {
		err = notFound(pgx.ErrNoRows, "account")
	}
	return err
}

// RevokeAPIToken ends a token of that account, or returns NotFound. To revoke it again
// changes nothing.
func (a *Accounts) RevokeAPIToken(ctx context.Context, account, token uuid.UUID, at time.Time) error {
	found, err := a.pool.Exec(ctx, `
		UPDATE api_tokens SET revoked_at = coalesce(revoked_at, $3) WHERE account_id = $1 AND id = $2`, account, token, at)
	if err == nil && found.RowsAffected() == 0 {
		err = notFound(pgx.ErrNoRows, "token")
	}
	return err
}

// APITokens returns the last tokens of an account, the newest first.
func (a *Accounts) APITokens(ctx context.Context, account uuid.UUID) ([]marketplace.APIToken, error) {
	return all(ctx, a.pool, pgx.RowToStructByName[marketplace.APIToken], `
		SELECT id, account_id, name, created_at, revoked_at FROM api_tokens WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`, account, mostTokens)
}

// mostTokens is how many tokens of an account are shown.
const mostTokens = 1000

// AccountByAPIToken returns the account whose good token has that hash, or NotFound,
// also where it is locked out.
func (a *Accounts) AccountByAPIToken(ctx context.Context, hash []byte) (marketplace.Account, error) {
	return a.account(ctx, accountColumns+`
		WHERE disabled_at IS NULL AND id = (SELECT account_id FROM api_tokens WHERE hash = $1 AND revoked_at IS NULL)`, hash)
}
