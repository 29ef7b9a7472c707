package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
)

// certifiedSettings is the condition for a certificate of the settings in force. Others have not been
// tested. A replica of an earlier release stores only base_url.
const certifiedSettings = `(c.base_url, c.auth_type, c.handles_ticket_delivery) = (i.base_url, i.auth_type, i.handles_ticket_delivery)`

// certified is the condition for a valid certificate.
const certified = `c.ended_at IS NULL AND c.valid_until > now() AND ` + certifiedSettings

// endReason is why a certificate ended: null while it is valid or if there was no certificate.
const endReason = `CASE WHEN c.ended_by IS NOT NULL THEN 'breach' WHEN c.ended_at IS NOT NULL THEN 'settings_changed' WHEN c.valid_until <= now() THEN 'expired'
	WHEN c.run_id IS NOT NULL AND (` + certifiedSettings + `) IS NOT TRUE THEN 'settings_changed' END`

// judgedSettings is the condition for an integration with domain.JudgedSettings, in three arguments.
func judgedSettings(integration string, first int) string {
	return fmt.Sprintf(`(%[1]s.base_url, %[1]s.auth_type, %[1]s.handles_ticket_delivery) = ($%[2]d, $%[3]d, $%[4]d)`, integration, first, first+1, first+2)
}

const (
	standing       = `CASE WHEN ` + certified + ` THEN 'certified' WHEN c.run_id IS NOT NULL THEN 'expired' WHEN f.verdict = 'nonconformant' THEN 'failed' ELSE 'none' END`
	standingTables = ` LEFT JOIN conformance_certificates c ON c.integration_id = i.id LEFT JOIN LATERAL (
		SELECT id, verdict FROM conformance_runs WHERE c.run_id IS NULL AND integration_id = i.id AND verdict IN ('conformant', 'nonconformant') AND scope = 'full' ORDER BY created_at DESC, id DESC LIMIT 1) f ON true`
)

// Govern sets the rules for live integrations.
func (r *Runs) Govern(ctx context.Context, rules conformance.Rules) error {
	return r.transaction(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `
			UPDATE certification_policy SET required = $1, shown = $2, approval = $3 WHERE (required, shown, approval) <> ($1, $2, $3)`,
			rules.Default == conformance.Require, rules.Default != conformance.Off, rules.Approval); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, withhold)
		return err
	})
}

// withhold updates integrations whose certificates have expired, or after a change of the rules.
// Triggers handle all other changes.
const withhold = `UPDATE integrations SET withheld = NOT withheld WHERE withheld <> integration_withheld(integrations)`

// Withhold unlists activities whose certificate has expired, and returns the integrations that
// changed.
func (r *Runs) Withhold(ctx context.Context) ([]conformance.Listing, error) {
	// Once for each certificate: the event names the run that it rests on.
	if _, err := r.pool.Exec(ctx, `
		SELECT integration_event(c.integration_id, $1, jsonb_build_object('reason', 'expired', 'run_id', c.run_id)) FROM conformance_certificates c
		WHERE c.ended_at IS NULL AND c.valid_until <= now() AND NOT EXISTS (
			SELECT FROM integration_events e WHERE e.integration_id = c.integration_id AND e.type = $1 AND e.data->>'run_id' = c.run_id::text)`,
		conformance.CertificateEnded); err != nil {
		return nil, err
	}
	return queryAll(ctx, r.pool, pgx.RowToStructByPos[conformance.Listing], withhold+` RETURNING id, withheld`)
}

