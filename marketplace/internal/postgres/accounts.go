package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
)

// Accounts stores accounts with their tokens and sessions. It is an auth.Store.
type Accounts struct{ database }

// CreateAccount stores a new account. The error is Conflict if the address has one.
func (a *Accounts) CreateAccount(ctx context.Context, made domain.Account) error {
	return createAccount(ctx, a.pool, made)
}

// execer executes statements: a pool or a transaction.
type execer interface {
	Exec(ctx context.Context, statement string, args ...any) (pgconn.CommandTag, error)
}

func createAccount(ctx context.Context, in execer, made domain.Account) error {
	// Without a violated constraint, because the server would log the address.
	added, err := in.Exec(ctx, `
		INSERT INTO accounts (id, email, name, role, password_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (email) DO NOTHING`,
		made.ID, made.Email, made.Name, made.Role, made.PasswordHash, made.CreatedAt)
	if err == nil && added.RowsAffected() == 0 {
		err = &domain.Error{Code: domain.Conflict, Reason: domain.AlreadyExists, Message: "an account with this email exists"}
	}
	return err
}

const accountColumns = `SELECT id, email, name, role, password_hash, created_at, disabled_at FROM accounts `

// AccountByEmail returns the account with that email address.
func (a *Accounts) AccountByEmail(ctx context.Context, email string) (domain.Account, error) {
	return a.account(ctx, accountColumns+`WHERE email = $1`, email)
}

// Account returns the account with that id.
func (a *Accounts) Account(ctx context.Context, id uuid.UUID) (domain.Account, error) {
	return a.account(ctx, accountColumns+`WHERE id = $1`, id)
}

var accountList = list[domain.Account]{
	columns: accountColumns, rows: "accounts", at: "created_at", id: "id", scan: pgx.RowToStructByName[domain.Account],
	cursor: func(a domain.Account) domain.Cursor { return domain.Cursor{At: a.CreatedAt, ID: a.ID} },
}

// List returns a page of the accounts of a role (all roles for "") with the words in their address
// or name, in order of creation.
func (a *Accounts) List(ctx context.Context, role domain.Role, words string, asked domain.PageRequest) (domain.Page[domain.Account], error) {
	f := newFilters()
	if role != "" {
		f.add("role = @role", "role", role)
	}
	if words != "" {
		f.search(`left(lower(email || E'\n' || name), 500)`, "", words)
	}
	return accountList.page(ctx, a.database, f, asked)
}

