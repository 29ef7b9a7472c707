-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- A reschedule has two bookings. The old one names the new one from the time when the partner is asked to
-- reserve (it is locked before the new one is stored), and no longer if that fails. The new one keeps the old one's total, in the same currency.
ALTER TABLE bookings ADD COLUMN IF NOT EXISTS rescheduled_from uuid;
ALTER TABLE bookings ADD COLUMN IF NOT EXISTS rescheduled_to uuid;
ALTER TABLE bookings ADD COLUMN IF NOT EXISTS replaced_total numeric;
ALTER TABLE bookings DROP CONSTRAINT IF EXISTS bookings_rescheduled_from;
ALTER TABLE bookings ADD CONSTRAINT bookings_rescheduled_from FOREIGN KEY (rescheduled_from) REFERENCES bookings NOT VALID;
ALTER TABLE bookings VALIDATE CONSTRAINT bookings_rescheduled_from;
ALTER TABLE bookings DROP CONSTRAINT IF EXISTS bookings_rescheduled_to;
ALTER TABLE bookings ADD CONSTRAINT bookings_rescheduled_to FOREIGN KEY (rescheduled_to) REFERENCES bookings DEFERRABLE INITIALLY DEFERRED NOT VALID;
ALTER TABLE bookings VALIDATE CONSTRAINT bookings_rescheduled_to;
ALTER TABLE bookings DROP CONSTRAINT IF EXISTS bookings_rescheduled;
ALTER TABLE bookings ADD CONSTRAINT bookings_rescheduled CHECK (
    (rescheduled_from IS NULL) = (replaced_total IS NULL) AND (rescheduled_to IS NULL OR status IN ('CONFIRMED', 'CANCELLED'))) NOT VALID;
ALTER TABLE bookings VALIDATE CONSTRAINT bookings_rescheduled;

-- A booking is replaced once at a time.
DROP INDEX CONCURRENTLY IF EXISTS bookings_replaced_once;
CREATE UNIQUE INDEX CONCURRENTLY bookings_replaced_once ON bookings (rescheduled_from)
    WHERE rescheduled_from IS NOT NULL AND status IN ('RESERVING', 'PAID', 'CONFIRMED') AND release IS NULL;

-- When a transaction ends, a guest has one of the two bookings: the new one is CONFIRMED only if the old one is
-- CANCELLED, and an old one is CANCELLED only if the new one was confirmed. A replica of the previous
-- release, which does not know of reschedules, is refused.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION booking_rescheduled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM bookings n JOIN bookings o ON o.id = n.rescheduled_from
            WHERE n.id IN (NEW.id, NEW.rescheduled_to) AND (n.status = 'CONFIRMED' AND o.status <> 'CANCELLED'
                OR o.rescheduled_to = n.id AND o.status = 'CANCELLED' AND n.external_booking_id IS NULL)) THEN
        RAISE EXCEPTION 'bookings_one_of_two: booking % is %', NEW.id, NEW.status USING ERRCODE = 'check_violation', CONSTRAINT = 'bookings_one_of_two';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS rescheduled ON bookings;
CREATE CONSTRAINT TRIGGER rescheduled AFTER UPDATE ON bookings DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.rescheduled_from IS NOT NULL OR NEW.rescheduled_to IS NOT NULL) EXECUTE FUNCTION booking_rescheduled();

RESET lock_timeout;

-- +goose Down

DROP TRIGGER rescheduled ON bookings;
DROP FUNCTION booking_rescheduled;
ALTER TABLE bookings DROP COLUMN rescheduled_from, DROP COLUMN rescheduled_to, DROP COLUMN replaced_total;
