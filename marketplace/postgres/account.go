package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace"
)

// CreateAccount stores a new account. The error is Conflict where the address has one.
func (s *Store) CreateAccount(ctx context.Context, a marketplace.Account) error {
	_, err := s.pool.Exec(ctx, `
		INSERT INTO accounts (id, email, name, role, password_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		a.ID, a.Email, a.Name, a.Role, a.PasswordHash, a.CreatedAt)
	if violates(err, "accounts_email_key") {
		return &marketplace.Error{Code: marketplace.Conflict, Message: "there is an account with this email", Cause: err}
	}
	return err
}

// AccountByEmail returns the account of a normal address, or NotFound.
func (s *Store) AccountByEmail(ctx context.Context, email string) (marketplace.Account, error) {
	return s.account(ctx, `SELECT id, email, name, role, password_hash, created_at FROM accounts WHERE email = $1`, email)
}

// Account returns the account of that id, or NotFound.
func (s *Store) Account(ctx context.Context, id uuid.UUID) (marketplace.Account, error) {
	return s.account(ctx, `SELECT id, email, name, role, password_hash, created_at FROM accounts WHERE id = $1`, id)
}

func (s *Store) account(ctx context.Context, query string, args ...any) (marketplace.Account, error) {
	rows, err := s.pool.Query(ctx, query, args...)
	if err != nil {
		return marketplace.Account{}, err
	}
	a, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[marketplace.Account])
	return a, notFound(err, "account")
}

// AddAPIToken stores a token's hash (SHA-256, 32 bytes) with its description. The
// error is NotFound where there is no such account of that role.
func (s *Store) AddAPIToken(ctx context.Context, t marketplace.APIToken, hash []byte, role marketplace.Role) error {
	added, err := s.pool.Exec(ctx, `
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
func (s *Store) RevokeAPIToken(ctx context.Context, account, token uuid.UUID, at time.Time) error {
	found, err := s.pool.Exec(ctx, `
		UPDATE api_tokens SET revoked_at = coalesce(revoked_at, $3) WHERE account_id = $1 AND id = $2`, account, token, at)
	if err == nil && found.RowsAffected() == 0 {
		err = notFound(pgx.ErrNoRows, "token")
	}
	return err
}

// AccountByAPIToken returns the account whose good token has that hash, or NotFound.
func (s *Store) AccountByAPIToken(ctx context.Context, hash []byte) (marketplace.Account, error) {
	return s.account(ctx, `
		SELECT a.id, a.email, a.name, a.role, a.password_hash, a.created_at
		FROM api_tokens t JOIN accounts a ON a.id = t.account_id
		WHERE t.hash = $1 AND t.revoked_at IS NULL`, hash)
}
