package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/registry"
)

// SetInRegistry puts a live integration into the public registry, or takes it out. It is idempotent.
func (r *Runs) SetInRegistry(ctx context.Context, integration uuid.UUID, in bool) error {
	_, err := one(ctx, r.pool, "integration", pgx.RowTo[uuid.UUID], `
		UPDATE integrations SET in_registry = $2 WHERE id = $1 AND deleted_at IS NULL RETURNING id`, integration, in)
	return err
}

// The columns of a registry.Entry, and their tables. The certificate is empty if it is not valid.
const (
	registryColumns = `
		SELECT i.id, coalesce(c.name, i.name), i.base_url, coalesce(r.contract_version, ''), coalesce(c.issued_at, ` + never + `), coalesce(c.valid_until, ` + never + `),
			CASE WHEN ` + certified + ` THEN c.jws ELSE '' END`
	registryRuns = ` LEFT JOIN conformance_runs r ON r.id = c.run_id `
	inRegistry   = ` i.in_registry AND i.deleted_at IS NULL `
)

// RegistryPage returns a page of the registry: a query's entries, and whether there are more.
func (r *Runs) RegistryPage(ctx context.Context, q registry.Query) (entries []registry.Entry, more bool, err error) {
	f := newFilters()
	if q.Name != "" {
		f.add(`lower(c.name) = lower(@name)`, "name", q.Name)
	}
	if q.Words != "" {
		f.add(`position(lower(@words) IN lower(c.name)) > 0`, "words", q.Words)
	}
	if q.After != uuid.Nil {
		f.add(`(lower(c.name), c.integration_id) > (SELECT lower(name), integration_id FROM conformance_certificates WHERE integration_id = @after)`, "after", q.After)
	}
	f.conditions = append(f.conditions, certified, inRegistry)
	// The size is a literal, because it shows the planner that few rows are needed.
	entries, err = queryAll(ctx, r.pool, pgx.RowToStructByPos[registry.Entry], fmt.Sprintf(
		registryColumns+` FROM conformance_certificates c JOIN integrations i ON i.id = c.integration_id`+registryRuns+f.where()+` ORDER BY lower(c.name), c.integration_id LIMIT %d`, q.Size+1), planned, f.args)
	if more = len(entries) > q.Size; more {
		entries = entries[:q.Size]
	}
	return entries, more, err
}

// RegistryEntry returns an integration's entry, or NotFound if it is not in the registry.
func (r *Runs) RegistryEntry(ctx context.Context, integration uuid.UUID) (registry.Entry, error) {
	return one(ctx, r.pool, "entry", pgx.RowToStructByPos[registry.Entry],
		registryColumns+` FROM integrations i LEFT JOIN conformance_certificates c ON c.integration_id = i.id`+registryRuns+`WHERE i.id = $1 AND`+inRegistry, integration)
}

// Revocations returns the revocations of all certificates that would be valid without them.
func (r *Runs) Revocations(ctx context.Context) ([]conformance.Revocation, error) {
	return queryAll(ctx, r.pool, pgx.RowToStructByPos[conformance.Revocation], `
		SELECT integration_id, revoked_at, reason FROM certificate_revocations ORDER BY revoked_at, integration_id`)
}

// DropOldRevocations deletes at most most revocations from before that time, and returns their number.
func (r *Runs) DropOldRevocations(ctx context.Context, before time.Time, most int) (int64, error) {
	return r.delete(ctx, `
		DELETE FROM certificate_revocations WHERE integration_id = ANY (ARRAY(
			SELECT integration_id FROM certificate_revocations WHERE revoked_at < $1 LIMIT $2))`, before, most)
}
