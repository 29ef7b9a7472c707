-- +goose Up

-- What operators look bookings up by: the reseller's reference, and the partner's id.
CREATE INDEX bookings_reference ON bookings (reseller_reference) WHERE reseller_reference <> '';
CREATE INDEX bookings_external ON bookings (external_booking_id) WHERE external_booking_id IS NOT NULL;

-- +goose Down

DROP INDEX bookings_external, bookings_reference;
