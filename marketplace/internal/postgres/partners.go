package postgres

import (
	"context"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// Partners stores integrations with their health and their breaches of the contract. It is a
// partner.Store.
type Partners struct{ database }

// CreateIntegration stores a new integration, and restores the activities of a deleted one at the
// same address.
func (p *Partners) CreateIntegration(ctx context.Context, i domain.Integration, most int) error {
	return addressTaken(p.transaction(ctx, func(tx pgx.Tx) error {
		if err := checkRoom(ctx, tx, i.AccountID, most); err != nil {
			return err
		}
		return createIntegration(ctx, tx, i)
	}))
}

// checkRoom returns Conflict if the account has that many integrations; 0 means any number. It
// locks the account, so that registrations at the same time are counted one after the other.
func checkRoom(ctx context.Context, tx pgx.Tx, account uuid.UUID, most int) error {
	if most == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, `SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE`, account); err != nil {
		return err
	}
	var live int
	err := tx.QueryRow(ctx, `SELECT count(*) FROM integrations WHERE account_id = $1 AND deleted_at IS NULL`, account).Scan(&live)
	if err == nil && live >= most {
		return domain.Errorf(domain.Conflict, "an account may have at most %d integrations; delete one, or ask an operator to register this one", most)
	}
	return err
}

