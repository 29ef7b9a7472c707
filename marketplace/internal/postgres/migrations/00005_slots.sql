-- +goose Up

-- How an option's slots were pulled, apart from the catalog's rows, which a pull that
-- changes nothing does not touch. A writer of an option's slots locks its row.
CREATE TABLE slot_pulls (
    variation_id uuid PRIMARY KEY REFERENCES variations ON DELETE CASCADE,
    sent_at      timestamptz, -- the last complete pull; null before the first
    set_aside    jsonb        -- slots of it that are not stored, and why; null if all are stored
) WITH (fillfactor = 50); -- room for the next version of each row
INSERT INTO slot_pulls (variation_id, sent_at) SELECT id, pulled_at FROM variations WHERE pulled_at IS NOT NULL;

ALTER TABLE variations
    DROP COLUMN pulled_at,
    ADD COLUMN capacity integer NOT NULL DEFAULT 0 CHECK (capacity >= 0); -- the largest known of its slots; 0: none is
ALTER TABLE slots
    ADD CONSTRAINT slots_availability_id CHECK (availability_id <> ''),
    ADD CONSTRAINT slots_end CHECK (ends_at > starts_at);

-- +goose Down

ALTER TABLE slots DROP CONSTRAINT slots_end, DROP CONSTRAINT slots_availability_id;
ALTER TABLE variations DROP COLUMN capacity, ADD COLUMN pulled_at timestamptz;
UPDATE variations v SET pulled_at = p.sent_at FROM slot_pulls p WHERE p.variation_id = v.id;
DROP TABLE slot_pulls;
