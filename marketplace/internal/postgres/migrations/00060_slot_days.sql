-- +goose NO TRANSACTION
-- squawk-ignore-file require-concurrent-index-creation
-- The index is of a table that is new.
-- +goose Up

SET lock_timeout = '5s';

-- A hash for each day of the last complete pull, as catalog.SlotDays encodes them. A pull reads and
-- writes only the slots of days with another hash, and of days with an edit.
ALTER TABLE slot_pulls ADD COLUMN IF NOT EXISTS days bytea;

-- The days on which something other than a pull has changed slots: a notification, a booking, a
-- replica of an earlier release, a person. Rows are only inserted, so that no booking waits.
-- The next pull reads these days and deletes its rows.
CREATE TABLE IF NOT EXISTS slot_edits (
    variation_id uuid NOT NULL REFERENCES variations ON DELETE CASCADE,
    local_date   date NOT NULL,
    at           timestamptz NOT NULL -- the changed slot's age
);
CREATE INDEX IF NOT EXISTS slot_edits_option ON slot_edits (variation_id, at);
CREATE INDEX IF NOT EXISTS slot_edits_age ON slot_edits (at);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION slots_edited() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    CASE TG_OP
    WHEN 'INSERT' THEN
        INSERT INTO slot_edits SELECT variation_id, local_date, max(greatest(news_at, changed_at)) FROM new_rows GROUP BY 1, 2;
    WHEN 'UPDATE' THEN
        INSERT INTO slot_edits SELECT n.variation_id, d.local_date, max(greatest(n.news_at, n.changed_at))
        FROM new_rows n JOIN old_rows o ON o.variation_id = n.variation_id AND o.availability_id = n.availability_id,
            unnest(ARRAY[o.local_date, n.local_date]) AS d (local_date) GROUP BY 1, 2;
    ELSE -- past slots, which are deleted every hour, are no longer pulled; an option's slots go with it
        INSERT INTO slot_edits SELECT o.variation_id, o.local_date, max(o.news_at)
        FROM old_rows o JOIN variations v ON v.id = o.variation_id JOIN slot_pulls p ON p.variation_id = v.id AND o.local_date > p.sent_at::date GROUP BY 1, 2;
    END CASE;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- A pull says of its own transaction that it is one.
DROP TRIGGER IF EXISTS edited_inserted ON slots;
CREATE TRIGGER edited_inserted AFTER INSERT ON slots REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT WHEN (current_setting('marketplace.slot_pull', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION slots_edited();
DROP TRIGGER IF EXISTS edited_updated ON slots;
CREATE TRIGGER edited_updated AFTER UPDATE ON slots REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT WHEN (current_setting('marketplace.slot_pull', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION slots_edited();
DROP TRIGGER IF EXISTS edited_deleted ON slots;
CREATE TRIGGER edited_deleted AFTER DELETE ON slots REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION slots_edited();

RESET lock_timeout;

-- +goose Down

DROP TRIGGER edited_deleted ON slots;
DROP TRIGGER edited_updated ON slots;
DROP TRIGGER edited_inserted ON slots;
DROP FUNCTION slots_edited;
DROP TABLE slot_edits;
ALTER TABLE slot_pulls DROP COLUMN days;
