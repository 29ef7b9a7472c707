-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '1min'; -- for who reads or writes, and holds up the index alone

-- Few options have slots that were set aside. Each integration of a list looks for its own.
DROP INDEX CONCURRENTLY IF EXISTS slot_pulls_set_aside;
CREATE INDEX CONCURRENTLY slot_pulls_set_aside ON slot_pulls (variation_id) WHERE set_aside IS NOT NULL;

RESET lock_timeout;

-- +goose Down

DROP INDEX slot_pulls_set_aside;
