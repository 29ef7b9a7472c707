-- +goose Up

-- What one unit of the base currency buys.
CREATE TABLE exchange_rates (
    currency text PRIMARY KEY CHECK (currency ~ '^[A-Z]{3}$'),
    rate     numeric NOT NULL CHECK (rate > 0)
);

-- One row: what holds for every price.
CREATE TABLE pricing_terms (
    one_row               boolean PRIMARY KEY DEFAULT true CHECK (one_row),
    rates_base            text NOT NULL CHECK (rates_base ~ '^[A-Z]{3}$'),
    rates_as_of           date,
    service_fee           numeric NOT NULL CHECK (service_fee >= 0),
    service_fee_currency  text NOT NULL CHECK (service_fee_currency ~ '^[A-Z]{3}$'),
    commission_percentage numeric NOT NULL CHECK (commission_percentage >= 0 AND commission_percentage <= 1000)
);
INSERT INTO pricing_terms (rates_base, service_fee, service_fee_currency, commission_percentage) VALUES ('EUR', 0, 'EUR', 0);

-- +goose Down

DROP TABLE pricing_terms, exchange_rates;
