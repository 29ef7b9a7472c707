package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/job"
)

// Runs stores conformance runs. It is a conformance.Store. Leases expire by the database's clock,
// which replicas share.
type Runs struct{ database }

// Create stores a queued run and its job, or returns an *UnderWay if the integration has one.
func (r *Runs) Create(ctx context.Context, run conformance.Run, most int) error {
	return r.transaction(ctx, func(tx pgx.Tx) error {
		if most > 0 {
			// The account is locked, so that requests at the same time are counted one after the other.
			if _, err := tx.Exec(ctx, `SELECT FROM accounts WHERE id = (SELECT account_id FROM integrations WHERE id = $1) FOR NO KEY UPDATE`, run.Integration); err != nil {
				return err
			}
			underWay, err := one(ctx, tx, "count", pgx.RowTo[int], `
				SELECT count(*) FROM conformance_runs r JOIN integrations i ON i.id = r.integration_id
				WHERE r.state IN ('queued', 'running') AND i.account_id = (SELECT account_id FROM integrations WHERE id = $1) AND i.id <> $1`, run.Integration)
			if err != nil {
				return err
			}
			if underWay >= most {
				return domain.Errorf(domain.Conflict, "an account may have at most %d conformance runs in progress; wait until one has ended", most)
			}
		}
		created, err := tx.Exec(ctx, `
			INSERT INTO conformance_runs (id, integration_id, scope, rules, state) VALUES ($1, $2, $3, coalesce($4::text[], '{}'), 'queued')
			ON CONFLICT (integration_id) WHERE state IN ('queued', 'running') DO NOTHING`, run.ID, run.Integration, run.Scope, run.Rules)
		if err != nil {
			return err
		}
		if created.RowsAffected() > 0 {
			return r.insertJobs(ctx, tx, newJob{args: job.ConformanceRun{Run: run.ID}})
		}
		// Without a lock the other run may have ended meanwhile. The caller then asks again.
		other, err := one(ctx, tx, "conformance run", pgx.RowTo[uuid.UUID], `
			SELECT id FROM conformance_runs WHERE integration_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`, run.Integration)
		if err != nil {
			return err
		}
		return &conformance.UnderWay{Run: other}
	})
}

const runColumns = `id, integration_id, scope, rules, state, created_at, started_at, finished_at, cleanups, coalesce(verdict, ''), reason, suite_version, contract_version, counts, findings, not_undone`

func scanRun(row pgx.CollectableRow) (r conformance.Run, err error) {
	err = row.Scan(&r.ID, &r.Integration, &r.Scope, &r.Rules, &r.State, &r.CreatedAt, (*zeronull.Timestamptz)(&r.StartedAt), (*zeronull.Timestamptz)(&r.FinishedAt), &r.Cleanups,
		&r.Verdict, &r.Reason, &r.SuiteVersion, &r.ContractVersion, &r.Counts, &r.Findings, &r.NotUndone)
	return r, err
}

// Begin starts a queued run, or returns NotFound if it is not queued.
func (r *Runs) Begin(ctx context.Context, l conformance.Lease) (conformance.Run, error) {
	return one(ctx, r.pool, "conformance run", scanRun, `
		UPDATE conformance_runs SET state = 'running', started_at = now(), holder = $2, leased_until = now() + $3::interval
		WHERE id = $1 AND state = 'queued' RETURNING `+runColumns, l.Run, l.Holder, l.Time)
}

// TakeOver claims a running run whose lease has expired, or returns NotFound.
func (r *Runs) TakeOver(ctx context.Context, l conformance.Lease) (conformance.Run, error) {
	return one(ctx, r.pool, "conformance run", scanRun, `
		UPDATE conformance_runs SET holder = $2, leased_until = now() + $3::interval, cleanups = cleanups + 1
		WHERE id = $1 AND state = 'running' AND leased_until < now() RETURNING `+runColumns, l.Run, l.Holder, l.Time)
}

// withLease runs f in a transaction while the lease holds the run.
func (r *Runs) withLease(ctx context.Context, l conformance.Lease, f func(pgx.Tx) error) error {
	return r.transaction(ctx, func(tx pgx.Tx) error {
		if _, err := one(ctx, tx, "conformance run", pgx.RowTo[uuid.UUID], `
			SELECT id FROM conformance_runs WHERE id = $1 AND state = 'running' AND holder = $2 FOR UPDATE`, l.Run, l.Holder); err != nil {
			return err
		}
		return f(tx)
	})
}