func createIntegration(ctx context.Context, tx pgx.Tx, i domain.Integration) error {
	batch := &pgx.Batch{}
	batch.Queue(`
		INSERT INTO integrations (id, account_id, name, base_url, auth_type, auth_key, webhook_secret_hash, handles_ticket_delivery, created_at, mode,
			client_identity, client_certificate_sha256, client_certificate_expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		i.ID, i.AccountID, i.Name, i.BaseURL.String(), i.AuthType, i.AuthKey, i.WebhookSecretHash, i.HandlesTicketDelivery, i.CreatedAt, i.Mode,
		i.ClientIdentity, fingerprint(i), expiry(i))
	batch.Queue(`INSERT INTO integration_health (integration_id, state, failure_count, consecutive_failures, consecutive_ok) VALUES ($1, 'HEALTHY', 0, 0, 0)`, i.ID)
	// A partner that registers again gets its activities back, without copies.
	batch.Queue(`
		UPDATE activities SET integration_id = $1
		WHERE integration_id IN (SELECT id FROM integrations WHERE account_id = $2 AND base_url = $3 AND mode = $4 AND deleted_at IS NOT NULL)`,
		i.ID, i.AccountID, i.BaseURL.String(), i.Mode)
	return tx.SendBatch(ctx, batch).Close()
}

// addressTaken converts a violation of the unique index of live addresses to the domain's error.
func addressTaken(err error) error {
	if violates(err, "integrations_base_url_mode") {
		return &domain.Error{Code: domain.Conflict, Reason: domain.AlreadyExists, Message: "an integration with this base_url and mode exists", Cause: err}
	}
	return err
}

// ChangeIntegration stores new settings, or returns Conflict if the integration has changed
// meanwhile.
func (p *Partners) ChangeIntegration(ctx context.Context, before, after domain.Integration) error {
	changed, err := p.pool.Exec(ctx, `
		UPDATE integrations SET name = $5, base_url = $6, auth_type = $7, auth_key = $8, handles_ticket_delivery = $9,
			client_identity = $11, client_certificate_sha256 = $12, client_certificate_expires_at = $13
		WHERE id = $1 AND deleted_at IS NULL AND base_url = $2 AND auth_type = $3 AND auth_key = $4 AND client_identity IS NOT DISTINCT FROM $10`,
		before.ID, before.BaseURL.String(), before.AuthType, before.AuthKey,
		after.Name, after.BaseURL.String(), after.AuthType, after.AuthKey, after.HandlesTicketDelivery,
		before.ClientIdentity, after.ClientIdentity, fingerprint(after), expiry(after))
	if err != nil {
		return addressTaken(err)
	}
	if changed.RowsAffected() == 0 {
		if _, err := p.Integration(ctx, before.ID); err != nil {
			return err
		}
		return &domain.Error{Code: domain.Conflict, Message: "the integration was changed in the meantime; read it and send the change again"}
	}
	return nil
}

// RotateWebhookSecret replaces the webhook secret by its hash. It returns until when the previous
// one is valid too.
func (p *Partners) RotateWebhookSecret(ctx context.Context, id uuid.UUID, hash []byte, overlap time.Duration) (until time.Time, err error) {
	return one(ctx, p.pool, "integration", pgx.RowTo[time.Time], `
		UPDATE integrations SET previous_webhook_secret_hash = webhook_secret_hash, previous_webhook_secret_until = now() + $3::interval, webhook_secret_hash = $2
		WHERE id = $1 AND deleted_at IS NULL RETURNING previous_webhook_secret_until`, id, hash, overlap)
}

const integrationColumns = `
	SELECT id, account_id, name, mode, base_url, auth_type, auth_key, webhook_secret_hash,
		CASE WHEN previous_webhook_secret_until > now() THEN previous_webhook_secret_hash END,
		CASE WHEN previous_webhook_secret_until > now() THEN previous_webhook_secret_until END,
		handles_ticket_delivery, created_at, last_sync_at, client_identity, coalesce(client_certificate_sha256, ''), client_certificate_expires_at, in_registry
	FROM integrations `

// Integration returns the integration with that id.
func (p *Partners) Integration(ctx context.Context, id uuid.UUID) (domain.Integration, error) {
	return one(ctx, p.pool, "integration", scanIntegration, integrationColumns+`WHERE id = $1 AND deleted_at IS NULL`, id)
}

// Integrations lists all integrations.
func (p *Partners) Integrations(ctx context.Context) ([]domain.Integration, error) {
	return queryAll(ctx, p.pool, scanIntegration, integrationColumns+`WHERE deleted_at IS NULL ORDER BY created_at, id`)
}

var integrationList = list[domain.Integration]{
	columns: integrationColumns, rows: "integrations", at: "created_at", id: "id", scan: scanIntegration,
	cursor: func(i domain.Integration) domain.Cursor {
		return domain.Cursor{At: i.CreatedAt, ID: i.ID}
	},
}

// ListIntegrations returns a page of the live integrations in a scope whose name or address
// contains the words.
func (p *Partners) ListIntegrations(ctx context.Context, of domain.Scope, words string, asked domain.PageRequest) (domain.Page[domain.Integration], error) {
	f := newFilters()
	if words != "" { // there are too few integrations for an index
		f.add(`position(lower(@words) IN lower(name || E'\n' || base_url)) > 0`, "words", words)
	}
	f.conditions = append(f.conditions, "deleted_at IS NULL")
	f.addScope(of, "")
	return integrationList.page(ctx, p.database, f, asked)
}

// fingerprint and expiry return what is stored of the client certificate; nil without one.
func fingerprint(i domain.Integration) *string {
	if i.ClientCertificate == nil {
		return nil
	}
	return &i.ClientCertificate.Fingerprint
}

func expiry(i domain.Integration) *time.Time {
	if i.ClientCertificate == nil {
		return nil
	}
	return &i.ClientCertificate.ExpiresAt
}

func scanIntegration(row pgx.CollectableRow) (i domain.Integration, err error) {
	var shown domain.ClientCertificate
	err = row.Scan(&i.ID, &i.AccountID, &i.Name, &i.Mode, address{&i.BaseURL}, &i.AuthType, &i.AuthKey, &i.WebhookSecretHash,
		&i.PreviousWebhookSecretHash, (*zeronull.Timestamptz)(&i.PreviousWebhookSecretUntil), &i.HandlesTicketDelivery, &i.CreatedAt, (*zeronull.Timestamptz)(&i.LastSyncAt),
		&i.ClientIdentity, &shown.Fingerprint, (*zeronull.Timestamptz)(&shown.ExpiresAt), &i.InRegistry)
	if shown.Fingerprint != "" {
		i.ClientCertificate = &shown
	}
	return i, err
}

// address scans a partner's address.
type address struct{ into **url.URL }

// ScanText implements pgtype.TextScanner.
func (a address) ScanText(text pgtype.Text) (err error) {
	*a.into, err = url.Parse(text.String)
	return err
}

// DeleteIntegration deletes a live integration, or returns NotFound.
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

// How long a deleted integration's key is kept at least, and after the end of bookings that can
// still be cancelled.
const (
	keptKey       = 24 * time.Hour
	keptForCancel = 30 * 24 * time.Hour
)

// ForgetKeys erases the keys of deleted integrations that no booking needs, and returns their
// number. A booking that needs attention may still need its key.
func (p *Partners) ForgetKeys(ctx context.Context, now time.Time) (int64, error) {
	return p.delete(ctx, `
		UPDATE integrations i SET auth_key = '', client_identity = NULL WHERE deleted_at <= $1 AND auth_key <> '' AND NOT EXISTS (
			SELECT FROM bookings b WHERE b.integration_id = i.id AND (
				b.status IN ('RESERVING', 'HELD', 'PAID') OR b.release = 'pending' OR b.cancellation = 'pending'
				OR (b.status = 'CONFIRMED' AND b.ends_at > $2)
				OR EXISTS (SELECT FROM booking_attention t WHERE t.booking_id = b.id AND t.settled_at IS NULL)))`, now.Add(-keptKey), now.Add(-keptForCancel))
}

const healthColumns = `SELECT state, failure_count, consecutive_failures, consecutive_ok, last_ok_at FROM integration_health WHERE integration_id = $1`

func (p *Partners) health(ctx context.Context, integration uuid.UUID) (partner.Health, error) {
	return one(ctx, p.pool, "integration", scanHealth, healthColumns, integration)
}

func scanHealth(row pgx.CollectableRow) (h partner.Health, err error) {
	err = row.Scan(healthTargets(&h)...)
	return h, err
}

// healthTargets returns the scan targets for a row of health.
func healthTargets(h *partner.Health) []any {
	return []any{&h.State, &h.FailureCount, &h.ConsecutiveFailures, &h.ConsecutiveOK, (*zeronull.Timestamptz)(&h.LastOKAt)}
}

// Observe updates an integration's health after a call. Concurrent calls are counted one after the
// other. Nothing is written if only a moment has passed. It returns the new state if this call
// changed it, otherwise "".
func (p *Partners) Observe(ctx context.Context, integration uuid.UUID, call partner.Observation) (changed partnerapi.Health, err error) {
	before, err := p.health(ctx, integration)
	if err != nil {
		return "", err
	}
	if !before.After(call).WorthStoring(before) {
		return "", nil
	}
	err = p.transaction(ctx, func(tx pgx.Tx) error {
		changed = ""
		before, err := one(ctx, tx, "integration", scanHealth, healthColumns+" FOR UPDATE", integration)
		if err != nil {
			return err
		}
		after := before.After(call)
		if !after.WorthStoring(before) { // another replica has written it meanwhile
			return nil
		}
		if _, err := tx.Exec(ctx, `
			UPDATE integration_health SET state = $2, failure_count = $3, consecutive_failures = $4, consecutive_ok = $5, last_ok_at = $6
			WHERE integration_id = $1`, integration, after.State, after.FailureCount, after.ConsecutiveFailures, after.ConsecutiveOK, zeronull.Timestamptz(after.LastOKAt)); err != nil {
			return err
		}
		if after.State == before.State {
			return nil
		}
		_, err = tx.Exec(ctx, `INSERT INTO integration_health_changes (integration_id, at, state, reason) VALUES ($1, $2, $3, $4)`,
			integration, call.At, after.State, call.String())
		changed = after.State
		return err
	})
	if err != nil {
		return "", err
	}
	return changed, nil
}

// mostChanges is how many health changes are shown.
const mostChanges = 50

// Fares returns the health of integrations' partners.
func (p *Partners) Fares(ctx context.Context, integrations []uuid.UUID) (map[uuid.UUID]partner.Fare, error) {
	found := make(map[uuid.UUID]partner.Fare, len(integrations))
	batch := &pgx.Batch{}
	batch.Queue(`
		SELECT integration_id, state, failure_count, consecutive_failures, consecutive_ok, last_ok_at
		FROM integration_health WHERE integration_id = ANY ($1)`, integrations).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		var h partner.Health
		_, err := pgx.ForEachRow(rows, append([]any{&id}, healthTargets(&h)...), func() error {
			found[id] = partner.Fare{Health: h, Changes: domain.List[partner.HealthChange]{}}
			return nil
		})
		if err == nil && len(found) < len(integrations) {
			err = notFound(pgx.ErrNoRows, "integration")
		}
		return err
	})
	batch.Queue(`
		SELECT i.id, c.at, c.state, c.reason FROM unnest($1::uuid[]) AS i (id), LATERAL (
			SELECT * FROM integration_health_changes WHERE integration_id = i.id ORDER BY at DESC, id DESC LIMIT $2) c
		ORDER BY c.at DESC, c.id DESC`, integrations, mostChanges).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		var c partner.HealthChange
		_, err := pgx.ForEachRow(rows, []any{&id, &c.At, &c.State, &c.Reason}, func() error {
			fare := found[id]
			fare.Changes = append(fare.Changes, c)
			found[id] = fare
			return nil
		})
		return err
	})
	return found, p.pool.SendBatch(ctx, batch).Close()
}

// DropOldHealthChanges deletes changes except the last keep of each integration. It deletes at most
// most changes and returns their number.
func (p *Partners) DropOldHealthChanges(ctx context.Context, keep, most int) (int64, error) {
	return p.delete(ctx, `
		DELETE FROM integration_health_changes WHERE id = ANY (ARRAY(
			SELECT old.id FROM integrations i, LATERAL (
				SELECT c.id FROM integration_health_changes c WHERE c.integration_id = i.id ORDER BY c.at DESC, c.id DESC OFFSET $1) old LIMIT $2))`, keep, most)
}
