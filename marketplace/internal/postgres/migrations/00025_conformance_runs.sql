-- +goose NO TRANSACTION
-- squawk-ignore-file require-concurrent-index-creation
-- Every index is of a table that is new.
-- +goose Up

-- Each statement is by itself and can be run again, and none holds up bookings for long:
-- what waits for a table's lock gives up soon.
SET lock_timeout = '5s';

-- Runs of the conformance command against an integration's partner. A replica that runs one
-- holds it until leased_until, and extends that: a run whose lease is over was left behind.
CREATE TABLE IF NOT EXISTS conformance_runs (
    id               uuid PRIMARY KEY,
    integration_id   uuid NOT NULL REFERENCES integrations ON DELETE CASCADE,
    scope            text NOT NULL CHECK (scope IN ('full', 'read_only')),
    state            text NOT NULL CHECK (state IN ('queued', 'running', 'finished', 'failed')),
    created_at       timestamptz NOT NULL DEFAULT now(),
    started_at       timestamptz,
    finished_at      timestamptz,
    holder           uuid,
    leased_until     timestamptz,
    cleanups         integer NOT NULL DEFAULT 0, -- how often a run that was left behind was cleaned up after
    reason           text NOT NULL DEFAULT '',   -- why it failed, or why the verdict is what it is
    verdict          text CHECK (verdict IN ('conformant', 'nonconformant', 'partial', 'incomplete')),
    suite_version    text NOT NULL DEFAULT '',
    contract_version text NOT NULL DEFAULT '',
    counts           jsonb NOT NULL DEFAULT '{}', -- of the rules, by outcome
    findings         jsonb NOT NULL DEFAULT '[]', -- the rules that are broken
    not_undone       jsonb NOT NULL DEFAULT '[]', -- holds and bookings that are left at the partner
    CHECK ((state = 'running') = (leased_until IS NOT NULL)),
    CHECK ((state = 'running') = (holder IS NOT NULL)),
    CHECK ((state IN ('finished', 'failed')) = (finished_at IS NOT NULL)),
    CHECK ((state = 'finished') = (verdict IS NOT NULL))
);
-- One at a time for each integration.
CREATE UNIQUE INDEX IF NOT EXISTS conformance_runs_under_way ON conformance_runs (integration_id) WHERE state IN ('queued', 'running');
CREATE INDEX IF NOT EXISTS conformance_runs_newest ON conformance_runs (integration_id, created_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS conformance_runs_leases ON conformance_runs (state, leased_until) WHERE state IN ('queued', 'running');

-- What a run writes while it goes on, piece by piece: its progress, an object for each rule,
-- and its ledger of holds and bookings, from which another replica can undo them.
CREATE TABLE IF NOT EXISTS conformance_run_parts (
    run_id uuid NOT NULL REFERENCES conformance_runs ON DELETE CASCADE,
    kind   text NOT NULL CHECK (kind IN ('progress', 'ledger')),
    number integer NOT NULL,
    body   bytea NOT NULL,
    PRIMARY KEY (run_id, kind, number)
);

-- The reports of runs that have finished, compressed.
CREATE TABLE IF NOT EXISTS conformance_reports (
    run_id uuid NOT NULL REFERENCES conformance_runs ON DELETE CASCADE,
    name   text NOT NULL,
    gzip   bytea NOT NULL,
    PRIMARY KEY (run_id, name)
);
ALTER TABLE conformance_reports ALTER COLUMN gzip SET STORAGE EXTERNAL; -- it is compressed already

RESET lock_timeout;

-- +goose Down

DROP TABLE conformance_reports;
DROP TABLE conformance_run_parts;
DROP TABLE conformance_runs;
