-- +goose Up

SET LOCAL lock_timeout = '1min'; -- for who reads or writes

-- A keyed hash of the address from which a session was begun; NULL for sessions from before.
ALTER TABLE refresh_families ADD COLUMN place bytea;

-- +goose Down

ALTER TABLE refresh_families DROP COLUMN place;
