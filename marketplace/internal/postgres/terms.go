package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"partnerkit.dev/marketplace/internal/domain"
)

// Terms returns the commercial terms at a time.
func (s *Storefront) Terms(ctx context.Context, now time.Time) (t domain.Terms, err error) {
	batch := &pgx.Batch{}
	queueTerms(batch, &t, &now)
	return t, s.pool.SendBatch(ctx, batch).Close()
}

// queueTerms adds queries for the terms of prices at a time to a batch. nil is the database's time.
func queueTerms(batch *pgx.Batch, t *domain.Terms, at *time.Time) {
	var now time.Time
	batch.Queue(`SELECT service_fee, service_fee_currency, commission_percentage, coalesce($1::timestamptz, now()) FROM pricing_terms`, at).QueryRow(func(row pgx.Row) error {
		return row.Scan(&t.Fee, &t.FeeIn, &t.Commission, &now)
	})
	queueRates(batch, func(table domain.RateTable) { t.Rates, t.Until = table.At(now) })
}

// queueRates adds queries for the exchange rates to a batch.
func queueRates(batch *pgx.Batch, take func(domain.RateTable)) {
	var table domain.RateTable
	batch.Queue(`SELECT rates_base, rates_as_of, rates_max_age, rates_refused FROM pricing_terms`).QueryRow(func(row pgx.Row) error {
		return row.Scan(&table.Base, (*zeronull.Timestamptz)(&table.Of), &table.MaxAge, (*zeronull.Text)(&table.Refused))
	})
	batch.Queue(`SELECT currency, rate, as_of, previous FROM exchange_rates`).Query(func(rows pgx.Rows) error {
		table.Per = map[domain.Currency]domain.DatedRate{}
		var currency domain.Currency
		var rate domain.DatedRate
		_, err := pgx.ForEachRow(rows, []any{&currency, &rate.Rate, &rate.Of, &rate.Before}, func() error {
			table.Per[currency] = rate
			return nil
		})
		take(table)
		return err
	})
}

// Rates returns the exchange rates.
func (s *Storefront) Rates(ctx context.Context) (table domain.RateTable, err error) {
	return readRates(ctx, s.pool)
}

type batcher interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

func readRates(ctx context.Context, from batcher) (table domain.RateTable, err error) {
	batch := &pgx.Batch{}
	queueRates(batch, func(read domain.RateTable) { table = read })
	return table, from.SendBatch(ctx, batch).Close()
}

// ChangeFees stores changes of the service fee and the commission. The error is Invalid if the
// fee's currency would have no exchange rate.
func (s *Storefront) ChangeFees(ctx context.Context, c domain.FeesChange) error {
	return s.transaction(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `
			UPDATE pricing_terms SET service_fee = coalesce($1, service_fee),
				service_fee_currency = coalesce($2, service_fee_currency), commission_percentage = coalesce($3, commission_percentage)`,
			c.Fee, c.FeeIn, c.Commission); err != nil {
			return err
		}
		return feeHasARate(ctx, tx)
	})
}

// feeHasARate checks that the fee can be converted, because it is added to each price.
func feeHasARate(ctx context.Context, tx pgx.Tx) error {
	var currency domain.Currency
	err := tx.QueryRow(ctx, `
		SELECT service_fee_currency FROM pricing_terms t
		WHERE service_fee > 0 AND service_fee_currency <> rates_base
			AND NOT EXISTS (SELECT FROM exchange_rates WHERE currency = t.service_fee_currency)`).Scan(&currency)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return &domain.Error{
		Code: domain.Invalid, Message: "the service fee could not be converted",
		Details: []string{fmt.Sprintf("service_fee_currency: there is no exchange rate for %s", currency)},
	}
}

// ChangeRates stores an operator's changes of the exchange rates. The error is Invalid if the service
// fee's currency would have no rate, or if the change is checked and a rate is unlikely.
func (s *Storefront) ChangeRates(ctx context.Context, c domain.RatesChange, now time.Time) error {
	return s.withRates(ctx, func(tx pgx.Tx, before domain.RateTable) error {
		if before.Base == c.Base && len(c.Rates) == 0 {
			return nil
		}
		if err := before.Check(c); err != nil {
			return err
		}
		return changeRates(ctx, tx, before, c, now)
	})
}

