-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- How many calls to a partner succeeded, were refused as the contract allows, and failed, by hour.
-- The list of recent calls is too short to tell a rate.
CREATE TABLE IF NOT EXISTS integration_hours (
    integration_id uuid NOT NULL REFERENCES integrations ON DELETE CASCADE,
    hour           timestamptz NOT NULL, -- its beginning
    ok             integer NOT NULL CHECK (ok >= 0),
    refused        integer NOT NULL CHECK (refused >= 0),
    failed         integer NOT NULL CHECK (failed >= 0),
    PRIMARY KEY (integration_id, hour)
);

-- The overview reads the newest events of all integrations.
SET lock_timeout = '1min';
DROP INDEX CONCURRENTLY IF EXISTS integration_health_changes_newest;
CREATE INDEX CONCURRENTLY integration_health_changes_newest ON integration_health_changes (at DESC);
DROP INDEX CONCURRENTLY IF EXISTS sync_attempts_failed;
CREATE INDEX CONCURRENTLY sync_attempts_failed ON sync_attempts (started_at DESC) WHERE failed;
DROP INDEX CONCURRENTLY IF EXISTS syncs_held;
CREATE INDEX CONCURRENTLY syncs_held ON syncs (started_at DESC) WHERE guard IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS booking_attention_newest;
CREATE INDEX CONCURRENTLY booking_attention_newest ON booking_attention (since DESC);
DROP INDEX CONCURRENTLY IF EXISTS booking_attention_settled;
CREATE INDEX CONCURRENTLY booking_attention_settled ON booking_attention (settled_at DESC) WHERE settled_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS conformance_runs_ended;
CREATE INDEX CONCURRENTLY conformance_runs_ended ON conformance_runs (finished_at DESC) WHERE finished_at IS NOT NULL;

RESET lock_timeout;

-- +goose Down

DROP INDEX conformance_runs_ended;
DROP INDEX booking_attention_settled;
DROP INDEX booking_attention_newest;
DROP INDEX syncs_held;
DROP INDEX sync_attempts_failed;
DROP INDEX integration_health_changes_newest;
DROP TABLE integration_hours;
