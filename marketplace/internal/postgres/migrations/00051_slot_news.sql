-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- Replicas listen to the channel "storefront_slots", too: activities with slots that can be booked
-- otherwise, up to 200 ids in a notification. Seats alone do not matter to them.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION storefront_slots_tell(changed uuid[]) RETURNS void LANGUAGE sql AS $$
    SELECT pg_notify('storefront_slots', string_agg(id::text, ' '))
    FROM (SELECT activity_id AS id, (row_number() OVER () - 1) / 200 AS part FROM (SELECT DISTINCT activity_id FROM variations WHERE id = ANY (changed)) AS v) AS parts
    GROUP BY part
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION storefront_slots_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM storefront_slots_tell(ARRAY(SELECT DISTINCT variation_id FROM changed WHERE status IN ('AVAILABLE', 'FREESALE', 'LIMITED')));
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION storefront_slots_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM storefront_slots_tell(ARRAY(
        SELECT DISTINCT n.variation_id FROM new_rows n JOIN old_rows o ON o.variation_id = n.variation_id AND o.availability_id = n.availability_id
        WHERE (o.status IN ('AVAILABLE', 'FREESALE', 'LIMITED'), o.local_date, o.starts_at, o.unit_pricing)
            IS DISTINCT FROM (n.status IN ('AVAILABLE', 'FREESALE', 'LIMITED'), n.local_date, n.starts_at, n.unit_pricing)));
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS storefront_inserted ON slots;
CREATE TRIGGER storefront_inserted AFTER INSERT ON slots REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION storefront_slots_changed();
DROP TRIGGER IF EXISTS storefront_updated ON slots;
CREATE TRIGGER storefront_updated AFTER UPDATE ON slots REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION storefront_slots_updated();

RESET lock_timeout;

-- +goose Down

DROP TRIGGER storefront_updated ON slots;
DROP TRIGGER storefront_inserted ON slots;
DROP FUNCTION storefront_slots_updated, storefront_slots_changed, storefront_slots_tell;
