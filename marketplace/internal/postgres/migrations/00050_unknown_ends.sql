-- +goose Up

-- A notified slot has no end until the partner sends one.
SET LOCAL lock_timeout = '5s';
-- squawk-ignore ban-drop-not-null
ALTER TABLE slots ALTER COLUMN ends_at DROP NOT NULL;

-- +goose Down

DELETE FROM slots WHERE ends_at IS NULL;
ALTER TABLE slots ALTER COLUMN ends_at SET NOT NULL;
