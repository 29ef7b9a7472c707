package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/schemas/partnerapi"
)

// queueJudged updates which rules a run's partner breaches. Rules that the run did not judge are left
// as they are.
func queueJudged(batch *pgx.Batch, run uuid.UUID, judged []conformance.Judged) {
	if len(judged) == 0 {
		return
	}
	rules, endpoints, outcomes := make([]string, len(judged)), make([]string, len(judged)), make([]string, len(judged))
	for i, j := range judged {
		rules[i], endpoints[i], outcomes[i] = j.Rule, j.Endpoint, j.Outcome
	}
	batch.Queue(`
		DELETE FROM conformance_breaches b USING conformance_runs r, unnest($2::text[], $3::text[]) AS j (rule, outcome)
		WHERE r.id = $1 AND b.integration_id = r.integration_id AND b.rule = j.rule AND j.outcome IN ('passed', 'not_applicable')`, run, rules, outcomes)
	batch.Queue(`
		INSERT INTO conformance_breaches AS b (integration_id, rule, endpoint, outcome, since, run_id)
		SELECT r.integration_id, j.rule, j.endpoint, j.outcome, now(), r.id
		FROM conformance_runs r, unnest($2::text[], $3::text[], $4::text[]) AS j (rule, endpoint, outcome) WHERE r.id = $1 AND j.outcome IN ('failed', 'warned')
		ON CONFLICT (integration_id, rule) DO UPDATE SET outcome = EXCLUDED.outcome, endpoint = EXCLUDED.endpoint, run_id = EXCLUDED.run_id,
			since = CASE WHEN b.outcome = EXCLUDED.outcome THEN b.since ELSE EXCLUDED.since END`, run, rules, endpoints, outcomes)
	batch.Queue(`
		INSERT INTO conformance_endpoints (integration_id, endpoint, judged_at)
		SELECT DISTINCT r.integration_id, j.endpoint, now() FROM conformance_runs r, unnest($2::text[]) AS j (endpoint) WHERE r.id = $1
		ON CONFLICT (integration_id, endpoint) DO UPDATE SET judged_at = EXCLUDED.judged_at`, run, endpoints)
}

const (
	// matrixDays is how many days the matrix shows.
	matrixDays = 14
	// mostRows limits the partners of a matrix.
	mostRows = 1000
)

// Matrix returns the partners that the filter selects, those that fail longest first. Its days are by
// the database's clock, as the times of runs are.
func (r *Runs) Matrix(ctx context.Context, by conformance.MatrixFilter) (client.Matrix, error) {
	m := client.Matrix{Partners: []client.MatrixRow{}}
	now, err := one(ctx, r.pool, "time", pgx.RowTo[time.Time], `SELECT now()`)
	if err != nil {
		return m, err
	}
	for _, endpoint := range partnerapi.Endpoints() {
		m.Endpoints = append(m.Endpoints, string(endpoint))
	}
	today := now.UTC().Truncate(24 * time.Hour)
	for i := range matrixDays {
		m.Days = append(m.Days, today.AddDate(0, 0, i+1-matrixDays).Format(time.DateOnly))
	}
	rows, err := queryAll(ctx, r.pool, scanMatrixRow, `
		SELECT i.id, i.name, i.mode, `+standing+`, c.valid_until, i.withheld, `+admissionColumns+`
		FROM integrations i`+standingTables+admissionTables+`
			LEFT JOIN LATERAL (SELECT min(b.since) AS since FROM conformance_breaches b WHERE b.integration_id = i.id AND b.outcome = 'failed') failing ON true
		WHERE i.deleted_at IS NULL AND ($1 = '' OR i.mode = $1) AND ($2 = '' OR `+standing+` = $2) AND ($3 = '' OR `+policyInForce+` = $3)
			AND ($4 = '' OR coalesce(d.go_live, 'none') = $4) AND (NOT $5 OR failing.since IS NOT NULL)
			AND ($6 = '' OR EXISTS (SELECT FROM conformance_breaches b WHERE b.integration_id = i.id AND b.endpoint = $6 AND b.outcome = 'failed'))
			AND ($7 = '' OR strpos(lower(i.name || ' ' || i.base_url), lower($7)) > 0)
		ORDER BY failing.since, lower(i.name), i.id LIMIT $8`,
		by.Mode, by.State, by.Policy, by.GoLive, by.Failing, by.Endpoint, by.Words, mostRows+1)
	if err != nil {
		return m, err
	}
	if m.Truncated = len(rows) > mostRows; m.Truncated {
		rows = rows[:mostRows]
	}
	m.Partners = append(m.Partners, rows...)
	return m, r.fill(ctx, &m, today)
}

