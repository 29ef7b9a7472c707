package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// errRefresh is the one answer to a refresh token that is not good, whatever is wrong
// with it.
var errRefresh = &marketplace.Error{Code: marketplace.Unauthorized, Message: "unauthorized access"}

// StartFamily stores a sign-in with its first refresh token's hash. The account's row is
// held meanwhile: whoever locks it out ends this sign-in as well, or it is Unauthorized,
// as it is where the password has changed.
func (a *Accounts) StartFamily(ctx context.Context, family uuid.UUID, of marketplace.Account, hash []byte, now, expires time.Time) error {
	return a.transaction(ctx, func(tx pgx.Tx) error {
		started, err := tx.Exec(ctx, `
			INSERT INTO refresh_families (id, account_id, created_at)
			SELECT $1, id, $4 FROM accounts WHERE id = $2 AND password_hash = $3 AND disabled_at IS NULL FOR SHARE`, family, of.ID, of.PasswordHash, now)
		if err != nil {
			return err
		}
		if started.RowsAffected() == 0 {
			return errRefresh
		}
		return addRefreshToken(ctx, tx, family, hash, expires)
	})
}

func addRefreshToken(ctx context.Context, tx pgx.Tx, family uuid.UUID, hash []byte, expires time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO refresh_tokens (hash, family_id, expires_at) VALUES ($1, $2, $3)`, hash, family, expires)
	return err
}

// Rotate uses a refresh token up for the next one, and returns whose it is. A token
// that was used before ends its whole family; that, and any other that is not good,
// is Unauthorized. Of two uses at the same time one is the second.
func (a *Accounts) Rotate(ctx context.Context, hash, next []byte, now, expires time.Time) (family, account uuid.UUID, err error) {
	var stolen bool
	err = a.transaction(ctx, func(tx pgx.Tx) error {
		var used, revoked *time.Time
		var ends time.Time
		err := tx.QueryRow(ctx, `
			SELECT f.id, f.account_id, t.expires_at, t.used_at, f.revoked_at
			FROM refresh_tokens t JOIN refresh_families f ON f.id = t.family_id
			WHERE t.hash = $1 FOR UPDATE`, hash).Scan(&family, &account, &ends, &used, &revoked)
		switch {
		case err == pgx.ErrNoRows:
			return errRefresh
		case err != nil:
			return err
		case used != nil:
			stolen = true
			_, err := tx.Exec(ctx, `UPDATE refresh_families SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1`, family, now)
			return err
		case revoked != nil || !now.Before(ends):
			return errRefresh
		}
		if _, err := tx.Exec(ctx, `UPDATE refresh_tokens SET used_at = $2 WHERE hash = $1`, hash, now); err != nil {
			return err
		}
		return addRefreshToken(ctx, tx, family, next, expires)
	})
	if err == nil && stolen {
		err = errRefresh
	}
	return family, account, err
}

// Resume returns the account of a refresh token's sign-in, and when that was begun. A token
// that is not good any more, or whose account is locked out, is Unauthorized.
func (a *Accounts) Resume(ctx context.Context, hash []byte, now time.Time) (family uuid.UUID, begun time.Time, account marketplace.Account, err error) {
	err = a.pool.QueryRow(ctx, `
		SELECT f.id, f.created_at, a.id, a.email, a.name, a.role, a.created_at
		FROM refresh_tokens t JOIN refresh_families f ON f.id = t.family_id JOIN accounts a ON a.id = f.account_id
		WHERE t.hash = $1 AND t.used_at IS NULL AND t.expires_at > $2 AND f.revoked_at IS NULL AND a.disabled_at IS NULL`, hash, now).
		Scan(&family, &begun, &account.ID, &account.Email, &account.Name, &account.Role, &account.CreatedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		err = errRefresh
	}
	return family, begun, account, err
}

// EndFamily ends the sign-in that a refresh token belongs to. One that is not known
// ends nothing, and is no error.
func (a *Accounts) EndFamily(ctx context.Context, hash []byte, now time.Time) error {
	_, err := a.pool.Exec(ctx, `
		UPDATE refresh_families SET revoked_at = coalesce(revoked_at, $2)
		WHERE id = (SELECT family_id FROM refresh_tokens WHERE hash = $1)`, hash, now)
	return err
}

// EndedFamilies lists the sign-ins that were ended since then.
func (a *Accounts) EndedFamilies(ctx context.Context, since time.Time) ([]uuid.UUID, error) {
	return all(ctx, a.pool, pgx.RowTo[uuid.UUID], `SELECT id FROM refresh_families WHERE revoked_at > $1`, since)
}

// DropExpiredRefreshTokens deletes the sign-ins whose last token has expired, and
// returns how many.
func (a *Accounts) DropExpiredRefreshTokens(ctx context.Context, now time.Time) (int64, error) {
	return a.delete(ctx, `
		DELETE FROM refresh_families f
		WHERE NOT EXISTS (SELECT FROM refresh_tokens t WHERE t.family_id = f.id AND t.expires_at > $1)`, now)
}
