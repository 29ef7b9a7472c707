-- +goose Up

-- Whether a confirm had no answer, or failed: the partner may have booked.
ALTER TABLE bookings ADD COLUMN confirm_doubted boolean NOT NULL DEFAULT false;
UPDATE bookings b SET confirm_doubted = true WHERE b.status = 'PAID' AND EXISTS (
    SELECT FROM booking_history h WHERE h.booking_id = b.id AND h.endpoint = 'confirm' AND (h.status IS NULL OR h.status >= 500 OR h.status BETWEEN 200 AND 299));

-- +goose Down

ALTER TABLE bookings DROP COLUMN confirm_doubted;
