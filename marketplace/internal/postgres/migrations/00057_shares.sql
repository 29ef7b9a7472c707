-- +goose NO TRANSACTION
-- squawk-ignore-file require-concurrent-index-creation
-- Every index is of a table that is new.
-- +goose Up

SET lock_timeout = '5s';

-- Links to the reports of conformance runs. A link works while its row exists.
CREATE TABLE IF NOT EXISTS conformance_shares (
    id         uuid PRIMARY KEY,
    run_id     uuid NOT NULL REFERENCES conformance_runs ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE, -- that made it
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS conformance_shares_runs ON conformance_shares (run_id, created_at);
CREATE INDEX IF NOT EXISTS conformance_shares_expired ON conformance_shares (expires_at);

RESET lock_timeout;

-- +goose Down

DROP TABLE conformance_shares;
