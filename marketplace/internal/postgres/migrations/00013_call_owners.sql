-- +goose Up

-- A request's key belongs to who asked for it last, at asked_at. Whether the booking that
-- it names was begun is on the key itself: who takes the key over and who begins the
-- booking change one row, so that one of the two is first.
ALTER TABLE idempotency_keys ADD COLUMN made boolean NOT NULL DEFAULT false;

-- +goose Down

ALTER TABLE idempotency_keys DROP COLUMN made;
