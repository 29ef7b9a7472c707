-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- Operators search for any part of a name. These are all parts of a text of one to three
-- characters, or of as many as are looked for: an index of them finds the rows that may
-- have a part. Not in SQL, which would be put in its place: the planner has to know what it
-- costs.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION text_parts(t text, shortest integer) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT COST 10000 AS $$
BEGIN
    RETURN ARRAY(SELECT substr(t, i, n) FROM generate_series(shortest, 3) n, generate_series(1, length(t) - n + 1) i);
END $$;
-- +goose StatementEnd

-- The currencies that an option's prices are converted from, in order.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION option_currencies(option jsonb, details jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
BEGIN
    RETURN ARRAY(SELECT DISTINCT c #>> '{}' FROM (
        SELECT jsonb_path_query(option, '$.units[*].pricingFrom[0].currency') UNION ALL SELECT details #> '{group_price,currency}') AS price (c) WHERE c IS NOT NULL ORDER BY 1);
END $$;
-- +goose StatementEnd

-- The currencies of the slots' own prices, of those of the last complete pull.
ALTER TABLE slot_pulls ADD COLUMN IF NOT EXISTS currencies text[];

-- Every option of the integration has been pulled since; null: not known.
ALTER TABLE slot_rounds ADD COLUMN IF NOT EXISTS pulled_at timestamptz;

SET lock_timeout = '1min'; -- for who reads or writes, and holds up the index alone
DROP INDEX CONCURRENTLY IF EXISTS accounts_words;
CREATE INDEX CONCURRENTLY accounts_words ON accounts USING gin (text_parts(left(lower(email || E'\n' || name), 500), 1));
DROP INDEX CONCURRENTLY IF EXISTS activities_words;
CREATE INDEX CONCURRENTLY activities_words ON activities USING gin (text_parts(left(lower(title), 500), 1));
DROP INDEX CONCURRENTLY IF EXISTS activities_product;
CREATE INDEX CONCURRENTLY activities_product ON activities (external_product_id);
DROP INDEX CONCURRENTLY IF EXISTS activities_unlisted;
CREATE INDEX CONCURRENTLY activities_unlisted ON activities (created_at, id) WHERE NOT (partner_active AND operator_active);
DROP INDEX CONCURRENTLY IF EXISTS variations_currencies;
CREATE INDEX CONCURRENTLY variations_currencies ON variations (option_currencies(option, details)) WHERE partner_active;
DROP INDEX CONCURRENTLY IF EXISTS slot_pulls_currencies;
CREATE INDEX CONCURRENTLY slot_pulls_currencies ON slot_pulls (currencies) WHERE currencies IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS api_tokens_of;
CREATE INDEX CONCURRENTLY api_tokens_of ON api_tokens (account_id, created_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS api_tokens_account;
RESET lock_timeout;

-- The planner learns what the indexes hold.
ANALYZE accounts, activities, variations;

-- +goose Down

CREATE INDEX api_tokens_account ON api_tokens (account_id);
DROP INDEX api_tokens_of, slot_pulls_currencies, variations_currencies, activities_unlisted, activities_product, activities_words, accounts_words;
ALTER TABLE slot_rounds DROP COLUMN pulled_at;
ALTER TABLE slot_pulls DROP COLUMN currencies;
DROP FUNCTION option_currencies, text_parts;