// Certifications returns the certification of integrations whose policy shows it.
func (r *Runs) Certifications(ctx context.Context, integrations []uuid.UUID) (map[uuid.UUID]client.Certification, error) {
	found := make(map[uuid.UUID]client.Certification, len(integrations))
	rows, err := r.pool.Query(ctx, `
		SELECT i.id, `+standing+`, r.id::text, r.contract_version, r.suite_version, c.valid_until,
			i.withheld AND integration_certification(i.id) = 'require' AND (`+certified+`) IS NOT TRUE,
			`+endReason+`, coalesce(c.ended_at, CASE WHEN c.valid_until <= now() THEN c.valid_until END), c.ended_by::text
		FROM integrations i`+standingTables+`
			LEFT JOIN conformance_runs r ON r.id = CASE WHEN c.run_id IS NOT NULL THEN c.run_id WHEN f.verdict = 'nonconformant' THEN f.id END
		WHERE i.id = ANY ($1) AND integration_certification(i.id) <> 'off'`, integrations)
	if err != nil {
		return nil, err
	}
	var id uuid.UUID
	var c client.Certification
	var ended client.CertificateEnd
	_, err = pgx.ForEachRow(rows, []any{&id, &c.State, (*zeronull.Text)(&c.RunID), (*zeronull.Text)(&c.ContractVersion), (*zeronull.Text)(&c.SuiteVersion), (*zeronull.Timestamptz)(&c.ValidUntil), &c.Withheld,
		(*zeronull.Text)(&ended.Reason), (*zeronull.Timestamptz)(&ended.At), (*zeronull.Text)(&ended.RunID)}, func() error {
		if c.Ended = nil; ended.Reason != "" {
			end := ended
			c.Ended = &end
		}
		found[id] = c
		return nil
	})
	return found, err
}

// Certificate returns an integration's valid certificate, or NotFound.
func (r *Runs) Certificate(ctx context.Context, integration uuid.UUID) (string, error) {
	return one(ctx, r.pool, "certificate", pgx.RowTo[string], `
		SELECT c.jws FROM conformance_certificates c JOIN integrations i ON i.id = c.integration_id
		WHERE c.integration_id = $1 AND `+certified, integration)
}

// policyInForce is integration_certification without its cost for each row, where admissionTables are
// joined.
const policyInForce = `coalesce(d.certification, CASE WHEN p.required THEN 'require' WHEN p.shown THEN 'advise' ELSE 'off' END)`

const admissionColumns = policyInForce + `, d.certification, d.ended_certification, coalesce(d.go_live, 'none'), p.approval AND i.mode = 'live' AND d.go_live IS DISTINCT FROM 'approved', d.requested_at, d.decided_at, nullif(d.reason, '')`

// admissionTargets returns the scan targets of admissionColumns.
func admissionTargets(a *client.Admission) []any {
	return []any{&a.Policy, (*zeronull.Text)(&a.Own), (*zeronull.Text)(&a.EndedOwn), &a.GoLive, &a.ApprovalRequired,
		(*zeronull.Timestamptz)(&a.RequestedAt), (*zeronull.Timestamptz)(&a.DecidedAt), (*zeronull.Text)(&a.Reason)}
}

const admissionTables = ` LEFT JOIN integration_admissions d ON d.integration_id = i.id CROSS JOIN certification_policy p `

// Admissions returns the admission of integrations.
func (r *Runs) Admissions(ctx context.Context, integrations []uuid.UUID) (map[uuid.UUID]client.Admission, error) {
	rows, err := r.pool.Query(ctx, `SELECT i.id, `+admissionColumns+` FROM integrations i`+admissionTables+`WHERE i.id = ANY ($1)`, integrations)
	if err != nil {
		return nil, err
	}
	found := make(map[uuid.UUID]client.Admission, len(integrations))
	var id uuid.UUID
	var a client.Admission
	_, err = pgx.ForEachRow(rows, append([]any{&id}, admissionTargets(&a)...), func() error {
		found[id] = a
		return nil
	})
	return found, err
}

// decide runs f in a transaction if the integration still has the settings that were judged,
// otherwise the error is Conflict. A change of the settings waits for its end.
func (r *Runs) decide(ctx context.Context, i domain.Integration, f func(pgx.Tx) error) error {
	return r.transaction(ctx, func(tx pgx.Tx) error {
		seen := i.JudgedSettings()
		_, err := one(ctx, tx, "integration", pgx.RowTo[uuid.UUID], `SELECT id FROM integrations i WHERE id = $1 AND `+judgedSettings("i", 2)+` FOR NO KEY UPDATE`,
			i.ID, seen.BaseURL, seen.AuthType, seen.HandlesTicketDelivery)
		if domain.CodeOf(err) == domain.NotFound {
			return conformance.ErrOtherSettings
		}
		if err != nil {
			return err
		}
		return f(tx)
	})
}