func scanMatrixRow(row pgx.CollectableRow) (m client.MatrixRow, err error) {
	err = row.Scan(append([]any{&m.IntegrationID, &m.Name, &m.Mode, &m.State, (*zeronull.Timestamptz)(&m.ValidUntil), &m.Withheld}, admissionTargets(&m.Admission)...)...)
	return m, err
}

// fill reads the cells and days of a matrix' partners.
func (r *Runs) fill(ctx context.Context, m *client.Matrix, today time.Time) error {
	ids, at := make([]string, len(m.Partners)), make(map[string]*client.MatrixRow, len(m.Partners))
	for i := range m.Partners {
		row := &m.Partners[i]
		ids[i], at[row.IntegrationID] = row.IntegrationID, row
		row.Days = make([]string, len(m.Days))
		row.Cells = make([]client.MatrixCell, len(m.Endpoints))
		for i := range row.Cells {
			row.Cells[i].Breaches = []client.MatrixBreach{}
		}
	}
	batch := &pgx.Batch{}
	var id, endpoint string
	var judged time.Time
	each := func(into []any, use func(*client.MatrixRow)) func(pgx.Rows) error {
		return func(rows pgx.Rows) error {
			_, err := pgx.ForEachRow(rows, append([]any{&id}, into...), func() error {
				use(at[id])
				return nil
			})
			return err
		}
	}
	cell := func(row *client.MatrixRow) *client.MatrixCell {
		if i := slices.Index(m.Endpoints, endpoint); i >= 0 {
			return &row.Cells[i]
		}
		return &client.MatrixCell{} // of a newer suite
	}
	batch.Queue(`SELECT integration_id, endpoint, judged_at FROM conformance_endpoints WHERE integration_id = ANY ($1)`, ids).
		Query(each([]any{&endpoint, &judged}, func(row *client.MatrixRow) {
			if cell(row).JudgedAt = judged; judged.After(row.JudgedAt) {
				row.JudgedAt = judged
			}
		}))
	var b client.MatrixBreach
	batch.Queue(`SELECT integration_id, endpoint, rule, outcome, since, run_id FROM conformance_breaches WHERE integration_id = ANY ($1) ORDER BY since, rule`, ids).
		Query(each([]any{&endpoint, &b.Rule, &b.Outcome, &b.Since, &b.RunID}, func(row *client.MatrixRow) {
			c := cell(row)
			c.Breaches = append(c.Breaches, b)
			if b.Outcome == "failed" && row.FailingSince.IsZero() {
				row.FailingSince = b.Since
			}
		}))
	// Of several runs on a day, the worst counts.
	worst := []string{"nonconformant", "failed", "incomplete", "partial", "conformant"}
	var day, rank int
	batch.Queue(`
		SELECT integration_id, (created_at AT TIME ZONE 'UTC')::date - $2::date,
			min(CASE verdict WHEN 'nonconformant' THEN 0 WHEN 'incomplete' THEN 2 WHEN 'partial' THEN 3 WHEN 'conformant' THEN 4 ELSE 1 END)
		FROM conformance_runs WHERE integration_id = ANY ($1) AND created_at >= $3 AND state IN ('finished', 'failed') GROUP BY 1, 2`,
		ids, m.Days[0], today.AddDate(0, 0, 1-matrixDays)).
		Query(each([]any{&day, &rank}, func(row *client.MatrixRow) {
			if day >= 0 && day < len(row.Days) {
				row.Days[day] = worst[rank]
			}
		}))
	return r.pool.SendBatch(ctx, batch).Close()
}
