package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace"
)

// Terms returns what every price is made with.
func (s *Store) Terms(ctx context.Context) (t marketplace.Terms, err error) {
	var fee, commission string
	var of *time.Time
	err = s.pool.QueryRow(ctx, `SELECT rates_base, rates_as_of, service_fee::text, service_fee_currency, commission_percentage::text FROM pricing_terms`).
		Scan(&t.Rates.Base, &of, &fee, &t.FeeIn, &commission)
	if err != nil {
		return t, err
	}
	if of != nil {
		t.RatesOf = *of
	}
	if t.Fee, err = decimal.NewFromString(fee); err != nil {
		return t, err
	}
	if t.Commission, err = decimal.NewFromString(commission); err != nil {
		return t, err
	}
	t.Rates.Per = map[marketplace.Currency]decimal.Decimal{}
	rows, err := s.pool.Query(ctx, `SELECT currency, rate::text FROM exchange_rates`)
	if err != nil {
		return t, err
	}
	var currency marketplace.Currency
	var rate string
	_, err = pgx.ForEachRow(rows, []any{&currency, &rate}, func() (err error) {
		t.Rates.Per[currency], err = decimal.NewFromString(rate)
		return err
	})
	return t, err
}

// SetFees stores the service fee and the commission.
func (s *Store) SetFees(ctx context.Context, fee decimal.Decimal, in marketplace.Currency, commission decimal.Decimal) error {
	_, err := s.pool.Exec(ctx, `UPDATE pricing_terms SET service_fee = $1::text::numeric, service_fee_currency = $2, commission_percentage = $3::text::numeric`,
		fee.String(), in, commission.String())
	return err
}

// MergeRates stores rates of that base: each that is given, and none for a currency
// whose rate is nil. Rates of another base than the stored ones replace all of them. of
// is the day that they are of, zero for rates that are set by hand.
func (s *Store) MergeRates(ctx context.Context, base marketplace.Currency, rates map[marketplace.Currency]*decimal.Decimal, of time.Time) error {
	return s.transaction(ctx, func(tx pgx.Tx) error {
		var before marketplace.Currency
		if err := tx.QueryRow(ctx, `SELECT rates_base FROM pricing_terms FOR UPDATE`).Scan(&before); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		if before != base {
			batch.Queue(`DELETE FROM exchange_rates`)
		}
		for currency, rate := range rates {
			if rate == nil {
				batch.Queue(`DELETE FROM exchange_rates WHERE currency = $1`, currency)
				continue
			}
			batch.Queue(`INSERT INTO exchange_rates (currency, rate) VALUES ($1, $2::text::numeric) ON CONFLICT (currency) DO UPDATE SET rate = EXCLUDED.rate`, currency, rate.String())
		}
		var day *time.Time
		if !of.IsZero() {
			day = &of
		}
		batch.Queue(`UPDATE pricing_terms SET rates_base = $1, rates_as_of = $2`, base, day)
		return tx.SendBatch(ctx, batch).Close()
	})
}

// SeedRates stores rates where there are none at all, and reports whether it did.
func (s *Store) SeedRates(ctx context.Context, rates marketplace.Rates, of time.Time) (bool, error) {
	t, err := s.Terms(ctx)
	if err != nil || len(t.Rates.Per) > 0 || !t.RatesOf.IsZero() {
		return false, err
	}
	given := map[marketplace.Currency]*decimal.Decimal{}
	for currency, rate := range rates.Per {
		given[currency] = &rate
	}
	return true, s.MergeRates(ctx, rates.Base, given, of)
}