// ImportRates stores the rates of a file, and returns the table after it. Unless it is forced, the error
// is Conflict for a file that is likely to be wrong.
func (s *Storefront) ImportRates(ctx context.Context, f domain.RatesFile, now time.Time, force bool) (after domain.RateTable, err error) {
	err = s.withRates(ctx, func(tx pgx.Tx, before domain.RateTable) error {
		change, err := before.Import(f, now, force)
		if err != nil {
			return err
		}
		if err := changeRates(ctx, tx, before, change, now); err != nil {
			return err
		}
		after, err = readRates(ctx, tx)
		return err
	})
	return after, err
}

// RefuseRates stores why the last published file was refused, until a file is imported.
func (s *Storefront) RefuseRates(ctx context.Context, reason string) error {
	_, err := s.pool.Exec(ctx, `UPDATE pricing_terms SET rates_refused = $1`, reason)
	return err
}

// SetRatesMaxAge sets how long a rate that the newest file lacks is sold in.
func (s *Storefront) SetRatesMaxAge(ctx context.Context, age time.Duration) error {
	_, err := s.pool.Exec(ctx, `UPDATE pricing_terms SET rates_max_age = $1 WHERE rates_max_age <> $1`, age)
	return err
}

// SeedRates stores rates if there have never been any, and reports whether it did. Only one of
// several replicas does.
func (s *Storefront) SeedRates(ctx context.Context, f domain.RatesFile, now time.Time) (seeded bool, err error) {
	err = s.withRates(ctx, func(tx pgx.Tx, before domain.RateTable) error {
		if err := tx.QueryRow(ctx, `SELECT NOT rates_given FROM pricing_terms`).Scan(&seeded); err != nil || !seeded {
			return err
		}
		change, err := before.Import(f, now, true)
		if err != nil {
			return err
		}
		return changeRates(ctx, tx, before, change, now)
	})
	return seeded, err
}

// withRates runs f in a transaction in which no other changes the exchange rates.
func (s *Storefront) withRates(ctx context.Context, f func(pgx.Tx, domain.RateTable) error) error {
	return s.transaction(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM pricing_terms FOR UPDATE`); err != nil {
			return err
		}
		before, err := readRates(ctx, tx)
		if err != nil {
			return err
		}
		return f(tx, before)
	})
}

func changeRates(ctx context.Context, tx pgx.Tx, before domain.RateTable, c domain.RatesChange, now time.Time) error {
	batch := &pgx.Batch{}
	if before.Base != c.Base {
		batch.Queue(`DELETE FROM exchange_rates`)
	}
	var gone, set, rates []string
	for currency, rate := range c.Rates {
		if rate == nil {
			gone = append(gone, string(currency))
			continue
		}
		set, rates = append(set, string(currency)), append(rates, rate.String())
	}
	of := c.Of
	if of.IsZero() {
		of = now.UTC().Truncate(24 * time.Hour)
	}
	batch.Queue(`DELETE FROM exchange_rates WHERE currency = ANY($1)`, gone)
	batch.Queue(`
		INSERT INTO exchange_rates AS old (currency, rate, as_of) SELECT currency, rate::numeric, $3 FROM unnest($1::text[], $2::text[]) AS new (currency, rate)
		ON CONFLICT (currency) DO UPDATE SET rate = EXCLUDED.rate, as_of = EXCLUDED.as_of,
			previous = CASE WHEN (old.rate, old.as_of) = (EXCLUDED.rate, EXCLUDED.as_of) THEN old.previous ELSE old.rate END`, set, rates, of)
	batch.Queue(`
		UPDATE pricing_terms SET rates_base = $1, rates_given = true, rates_as_of = CASE WHEN $2::date IS NOT NULL THEN $2 WHEN rates_base = $1 THEN rates_as_of END,
			rates_refused = CASE WHEN $2::date IS NULL THEN rates_refused END`, c.Base, (*zeronull.Timestamptz)(&c.Of))
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	return feeHasARate(ctx, tx)
}