// SetPolicy sets an integration's own certification policy, or removes it for nil. The error is
// Conflict if its settings have changed.
func (r *Runs) SetPolicy(ctx context.Context, i domain.Integration, policy *conformance.Policy) error {
	return r.decide(ctx, i, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO integration_admissions (integration_id, certification) VALUES ($1, $2)
			ON CONFLICT (integration_id) DO UPDATE SET certification = EXCLUDED.certification, ended_certification = NULL`, i.ID, policy)
		return err
	})
}

// RequestGoLive records a partner's request. The error is Conflict if the integration is approved.
func (r *Runs) RequestGoLive(ctx context.Context, integration uuid.UUID) error {
	made, err := r.pool.Exec(ctx, `
		INSERT INTO integration_admissions AS d (integration_id, go_live, requested_at) VALUES ($1, 'requested', now())
		ON CONFLICT (integration_id) DO UPDATE SET go_live = 'requested', decided_at = NULL, reason = '',
			requested_at = CASE WHEN d.go_live = 'requested' THEN d.requested_at ELSE now() END
		WHERE d.go_live <> 'approved'`, integration)
	if err == nil && made.RowsAffected() == 0 {
		return domain.Errorf(domain.Conflict, "the integration is approved already")
	}
	return err
}

// DecideGoLive approves or declines, also without a request, and informs the partner. It returns
// whether that changed anything. The error is Conflict if the integration's settings have changed.
func (r *Runs) DecideGoLive(ctx context.Context, i domain.Integration, approve bool, reason string) (changed bool, err error) {
	state, event := conformance.Declined, conformance.GoLiveDeclined
	if approve {
		state, event = conformance.Approved, conformance.WentLive
	}
	err = r.decide(ctx, i, func(tx pgx.Tx) error {
		made, err := tx.Exec(ctx, `
			INSERT INTO integration_admissions AS d (integration_id, go_live, decided_at, reason) VALUES ($1, $2, now(), $3)
			ON CONFLICT (integration_id) DO UPDATE SET go_live = EXCLUDED.go_live, decided_at = now(), reason = EXCLUDED.reason
			WHERE (d.go_live, d.reason) <> (EXCLUDED.go_live, EXCLUDED.reason)`, i.ID, state, reason)
		if changed = err == nil && made.RowsAffected() > 0; !changed {
			return err
		}
		_, err = tx.Exec(ctx, `SELECT integration_event($1, $2, jsonb_build_object('reason', $3::text))`, i.ID, event, reason)
		return err
	})
	return changed && err == nil, err
}

// EventsAfter returns an integration's events after that id, oldest first.
func (r *Runs) EventsAfter(ctx context.Context, integration uuid.UUID, after int64, most int) ([]conformance.Event, error) {
	return queryAll(ctx, r.pool, pgx.RowToStructByPos[conformance.Event], `
		SELECT id, at, type, data FROM integration_events WHERE integration_id = $1 AND id > $2 AND type <> $4 ORDER BY id LIMIT $3`, integration, after, most, conformance.JudgingPaused)
}

// LatestEvents returns an integration's last events, newest first.
func (r *Runs) LatestEvents(ctx context.Context, integration uuid.UUID, most int) ([]conformance.Event, error) {
	return queryAll(ctx, r.pool, pgx.RowToStructByPos[conformance.Event], `
		SELECT id, at, type, data FROM integration_events WHERE integration_id = $1 AND type <> $3 ORDER BY id DESC LIMIT $2`, integration, most, conformance.JudgingPaused)
}

// DropOldEvents deletes events except the last keep of each integration. It deletes at most most events
// and returns their number.
func (r *Runs) DropOldEvents(ctx context.Context, keep, most int) (int64, error) {
	return r.delete(ctx, `
		DELETE FROM integration_events WHERE id = ANY (ARRAY(
			SELECT old.id FROM integrations i, LATERAL (
				SELECT e.id FROM integration_events e WHERE e.integration_id = i.id ORDER BY e.id DESC OFFSET $1) old LIMIT $2))`, keep, most)
}
