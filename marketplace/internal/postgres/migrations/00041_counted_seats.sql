-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- When the partner's availability stated the slot's numbers. Unless it equals news_at, a webhook did,
-- whose capacity may be its vacancies.
ALTER TABLE slots ADD COLUMN IF NOT EXISTS answered_at timestamptz;

-- Since when the partner has this address. Bookings from before may be at another platform.
ALTER TABLE integrations ADD COLUMN IF NOT EXISTS moved_at timestamptz NOT NULL DEFAULT now();
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION integration_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.moved_at := now();
    RETURN NEW;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS moved ON integrations;
CREATE TRIGGER moved BEFORE UPDATE OF base_url ON integrations FOR EACH ROW WHEN (NEW.base_url <> OLD.base_url) EXECUTE FUNCTION integration_moved();

-- Slots whose partner states fewer taken seats than the marketplace holds and has booked. A row is
-- removed as soon as the numbers agree.
CREATE TABLE IF NOT EXISTS uncounted_seats (
    variation_id    uuid NOT NULL,
    availability_id text NOT NULL,
    since           timestamptz NOT NULL, -- the first answer in a row with too few
    answered_at     timestamptz NOT NULL CHECK (answered_at >= since), -- the last one
    PRIMARY KEY (variation_id, availability_id),
    FOREIGN KEY (variation_id, availability_id) REFERENCES slots ON DELETE CASCADE
);

RESET lock_timeout;

-- +goose Down

DROP TABLE uncounted_seats;
DROP TRIGGER moved ON integrations;
DROP FUNCTION integration_moved;
ALTER TABLE integrations DROP COLUMN moved_at;
ALTER TABLE slots DROP COLUMN answered_at;
