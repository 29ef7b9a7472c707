-- +goose NO TRANSACTION
-- +goose Up

-- Each statement is by itself, and none holds up bookings: what waits for a table's lock
-- gives up soon, and indexes are built beside the bookings. Where one fails, all are run
-- again at the next start; an index that was broken off goes first.
SET lock_timeout = '5s';

-- Bookings that need an operator are few of many, and found without looking at the many.
ALTER TABLE bookings ADD COLUMN IF NOT EXISTS needs_attention boolean NOT NULL DEFAULT false;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION booking_attention_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE bookings b SET needs_attention = NOT b.needs_attention
    WHERE b.id = NEW.booking_id AND b.needs_attention <> EXISTS (SELECT FROM booking_attention t WHERE t.booking_id = b.id AND t.settled_at IS NULL);
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS booking_attention_changed ON booking_attention;
CREATE TRIGGER booking_attention_changed AFTER INSERT OR UPDATE OF settled_at ON booking_attention FOR EACH ROW EXECUTE FUNCTION booking_attention_changed();
UPDATE bookings SET needs_attention = true WHERE NOT needs_attention AND id IN (SELECT booking_id FROM booking_attention WHERE settled_at IS NULL);

-- Not in SQL, which would be put in its place: the planner has to know what it costs.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION booking_guest(contact jsonb) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
BEGIN
    RETURN jsonb_to_tsvector('simple', contact, '["string"]');
END $$;
-- +goose StatementEnd

SET lock_timeout = '1min'; -- for who reads or writes, and holds up the index alone

-- Lists are in the order of created_at and id; each filter that may choose many bookings
-- has an index in that order.
DROP INDEX CONCURRENTLY IF EXISTS bookings_of_status;
CREATE INDEX CONCURRENTLY bookings_of_status ON bookings (account_id, status, created_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS bookings_made_of;
CREATE INDEX CONCURRENTLY bookings_made_of ON bookings (account_id, created_at DESC, id DESC) WHERE code IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS bookings_of_activity;
CREATE INDEX CONCURRENTLY bookings_of_activity ON bookings (account_id, activity_id, created_at DESC, id DESC) WHERE code IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS bookings_status;
CREATE INDEX CONCURRENTLY bookings_status ON bookings (status, created_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS bookings_activity;
CREATE INDEX CONCURRENTLY bookings_activity ON bookings (activity_id, created_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS bookings_integration;
CREATE INDEX CONCURRENTLY bookings_integration ON bookings (integration_id, created_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS bookings_referred;
CREATE INDEX CONCURRENTLY bookings_referred ON bookings (reseller_reference, created_at DESC, id DESC) WHERE reseller_reference <> '';
DROP INDEX CONCURRENTLY IF EXISTS bookings_reference;

-- What is looked for anywhere in that order: by the slot's start, and by words of the
-- guest's name and addresses.
DROP INDEX CONCURRENTLY IF EXISTS bookings_start;
CREATE INDEX CONCURRENTLY bookings_start ON bookings (starts_at) INCLUDE (created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS bookings_guest;
CREATE INDEX CONCURRENTLY bookings_guest ON bookings USING gin (booking_guest(contact));

DROP INDEX CONCURRENTLY IF EXISTS bookings_attention;
CREATE INDEX CONCURRENTLY bookings_attention ON bookings (created_at DESC, id DESC) WHERE needs_attention;
DROP INDEX CONCURRENTLY IF EXISTS affiliate_commissions_list;
CREATE INDEX CONCURRENTLY affiliate_commissions_list ON affiliate_commissions (affiliate_id, accrued_at DESC, booking_id DESC);
DROP INDEX CONCURRENTLY IF EXISTS affiliate_commissions_of;
DROP INDEX CONCURRENTLY IF EXISTS accounts_order;
CREATE INDEX CONCURRENTLY accounts_order ON accounts (created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS accounts_role;
CREATE INDEX CONCURRENTLY accounts_role ON accounts (role, created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS activities_of;
CREATE INDEX CONCURRENTLY activities_of ON activities (integration_id, created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS integrations_order;
CREATE INDEX CONCURRENTLY integrations_order ON integrations (created_at, id) WHERE deleted_at IS NULL;

RESET lock_timeout;

-- +goose Down

DROP INDEX integrations_order, activities_of, accounts_role, accounts_order, bookings_attention, bookings_guest, bookings_start, bookings_referred,
    bookings_integration, bookings_activity, bookings_status, bookings_of_activity, bookings_made_of, bookings_of_status;
DROP FUNCTION booking_guest;
DROP TRIGGER booking_attention_changed ON booking_attention;
DROP FUNCTION booking_attention_changed;
ALTER TABLE bookings DROP COLUMN needs_attention;
CREATE INDEX bookings_reference ON bookings (reseller_reference) WHERE reseller_reference <> '';
DROP INDEX affiliate_commissions_list;
CREATE INDEX affiliate_commissions_of ON affiliate_commissions (affiliate_id, accrued_at DESC, booking_id);
