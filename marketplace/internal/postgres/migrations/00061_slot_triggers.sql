-- +goose Up

SET LOCAL lock_timeout = '5s';

-- The triggers of slots run for every notification, booking and option pulled. Functions in plpgsql
-- are planned once for a connection; those in SQL were parsed and planned at each call.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION storefront_slots_tell(changed uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('storefront_slots', string_agg(id::text, ' '))
    FROM (SELECT activity_id AS id, (row_number() OVER () - 1) / 200 AS part FROM (SELECT DISTINCT activity_id FROM variations WHERE id = ANY (changed)) AS v) AS parts
    GROUP BY part;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_wanted(kind text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM event_subscriptions WHERE kind = ANY (events));
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_slots(variation uuid, dates date[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_outbox (type, mode, subject_id, data)
    SELECT 'slot.changed', i.mode, v.id, jsonb_build_object('activity_id', v.activity_id, 'variation_id', v.id, 'dates', dates)
    FROM variations v JOIN activities a ON a.id = v.activity_id JOIN integrations i ON i.id = a.integration_id
    WHERE v.id = variation AND v.partner_active AND a.partner_active AND a.operator_active AND i.deleted_at IS NULL AND NOT i.withheld;
END $$;
-- +goose StatementEnd

-- +goose Down

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_slots(variation uuid, dates date[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO event_outbox (type, mode, subject_id, data)
    SELECT 'slot.changed', i.mode, v.id, jsonb_build_object('activity_id', v.activity_id, 'variation_id', v.id, 'dates', dates)
    FROM variations v JOIN activities a ON a.id = v.activity_id JOIN integrations i ON i.id = a.integration_id
    WHERE v.id = variation AND v.partner_active AND a.partner_active AND a.operator_active AND i.deleted_at IS NULL AND NOT i.withheld
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_wanted(kind text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM event_subscriptions WHERE kind = ANY (events))
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION storefront_slots_tell(changed uuid[]) RETURNS void LANGUAGE sql AS $$
    SELECT pg_notify('storefront_slots', string_agg(id::text, ' '))
    FROM (SELECT activity_id AS id, (row_number() OVER () - 1) / 200 AS part FROM (SELECT DISTINCT activity_id FROM variations WHERE id = ANY (changed)) AS v) AS parts
    GROUP BY part
$$;
-- +goose StatementEnd
