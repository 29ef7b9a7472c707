-- +goose NO TRANSACTION
-- +goose Up

-- When a guest's contact was erased; null: it is there.
SET lock_timeout = '5s';
ALTER TABLE bookings ADD COLUMN IF NOT EXISTS guest_erased_at timestamptz;

SET lock_timeout = '1min'; -- for who reads or writes, and holds up the index alone
DROP INDEX CONCURRENTLY IF EXISTS bookings_to_erase;
CREATE INDEX CONCURRENTLY bookings_to_erase ON bookings (ends_at) WHERE guest_erased_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS idempotency_keys_booking;
CREATE INDEX CONCURRENTLY idempotency_keys_booking ON idempotency_keys (booking_id);
DROP INDEX CONCURRENTLY IF EXISTS integration_breaches_booking;
CREATE INDEX CONCURRENTLY integration_breaches_booking ON integration_breaches (booking_id);
DROP INDEX CONCURRENTLY IF EXISTS slots_date;
CREATE INDEX CONCURRENTLY slots_date ON slots (local_date);
RESET lock_timeout;

-- +goose Down

DROP INDEX slots_date, integration_breaches_booking, idempotency_keys_booking, bookings_to_erase;
ALTER TABLE bookings DROP COLUMN guest_erased_at;
