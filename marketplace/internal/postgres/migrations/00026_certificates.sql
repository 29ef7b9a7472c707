-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- The last certificate of each integration. It rests on a run, which is kept with it. A run
-- that finds a breach ends it.
CREATE TABLE IF NOT EXISTS conformance_certificates (
    integration_id uuid PRIMARY KEY REFERENCES integrations ON DELETE CASCADE,
    run_id         uuid NOT NULL UNIQUE,
    base_url       text NOT NULL, -- that was tested
    jws            text NOT NULL,
    issued_at      timestamptz NOT NULL,
    valid_until    timestamptz NOT NULL,
    ended_at       timestamptz,
    ended_by       uuid, -- the run that found a breach
    CHECK ((ended_at IS NULL) = (ended_by IS NULL))
);

RESET lock_timeout;

-- +goose Down

DROP TABLE conformance_certificates;