// ChangeAccount applies a change to an account and returns the changed account.
func (a *Accounts) ChangeAccount(ctx context.Context, id uuid.UUID, c auth.AccountChange, now time.Time) (changed domain.Account, err error) {
	err = a.transaction(ctx, func(tx pgx.Tx) error {
		changed, err = one(ctx, tx, "account", pgx.RowToStructByName[domain.Account], `
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

func (a *Accounts) account(ctx context.Context, query string, args ...any) (domain.Account, error) {
	return one(ctx, a.pool, "account", pgx.RowToStructByName[domain.Account], query, args...)
}

// AddAPIToken stores a token's hash (SHA-256, 32 bytes) with its description. The error is NotFound
// without an account of that role.
func (a *Accounts) AddAPIToken(ctx context.Context, t domain.APIToken, hash []byte, role domain.Role) error {
	added, err := a.pool.Exec(ctx, `
		INSERT INTO api_tokens (id, account_id, name, hash, created_at, mode)
		SELECT $1, id, $3, $4, $5, nullif($7, '') FROM accounts WHERE id = $2 AND role = $6`,
		t.ID, t.AccountID, t.Name, hash, t.CreatedAt, role, string(t.Mode))
	if err == nil && added.RowsAffected() == 0 {
		err = notFound(pgx.ErrNoRows, "account")
	}
	return err
}

// RevokeAPIToken revokes a token of that account, or returns NotFound. It is idempotent.
func (a *Accounts) RevokeAPIToken(ctx context.Context, account, token uuid.UUID, at time.Time) error {
	found, err := a.pool.Exec(ctx, `
		UPDATE api_tokens SET revoked_at = coalesce(revoked_at, $3) WHERE account_id = $1 AND id = $2`, account, token, at)
	if err == nil && found.RowsAffected() == 0 {
		err = notFound(pgx.ErrNoRows, "token")
	}
	return err
}

// APITokens returns the last tokens of an account, newest first.
func (a *Accounts) APITokens(ctx context.Context, account uuid.UUID) ([]domain.APIToken, error) {
	return queryAll(ctx, a.pool, pgx.RowToStructByName[domain.APIToken], `
		SELECT id, account_id, name, coalesce(mode, '') AS mode, created_at, revoked_at FROM api_tokens WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`, account, mostTokens)
}

// mostTokens limits the tokens that are shown.
const mostTokens = 1000

// AccountByAPIToken returns the account of the API token with that hash, and the token's mode.
func (a *Accounts) AccountByAPIToken(ctx context.Context, hash []byte) (found domain.Account, mode domain.Mode, err error) {
	err = a.pool.QueryRow(ctx, `
		SELECT a.id, a.email, a.name, a.role, a.created_at, coalesce(t.mode, '')
		FROM api_tokens t JOIN accounts a ON a.id = t.account_id
		WHERE t.hash = $1 AND t.revoked_at IS NULL AND a.disabled_at IS NULL`, hash).
		Scan(&found.ID, &found.Email, &found.Name, &found.Role, &found.CreatedAt, &mode)
	return found, mode, notFound(err, "account")
}

// errRefresh is the error for every invalid refresh token, whatever the reason.
var errRefresh = &domain.Error{Code: domain.Unauthorized, Message: "unauthorized access"}

// StartFamily stores a session with the hashes of its first refresh token and its place. It locks the account's
// row, so that disabling the account ends this session too. The error is Unauthorized if the
// account is disabled or its password has changed.
func (a *Accounts) StartFamily(ctx context.Context, family uuid.UUID, of domain.Account, hash, place []byte, now, expires time.Time) error {
	return a.transaction(ctx, func(tx pgx.Tx) error {
		started, err := tx.Exec(ctx, `
			INSERT INTO refresh_families (id, account_id, created_at, place)
			SELECT $1, id, $4, $5 FROM accounts WHERE id = $2 AND password_hash = $3 AND disabled_at IS NULL FOR SHARE`, family, of.ID, of.PasswordHash, now, place)
		if err != nil {
			return err
		}
		if started.RowsAffected() == 0 {
			return errRefresh
		}
		return addRefreshToken(ctx, tx, family, hash, expires)
	})
}

// KnowsPlace reports whether a stored session of the account was begun at that place.
func (a *Accounts) KnowsPlace(ctx context.Context, email string, place []byte) (known bool, err error) {
	err = a.pool.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM refresh_families f JOIN accounts a ON a.id = f.account_id WHERE a.email = $1 AND f.place = $2)`, email, place).Scan(&known)
	return known, err
}

func addRefreshToken(ctx context.Context, tx pgx.Tx, family uuid.UUID, hash []byte, expires time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO refresh_tokens (hash, family_id, expires_at) VALUES ($1, $2, $3)`, hash, family, expires)
	return err
}

// Rotate replaces a refresh token by the next one; see auth.Store. Both are given by their hashes.
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
		case !now.Before(ends): // used or not: an expired token is deleted anyway, so it proves nothing
			return errRefresh
		case used != nil:
			stolen = true
			_, err := tx.Exec(ctx, `UPDATE refresh_families SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1`, family, now)
			return err
		case revoked != nil:
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

// Resume returns the session of a refresh token, given by its hash: its family, its start and its
// account.
func (a *Accounts) Resume(ctx context.Context, hash []byte, now time.Time) (family uuid.UUID, begun time.Time, account domain.Account, err error) {
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

// EndFamily ends the session of a refresh token, given by its hash.
func (a *Accounts) EndFamily(ctx context.Context, hash []byte, now time.Time) error {
	_, err := a.pool.Exec(ctx, `
		UPDATE refresh_families SET revoked_at = coalesce(revoked_at, $2)
		WHERE id = (SELECT family_id FROM refresh_tokens WHERE hash = $1)`, hash, now)
	return err
}

// EndedFamilies lists the sessions that have ended since that time.
func (a *Accounts) EndedFamilies(ctx context.Context, since time.Time) ([]uuid.UUID, error) {
	return queryAll(ctx, a.pool, pgx.RowTo[uuid.UUID], `SELECT id FROM refresh_families WHERE revoked_at > $1`, since)
}

// Invite stores an invitation and replaces an earlier one for the address. The error is Conflict if
// the address has an account.
func (a *Accounts) Invite(ctx context.Context, made domain.Invitation, hash []byte) error {
	added, err := a.pool.Exec(ctx, `
		INSERT INTO invitations (id, email, name, hash, created_at, expires_at)
		SELECT @id, @email, @name, @hash, @created_at, @expires_at WHERE NOT EXISTS (SELECT FROM accounts WHERE email = @email)
		ON CONFLICT (email) DO UPDATE SET id = excluded.id, name = excluded.name, hash = excluded.hash, created_at = excluded.created_at, expires_at = excluded.expires_at`,
		pgx.NamedArgs{"id": made.ID, "email": made.Email, "name": made.Name, "hash": hash, "created_at": made.CreatedAt, "expires_at": made.ExpiresAt})
	if err == nil && added.RowsAffected() == 0 {
		err = &domain.Error{Code: domain.Conflict, Reason: domain.AlreadyExists, Message: "an account with this email exists"}
	}
	return err
}

const invitationColumns = `SELECT id, email, name, created_at, expires_at FROM invitations `

var invitationList = list[domain.Invitation]{
	columns: invitationColumns, rows: "invitations", at: "created_at", id: "id", scan: pgx.RowToStructByName[domain.Invitation],
	cursor: func(i domain.Invitation) domain.Cursor {
		return domain.Cursor{At: i.CreatedAt, ID: i.ID}
	},
}

// Invitations returns a page of the open invitations in order of creation.
func (a *Accounts) Invitations(ctx context.Context, now time.Time, asked domain.PageRequest) (domain.Page[domain.Invitation], error) {
	f := newFilters()
	f.add("expires_at > @now", "now", now)
	return invitationList.page(ctx, a.database, f, asked)
}

// Uninvite revokes an invitation, or returns NotFound.
func (a *Accounts) Uninvite(ctx context.Context, id uuid.UUID) error {
	deleted, err := a.delete(ctx, `DELETE FROM invitations WHERE id = $1`, id)
	if err == nil && deleted == 0 {
		err = &domain.Error{Code: domain.NotFound, Message: "invitation not found"}
	}
	return err
}

// FindInvitation returns the open invitation whose token has that hash.
func (a *Accounts) FindInvitation(ctx context.Context, hash []byte, now time.Time) (domain.Invitation, error) {
	return one(ctx, a.pool, "invitation", pgx.RowToStructByName[domain.Invitation], invitationColumns+`WHERE hash = $1 AND expires_at > $2`, hash, now)
}

// Accept creates the account of the invitation whose token has that hash, and uses the invitation
// up.
func (a *Accounts) Accept(ctx context.Context, hash []byte, made domain.Account) error {
	return a.transaction(ctx, func(tx pgx.Tx) error {
		if _, err := one(ctx, tx, "invitation", pgx.RowTo[uuid.UUID], `DELETE FROM invitations WHERE hash = $1 AND expires_at > $2 RETURNING id`, hash, made.CreatedAt); err != nil {
			return err
		}
		return createAccount(ctx, tx, made)
	})
}

// DropExpiredInvitations deletes at most most expired invitations and returns their number.
func (a *Accounts) DropExpiredInvitations(ctx context.Context, now time.Time, most int) (int64, error) {
	return a.delete(ctx, `DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`, now, most)
}

// DropExpiredRefreshTokens deletes expired tokens, at most most, and sessions whose last token has
// expired. It returns the number of tokens.
func (a *Accounts) DropExpiredRefreshTokens(ctx context.Context, now time.Time, most int) (int64, error) {
	return a.delete(ctx, `
		WITH expired AS MATERIALIZED (SELECT hash, family_id FROM refresh_tokens WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED),
			ended AS (
				DELETE FROM refresh_families f WHERE f.id IN (SELECT family_id FROM expired)
					AND NOT EXISTS (SELECT FROM refresh_tokens t WHERE t.family_id = f.id AND t.expires_at > $1))
		DELETE FROM refresh_tokens WHERE hash IN (SELECT hash FROM expired)`, now, most)
}
