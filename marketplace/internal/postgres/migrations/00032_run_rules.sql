-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- The rules that a run judges; empty: all.
ALTER TABLE conformance_runs ADD COLUMN IF NOT EXISTS rules text[] NOT NULL DEFAULT '{}';

RESET lock_timeout;

-- +goose Down

ALTER TABLE conformance_runs DROP COLUMN rules;