// Extend stores output of a run and extends its lease.
func (r *Runs) Extend(ctx context.Context, l conformance.Lease, parts []conformance.Part) error {
	return r.withLease(ctx, l, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue(`UPDATE conformance_runs SET leased_until = now() + $2::interval WHERE id = $1`, l.Run, l.Time)
		for _, p := range parts {
			batch.Queue(`INSERT INTO conformance_run_parts (run_id, kind, number, body) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, l.Run, p.Kind, p.Number, p.Body)
		}
		return tx.SendBatch(ctx, batch).Close()
	})
}

// Parts returns the output of a run, of one kind, after a number.
func (r *Runs) Parts(ctx context.Context, run uuid.UUID, kind conformance.Kind, after int) ([]conformance.Part, error) {
	return queryAll(ctx, r.pool, pgx.RowToStructByPos[conformance.Part], `
		SELECT kind, number, body FROM conformance_run_parts WHERE run_id = $1 AND kind = $2 AND number > $3 ORDER BY number`, run, kind, after)
}

// Requeue resets a run to queued and deletes its output.
func (r *Runs) Requeue(ctx context.Context, l conformance.Lease) error {
	return r.withLease(ctx, l, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM conformance_run_parts WHERE run_id = $1`, l.Run); err != nil {
			return err
		}
		cleanups, err := one(ctx, tx, "conformance run", pgx.RowTo[int], `
			UPDATE conformance_runs SET state = 'queued', holder = NULL, leased_until = NULL, started_at = NULL WHERE id = $1 RETURNING cleanups`, l.Run)
		if err != nil {
			return err
		}
		return r.insertJobs(ctx, tx, newJob{args: job.ConformanceRun{Run: l.Run, Cleanups: cleanups}}) // skipped while the job that stops is there
	})
}

// Finish stores the outcome of a run, and reports whether it issued or ended a certificate.
func (r *Runs) Finish(ctx context.Context, l conformance.Lease, came conformance.Outcome) (effect conformance.Effect, err error) {
	counts, err := json.Marshal(came.Counts)
	if err != nil {
		return effect, err
	}
	if came.Counts == nil {
		counts = []byte("{}")
	}
	findings, err := encodeJSON(came.Findings)
	if err != nil {
		return effect, err
	}
	notUndone, err := encodeJSON(came.NotUndone)
	if err != nil {
		return effect, err
	}
	err = r.withLease(ctx, l, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue(`
			UPDATE conformance_runs SET state = $2, finished_at = now(), holder = NULL, leased_until = NULL, verdict = nullif($3, ''), reason = $4,
				suite_version = $5, contract_version = $6, counts = $7, findings = $8, not_undone = $9
			WHERE id = $1`, l.Run, came.State, came.Verdict, came.Reason, came.SuiteVersion, came.ContractVersion, counts, findings, notUndone)
		for _, report := range came.Reports {
			batch.Queue(`INSERT INTO conformance_reports (run_id, name, gzip) VALUES ($1, $2, $3)`, l.Run, report.Name, report.Gzip)
		}
		if len(came.NotUndone) == 0 {
			batch.Queue(`DELETE FROM conformance_run_parts WHERE run_id = $1 AND kind = 'ledger'`, l.Run)
		}
		if c := came.Certificate; c != nil {
			// A change of the settings waits for this lock, or is seen.
			batch.Queue(`
				INSERT INTO conformance_certificates AS c (integration_id, run_id, base_url, auth_type, handles_ticket_delivery, jws, issued_at, valid_until)
				SELECT r.integration_id, r.id, $2, $3, $4, $5, $6, $7 FROM conformance_runs r, (
					SELECT i.id FROM integrations i WHERE i.id = (SELECT integration_id FROM conformance_runs WHERE id = $1) AND `+judgedSettings("i", 2)+` FOR NO KEY UPDATE) i
				WHERE r.id = $1
				ON CONFLICT (integration_id) DO UPDATE SET run_id = EXCLUDED.run_id, base_url = EXCLUDED.base_url, auth_type = EXCLUDED.auth_type,
					handles_ticket_delivery = EXCLUDED.handles_ticket_delivery, jws = EXCLUDED.jws, issued_at = EXCLUDED.issued_at,
					valid_until = EXCLUDED.valid_until, ended_at = NULL, ended_by = NULL, ended_settings = NULL`,
				l.Run, c.Settings.BaseURL, c.Settings.AuthType, c.Settings.HandlesTicketDelivery, c.JWS, c.IssuedAt, c.ValidUntil).
				Exec(func(made pgconn.CommandTag) error {
					effect.Issued = made.RowsAffected() > 0
					return nil
				})
			batch.Queue(`
				SELECT integration_event(integration_id, $2, jsonb_build_object('run_id', run_id, 'valid_until', valid_until)) FROM conformance_certificates WHERE run_id = $1`,
				l.Run, conformance.CertificateIssued)
			batch.Queue(`UPDATE conformance_runs SET reason = $2 WHERE id = $1 AND NOT EXISTS (SELECT FROM conformance_certificates WHERE run_id = $1)`, l.Run, conformance.SettingsChanged)
		}
		if came.Verdict == "nonconformant" {
			batch.Queue(`
				UPDATE conformance_certificates SET ended_at = now(), ended_by = $1
				WHERE ended_at IS NULL AND integration_id = (SELECT integration_id FROM conformance_runs WHERE id = $1)`, l.Run).
				Exec(func(made pgconn.CommandTag) error {
					effect.Ended = made.RowsAffected() > 0
					return nil
				})
			batch.Queue(`
				SELECT integration_event(integration_id, $2, jsonb_build_object('reason', 'breach', 'run_id', ended_by)) FROM conformance_certificates WHERE ended_by = $1`,
				l.Run, conformance.CertificateEnded)
		}
		queueJudged(batch, l.Run, came.Judged)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		effect = conformance.Effect{}
	}
	return effect, err
}

