-- +goose Up

SET LOCAL lock_timeout = '5s';

-- When the sync of a wish is due; NULL: immediately.
ALTER TABLE sync_wishes ADD COLUMN due_at timestamptz;

ALTER TABLE slot_rounds
    ADD COLUMN took interval,                       -- how long the last complete round took
    ADD COLUMN slow boolean NOT NULL DEFAULT false; -- the last answers took so long that other partners come first

-- The nightly syncs of all partners, with their slots.
CREATE TABLE nights (
    due_at   timestamptz PRIMARY KEY,
    ended_at timestamptz,               -- NULL: some are still pulled
    partners integer NOT NULL DEFAULT 0, -- set at the end
    failed   integer NOT NULL DEFAULT 0  -- whose slots were not all pulled; set at the end
);

-- +goose Down

DROP TABLE nights;
ALTER TABLE slot_rounds DROP COLUMN took, DROP COLUMN slow;
ALTER TABLE sync_wishes DROP COLUMN due_at;
