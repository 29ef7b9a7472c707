-- +goose Up

-- Else a change that waits for a long transaction would hold up all who come after it.
SET LOCAL lock_timeout = '5s';

-- When a booking of ours last changed the seats that are left in a slot; null: none has.
-- What the partner said before that does not overwrite them.
ALTER TABLE slots ADD COLUMN changed_at timestamptz;

-- The last sync of an integration that was skipped. It is apart from the catalog's tables
-- and their history, which a skipped sync does not write.
CREATE TABLE skipped_syncs (
    integration_id uuid PRIMARY KEY REFERENCES integrations ON DELETE CASCADE,
    cause          text NOT NULL,
    started_at     timestamptz NOT NULL,
    finished_at    timestamptz NOT NULL
) WITH (fillfactor = 50); -- room for the next version of each row

-- +goose Down

DROP TABLE skipped_syncs;

ALTER TABLE slots DROP COLUMN changed_at;
