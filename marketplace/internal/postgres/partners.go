package postgres

import (
	"context"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Partners keeps integrations, how their partners fare, and how they break the contract.
type Partners struct{ database }

// CreateIntegration stores a new integration. The error is Conflict where the account
// has a live one of the same address. The activities of one that was deleted become
// the new one's: whoever registers again gets the same, not others like them.
func (p *Partners) CreateIntegration(ctx context.Context, i marketplace.Integration) error {
	batch := &pgx.Batch{}
	batch.Queue(`
		INSERT INTO integrations (id, account_id, name, base_url, auth_type, auth_key, webhook_secret_hash, handles_ticket_delivery, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		i.ID, i.AccountID, i.Name, i.BaseURL.String(), i.AuthType, i.AuthKey, i.WebhookSecretHash, i.HandlesTicketDelivery, i.CreatedAt)
	batch.Queue(`INSERT INTO integration_health (integration_id, state, failure_count, consecutive_failures, consecutive_ok) VALUES ($1, 'HEALTHY', 0, 0, 0)`, i.ID)
	batch.Queue(`
		UPDATE activities SET integration_id = $1
		WHERE integration_id IN (SELECT id FROM integrations WHERE account_id = $2 AND base_url = $3 AND deleted_at IS NOT NULL)`,
		i.ID, i.AccountID, i.BaseURL.String())
	err := p.pool.SendBatch(ctx, batch).Close() // outside of a transaction, a batch is one
	if violates(err, "integrations_live_base_url") {
		return &marketplace.Error{Code: marketplace.Conflict, Message: "there is a live integration of this base_url", Cause: err}
	}
	return err
}

const integrationColumns = `
	SELECT id, account_id, name, base_url, auth_type, auth_key, webhook_secret_hash, handles_ticket_delivery, created_at, last_sync_at
	FROM integrations `

// Integration returns the live integration of that id, or NotFound.
func (p *Partners) Integration(ctx context.Context, id uuid.UUID) (marketplace.Integration, error) {
	return one(ctx, p.pool, "integration", scanIntegration, integrationColumns+`WHERE id = $1 AND deleted_at IS NULL`, id)
}

// Integrations returns the live integrations of an account, or of all where that is
// the zero id, in the order of their making.
func (p *Partners) Integrations(ctx context.Context, account uuid.UUID) ([]marketplace.Integration, error) {
	return all(ctx, p.pool, scanIntegration, integrationColumns+`
		WHERE deleted_at IS NULL AND ($1::uuid = '00000000-0000-0000-0000-000000000000' OR account_id = $1) ORDER BY created_at, id`, account)
}

func scanIntegration(row pgx.CollectableRow) (i marketplace.Integration, err error) {
	err = row.Scan(&i.ID, &i.AccountID, &i.Name, address{&i.BaseURL}, &i.AuthType, &i.AuthKey, &i.WebhookSecretHash, &i.HandlesTicketDelivery,
		&i.CreatedAt, (*zeronull.Timestamptz)(&i.LastSyncAt))
	return i, err
}

// address scans a partner's address.
type address struct{ into **url.URL }

// ScanText is pgx's.
func (a address) ScanText(text pgtype.Text) (err error) {
	*a.into, err = url.Parse(text.String)
	return err
}

// DeleteIntegration ends a live integration, or returns NotFound: its activities are
// not sold any more. What later calls for its bookings need stays.
func (p *Partners) DeleteIntegration(ctx context.Context, id uuid.UUID, at time.Time) error {
	return p.transaction(ctx, func(tx pgx.Tx) error {
		ended, err := tx.Exec(ctx, `
			UPDATE integrations SET deleted_at = $2, catalog_hash = NULL, catalog_rules = NULL, guarded_hash = NULL WHERE id = $1 AND deleted_at IS NULL`, id, at)
		if err != nil {
			return err
		}
		if ended.RowsAffected() == 0 {
			return notFound(pgx.ErrNoRows, "integration")
		}
		_, err = tx.Exec(ctx, `UPDATE activities SET partner_active = false WHERE integration_id = $1 AND partner_active`, id)
		return err
	})
}

// How long a deleted integration's key is kept at least, and after the end of what may
// still be cancelled.
const (
	keptKey       = 24 * time.Hour
	keptForCancel = 30 * 24 * time.Hour
)

// ForgetKeys empties the keys of deleted integrations that no booking needs any more, and
// returns of how many. What waits for an operator may be sent again.
func (p *Partners) ForgetKeys(ctx context.Context, now time.Time) (int64, error) {
	return p.delete(ctx, `
		UPDATE integrations i SET auth_key = '' WHERE deleted_at <= $1 AND auth_key <> '' AND NOT EXISTS (
			SELECT FROM bookings b WHERE b.integration_id = i.id AND (
				b.status IN ('RESERVING', 'HELD', 'PAID') OR b.release = 'pending' OR b.cancellation = 'pending'
				OR (b.status = 'CONFIRMED' AND b.ends_at > $2)
				OR EXISTS (SELECT FROM booking_attention t WHERE t.booking_id = b.id AND t.settled_at IS NULL)))`, now.Add(-keptKey), now.Add(-keptForCancel))
}
