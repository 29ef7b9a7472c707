-- +goose NO TRANSACTION
-- +goose Up

-- The last breaches of an integration, newest first. With an index that ends with id the
-- planner may read the table backwards by its primary key: all of it, for an integration
-- without breaches.
SET lock_timeout = '5s';
DROP INDEX CONCURRENTLY IF EXISTS integration_breaches_newest;
CREATE INDEX CONCURRENTLY integration_breaches_newest ON integration_breaches (integration_id, at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS integration_breaches_of;
RESET lock_timeout;

-- +goose Down

CREATE INDEX integration_breaches_of ON integration_breaches (integration_id, id DESC);
DROP INDEX integration_breaches_newest;
