-- +goose Up

SET LOCAL lock_timeout = '1min'; -- for who reads or writes

-- Every rate has its own date: that of its file, or the day on which an operator set it. Rates without a
-- date are from today.
ALTER TABLE exchange_rates
    ADD COLUMN as_of date NOT NULL DEFAULT '2024-06-28',
    ADD COLUMN previous numeric CHECK (previous > 0); -- the rate that it replaced
UPDATE exchange_rates SET as_of = coalesce(rates_as_of, (now() AT TIME ZONE 'UTC')::date) FROM pricing_terms;
ALTER TABLE exchange_rates ALTER COLUMN as_of SET DEFAULT (now() AT TIME ZONE 'UTC')::date; -- for replicas of the release before

-- rates_as_of is the date of the newest file. A currency that it lacks is sold in until its rate has
-- this age.
ALTER TABLE pricing_terms
    ADD COLUMN rates_max_age interval NOT NULL DEFAULT '7 days' CHECK (rates_max_age > interval '0'),
    ADD COLUMN rates_refused text; -- why the last published file was refused

-- +goose Down

ALTER TABLE pricing_terms DROP COLUMN rates_refused, DROP COLUMN rates_max_age;
ALTER TABLE exchange_rates DROP COLUMN previous, DROP COLUMN as_of;
