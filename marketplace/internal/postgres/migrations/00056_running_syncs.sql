-- +goose NO TRANSACTION
-- squawk-ignore-file require-concurrent-index-creation
-- The index is of a table that is new.
-- +goose Up

SET lock_timeout = '5s';

-- The syncs that run now. One that was not seen for some seconds is lost with its replica.
CREATE TABLE IF NOT EXISTS running_syncs (
    id             uuid PRIMARY KEY,
    integration_id uuid NOT NULL REFERENCES integrations ON DELETE CASCADE,
    mode           text NOT NULL CHECK (mode IN ('full', 'incremental')),
    cause          text NOT NULL,
    started_at     timestamptz NOT NULL,
    seen_at        timestamptz NOT NULL -- by the database's clock
);
CREATE INDEX IF NOT EXISTS running_syncs_of ON running_syncs (integration_id);

RESET lock_timeout;

-- +goose Down

DROP TABLE running_syncs;