// encodeJSON encodes a list as JSON for PostgreSQL, which cannot store NUL.
func encodeJSON[T any](list domain.List[T]) ([]byte, error) {
	text, err := json.Marshal(list)
	return bytes.ReplaceAll(text, []byte(`\u0000`), []byte(`\ufffd`)), err
}

// Limits of Recover: the age of a run whose job must have started, and the number of runs.
const (
	lostAfter   = time.Minute
	mostRecover = 100
)

// Recover inserts jobs for runs that crashed replicas abandoned, and for runs whose job was lost.
func (r *Runs) Recover(ctx context.Context) error {
	return r.transaction(ctx, func(tx pgx.Tx) error {
		var jobs []newJob
		var id uuid.UUID
		var running bool
		var cleanups int
		rows, err := tx.Query(ctx, `
			SELECT id, state = 'running', cleanups FROM conformance_runs
			WHERE state = 'running' AND leased_until < now() OR state = 'queued' AND created_at < now() - $1::interval
			ORDER BY created_at LIMIT $2`, lostAfter, mostRecover)
		if err != nil {
			return err
		}
		if _, err := pgx.ForEachRow(rows, []any{&id, &running, &cleanups}, func() error {
			if running {
				jobs = append(jobs, newJob{args: job.ConformanceCleanup{Run: id, Cleanups: cleanups}})
			} else {
				jobs = append(jobs, newJob{args: job.ConformanceRun{Run: id, Cleanups: cleanups}})
			}
			return nil
		}); err != nil {
			return err
		}
		return r.insertJobs(ctx, tx, jobs...)
	})
}

// AskForRechecks schedules a recheck of each integration with a certificate from that time on, with a
// pause between them. The pause is shorter if they would not all start within the given time. A
// certificate that a breach has ended counts too, so that operators see whether the breach is fixed.
func (r *Runs) AskForRechecks(ctx context.Context, from time.Time, pause, within time.Duration) error {
	ids, err := queryAll(ctx, r.pool, pgx.RowTo[uuid.UUID], `
		SELECT i.id FROM conformance_certificates c JOIN integrations i ON i.id = c.integration_id
		WHERE c.valid_until > now() AND `+certifiedSettings+` AND i.deleted_at IS NULL ORDER BY i.id`)
	if err != nil || len(ids) == 0 {
		return err
	}
	pause = min(pause, within/time.Duration(len(ids)))
	jobs := make([]newJob, len(ids))
	for i, id := range ids {
		jobs[i] = newJob{args: job.ConformanceRecheck{Due: from.UTC(), Integration: id}, at: from.Add(time.Duration(i) * pause)}
	}
	return r.transaction(ctx, func(tx pgx.Tx) error { return r.insertJobs(ctx, tx, jobs...) })
}

// Run returns a run of an integration, or NotFound.
func (r *Runs) Run(ctx context.Context, integration, id uuid.UUID) (conformance.Run, error) {
	return one(ctx, r.pool, "conformance run", scanRun, `SELECT `+runColumns+` FROM conformance_runs WHERE id = $1 AND integration_id = $2`, id, integration)
}

var runList = list[conformance.Run]{
	columns: `SELECT ` + runColumns + ` FROM conformance_runs`, rows: "conformance_runs", at: "created_at", id: "id", newest: true, scan: scanRun,
	cursor: func(r conformance.Run) domain.Cursor {
		return domain.Cursor{At: r.CreatedAt, ID: r.ID}
	},
}

// List returns a page of an integration's runs, newest first.
func (r *Runs) List(ctx context.Context, integration uuid.UUID, asked domain.PageRequest) (domain.Page[conformance.Run], error) {
	return runList.page(ctx, r.database, entriesOf(integration, nil), asked)
}

// Report returns a run's report with that name, compressed, or NotFound. A deleted integration has no
// reports.
func (r *Runs) Report(ctx context.Context, run uuid.UUID, name string) ([]byte, error) {
	return one(ctx, r.pool, "report", pgx.RowTo[[]byte], `
		SELECT p.gzip FROM conformance_reports p JOIN conformance_runs r ON r.id = p.run_id JOIN integrations i ON i.id = r.integration_id
		WHERE p.run_id = $1 AND p.name = $2 AND i.deleted_at IS NULL`, run, name)
}

// DropOldRuns deletes ended runs except the last keep of each integration and those that issued or
// ended its certificate. It deletes at most most runs and returns their number.
func (r *Runs) DropOldRuns(ctx context.Context, keep, most int) (int64, error) {
	return r.delete(ctx, `
		DELETE FROM conformance_runs WHERE state IN ('finished', 'failed') AND id = ANY (ARRAY(
			SELECT old.id FROM integrations i, LATERAL (
				SELECT c.id FROM conformance_runs c WHERE c.integration_id = i.id ORDER BY c.created_at DESC, c.id DESC OFFSET $1) old
			WHERE NOT EXISTS (SELECT FROM conformance_certificates WHERE run_id = old.id OR ended_by = old.id) LIMIT $2))`, keep, most)
}
