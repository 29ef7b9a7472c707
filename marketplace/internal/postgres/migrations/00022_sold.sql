-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';
-- What was sold, in the words of the catalog at checkout; null: by a release that did not
-- keep it.
ALTER TABLE bookings ADD COLUMN IF NOT EXISTS sold jsonb;
-- The references of payments to refund; null: none is.
ALTER TABLE booking_attention ADD COLUMN IF NOT EXISTS refund text[];
RESET lock_timeout;

-- +goose Down

ALTER TABLE booking_attention DROP COLUMN refund;
ALTER TABLE bookings DROP COLUMN sold;
