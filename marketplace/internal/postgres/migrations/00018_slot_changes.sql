-- +goose Up

-- When a booking of ours last changed the seats that are left in a slot; null: none has.
-- What the partner said before that does not overwrite them.
ALTER TABLE slots ADD COLUMN changed_at timestamptz;

-- +goose Down

ALTER TABLE slots DROP COLUMN changed_at;
