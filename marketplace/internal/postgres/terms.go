package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Terms returns what every price is made with.
func (s *Storefront) Terms(ctx context.Context) (t marketplace.Terms, err error) {
	batch := &pgx.Batch{}
	queueTerms(batch, &t)
	err = s.pool.SendBatch(ctx, batch).Close()
	return t, err
}

// queueTerms has a batch read what every price is made with.
func queueTerms(batch *pgx.Batch, t *marketplace.Terms) {
	batch.Queue(`SELECT rates_base, rates_as_of, service_fee, service_fee_currency, commission_percentage FROM pricing_terms`).QueryRow(func(row pgx.Row) error {
		var of *time.Time
		err := row.Scan(&t.Rates.Base, &of, &t.Fee, &t.FeeIn, &t.Commission)
		if of != nil {
			t.RatesOf = *of
		}
		return err
	})
	batch.Queue(`SELECT currency, rate FROM exchange_rates`).Query(func(rows pgx.Rows) error {
		t.Rates.Per = map[marketplace.Currency]decimal.Decimal{}
		var currency marketplace.Currency
		var rate decimal.Decimal
		_, err := pgx.ForEachRow(rows, []any{&currency, &rate}, func() error {
			t.Rates.Per[currency] = rate
			return nil
		})
		return err
	})
}

// ChangeFees stores what is changed of the service fee and the commission. The error is
// Invalid where the fee's currency would have no exchange rate.
func (s *Storefront) ChangeFees(ctx context.Context, c marketplace.FeesChange) error {
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

// feeHasARate holds that no price becomes impossible: a fee is added to each of them.
func feeHasARate(ctx context.Context, tx pgx.Tx) error {
	var currency marketplace.Currency
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
	return &marketplace.Error{
		Code: marketplace.Invalid, Message: "the service fee could not be converted",
		Details: []string{fmt.Sprintf("service_fee_currency: there is no exchange rate for %s", currency)},
	}
}

// ChangeRates stores what is changed of the exchange rates. The error is Invalid where
// the service fee's currency would have none.
func (s *Storefront) ChangeRates(ctx context.Context, c marketplace.RatesChange) error {
	return s.transaction(ctx, func(tx pgx.Tx) error {
		var before marketplace.Currency
		if err := tx.QueryRow(ctx, `SELECT rates_base FROM pricing_terms FOR UPDATE`).Scan(&before); err != nil {
			return err
		}
		if before == c.Base && len(c.Rates) == 0 {
			return nil
		}
		return changeRates(ctx, tx, before, c)
	})
}

func changeRates(ctx context.Context, tx pgx.Tx, before marketplace.Currency, c marketplace.RatesChange) error {
	batch := &pgx.Batch{}
	if before != c.Base {
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
	batch.Queue(`DELETE FROM exchange_rates WHERE currency = ANY($1)`, gone)
	batch.Queue(`
		INSERT INTO exchange_rates (currency, rate) SELECT currency, rate::numeric FROM unnest($1::text[], $2::text[]) AS new (currency, rate)
		ON CONFLICT (currency) DO UPDATE SET rate = EXCLUDED.rate`, set, rates)
	var day *time.Time
	if !c.Of.IsZero() {
		day = &c.Of
	}
	batch.Queue(`UPDATE pricing_terms SET rates_base = $1, rates_as_of = $2, rates_given = true`, c.Base, day)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	return feeHasARate(ctx, tx)
}

// SeedRates stores rates where there have never been any, and reports whether it did.
// Of replicas that start together one does.
func (s *Storefront) SeedRates(ctx context.Context, rates marketplace.Rates, of time.Time) (seeded bool, err error) {
	err = s.transaction(ctx, func(tx pgx.Tx) error {
		var before marketplace.Currency
		err := tx.QueryRow(ctx, `
			SELECT rates_base FROM pricing_terms WHERE NOT rates_given FOR UPDATE`).Scan(&before)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		seeded = true
		return changeRates(ctx, tx, before, rates.Merge(of))
	})
	return seeded, err
}
