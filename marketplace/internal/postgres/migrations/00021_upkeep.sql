-- +goose NO TRANSACTION
-- squawk-ignore-file require-concurrent-index-creation
-- Every index is of a table that is new.
-- +goose Up

-- Each statement is by itself and can be run again. What waits for a table's lock gives up
-- soon, so that other statements do not wait behind it for long.
SET lock_timeout = '5s';

-- The webhook secret before the last rotation, and until when it is accepted. Null: there
-- was no rotation.
ALTER TABLE integrations
    ADD COLUMN IF NOT EXISTS previous_webhook_secret_hash bytea,
    ADD COLUMN IF NOT EXISTS previous_webhook_secret_until timestamptz;
ALTER TABLE integrations DROP CONSTRAINT IF EXISTS integrations_previous_webhook_secret;
ALTER TABLE integrations ADD CONSTRAINT integrations_previous_webhook_secret CHECK (
    (previous_webhook_secret_hash IS NULL) = (previous_webhook_secret_until IS NULL) AND octet_length(previous_webhook_secret_hash) = 32) NOT VALID;
ALTER TABLE integrations VALIDATE CONSTRAINT integrations_previous_webhook_secret;

-- The last calls to partners, for people: no customer's data.
CREATE TABLE IF NOT EXISTS integration_calls (
    id             uuid PRIMARY KEY,
    integration_id uuid NOT NULL REFERENCES integrations ON DELETE CASCADE,
    at             timestamptz NOT NULL,
    endpoint       text NOT NULL,
    status         integer, -- null: no answer was read
    duration_ms    bigint NOT NULL,
    outcome        text NOT NULL CHECK (outcome IN ('ok', 'refused', 'failed')),
    error          text,
    failed         boolean NOT NULL CHECK (failed = (outcome = 'failed')),
    CHECK ((error IS NULL) = (outcome = 'ok'))
);
CREATE INDEX IF NOT EXISTS integration_calls_of ON integration_calls (integration_id, failed, at DESC, id DESC);

-- The last webhooks that partners have sent.
CREATE TABLE IF NOT EXISTS webhook_receipts (
    id             uuid PRIMARY KEY,
    integration_id uuid NOT NULL REFERENCES integrations ON DELETE CASCADE,
    at             timestamptz NOT NULL,
    webhook        text NOT NULL CHECK (webhook IN ('sync_trigger', 'availability_notify')),
    status         integer NOT NULL,
    duration_ms    bigint NOT NULL,
    reason         text, -- null: it was not refused
    failed         boolean NOT NULL CHECK (failed = (reason IS NOT NULL))
);
CREATE INDEX IF NOT EXISTS webhook_receipts_of ON webhook_receipts (integration_id, failed, at DESC, id DESC);

-- The last syncs that stored nothing. They are apart from the syncs' history, which such a
-- sync does not write.
CREATE TABLE IF NOT EXISTS sync_attempts (
    id             uuid PRIMARY KEY,
    integration_id uuid NOT NULL REFERENCES integrations ON DELETE CASCADE,
    mode           text NOT NULL CHECK (mode IN ('full', 'incremental')),
    cause          text NOT NULL,
    started_at     timestamptz NOT NULL,
    finished_at    timestamptz NOT NULL,
    synced         integer NOT NULL CHECK (synced >= 0),
    failed         boolean NOT NULL, -- else it was skipped
    reason         text NOT NULL
);
CREATE INDEX IF NOT EXISTS sync_attempts_of ON sync_attempts (integration_id, started_at DESC, id DESC);

RESET lock_timeout;

-- +goose Down

DROP TABLE sync_attempts, webhook_receipts, integration_calls;
ALTER TABLE integrations DROP CONSTRAINT integrations_previous_webhook_secret,
    DROP COLUMN previous_webhook_secret_until, DROP COLUMN previous_webhook_secret_hash;
