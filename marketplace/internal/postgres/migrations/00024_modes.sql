-- +goose NO TRANSACTION
-- +goose Up

-- Each statement is by itself and can be run again, and none holds up bookings for long:
-- what waits for a table's lock gives up soon.
SET lock_timeout = '5s';

-- Whether bookings are real. An integration has its mode for life, and a booking the mode of
-- its integration. What was there before is live.
ALTER TABLE integrations ADD COLUMN IF NOT EXISTS mode text NOT NULL DEFAULT 'live';
ALTER TABLE bookings ADD COLUMN IF NOT EXISTS mode text NOT NULL DEFAULT 'live';
ALTER TABLE idempotency_keys ADD COLUMN IF NOT EXISTS mode text NOT NULL DEFAULT 'live';
ALTER TABLE event_subscriptions ADD COLUMN IF NOT EXISTS mode text NOT NULL DEFAULT 'live';
ALTER TABLE event_outbox ADD COLUMN IF NOT EXISTS mode text NOT NULL DEFAULT 'live';
ALTER TABLE events ADD COLUMN IF NOT EXISTS mode text NOT NULL DEFAULT 'live';
-- Null: a token from before. Its requests name a mode.
ALTER TABLE api_tokens ADD COLUMN IF NOT EXISTS mode text;

ALTER TABLE integrations DROP CONSTRAINT IF EXISTS integrations_mode;
ALTER TABLE integrations ADD CONSTRAINT integrations_mode CHECK (mode IN ('live', 'test')) NOT VALID;
ALTER TABLE integrations VALIDATE CONSTRAINT integrations_mode;

-- A partner may register an address once for each mode.
DROP INDEX CONCURRENTLY IF EXISTS integrations_base_url_mode;
CREATE UNIQUE INDEX CONCURRENTLY integrations_base_url_mode ON integrations (account_id, base_url, mode) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS integrations_live_base_url;

-- What is rare among much else: a reseller's test bookings and events among live ones.
DROP INDEX CONCURRENTLY IF EXISTS bookings_test;
CREATE INDEX CONCURRENTLY bookings_test ON bookings (account_id, created_at DESC, id DESC) WHERE mode = 'test';
DROP INDEX CONCURRENTLY IF EXISTS events_test;
CREATE INDEX CONCURRENTLY events_test ON events (account_id, position) WHERE mode = 'test';

-- Events of the catalog have the mode of the integration.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_slots(variation uuid, dates date[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO event_outbox (type, mode, subject_id, data)
    SELECT 'slot.changed', i.mode, v.id, jsonb_build_object('activity_id', v.activity_id, 'variation_id', v.id, 'dates', dates)
    FROM variations v JOIN activities a ON a.id = v.activity_id JOIN integrations i ON i.id = a.integration_id
    WHERE v.id = variation AND v.partner_active AND a.partner_active AND a.operator_active AND i.deleted_at IS NULL
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_activities(changed uuid[], removed uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(removed) > 0 AND event_wanted('activity.removed') THEN
        INSERT INTO event_outbox (type, mode, subject_id, data)
        SELECT 'activity.removed', i.mode, a.id, jsonb_build_object('activity_id', a.id)
        FROM activities a JOIN integrations i ON i.id = a.integration_id WHERE a.id = ANY (removed);
    END IF;
    IF cardinality(changed) > 0 AND event_wanted('activity.changed') THEN
        INSERT INTO event_outbox (type, mode, subject_id, data)
        SELECT 'activity.changed', i.mode, a.id, jsonb_build_object('activity_id', a.id)
        FROM activities a JOIN integrations i ON i.id = a.integration_id
        WHERE a.id = ANY (changed) AND a.partner_active AND a.operator_active AND i.deleted_at IS NULL
            AND NOT EXISTS (SELECT FROM event_outbox o WHERE o.subject_id = a.id AND o.type = 'activity.changed' AND o.xmin = pg_current_xact_id()::xid);
    END IF;
END $$;
-- +goose StatementEnd

-- A key names one request in each mode.
DROP INDEX CONCURRENTLY IF EXISTS idempotency_keys_mode;
CREATE UNIQUE INDEX CONCURRENTLY idempotency_keys_mode ON idempotency_keys (account_id, mode, key);
ALTER TABLE idempotency_keys DROP CONSTRAINT IF EXISTS idempotency_keys_pkey;
RESET lock_timeout;

-- +goose Down

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_slots(variation uuid, dates date[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO event_outbox (type, subject_id, data)
    SELECT 'slot.changed', v.id, jsonb_build_object('activity_id', v.activity_id, 'variation_id', v.id, 'dates', dates)
    FROM variations v JOIN activities a ON a.id = v.activity_id JOIN integrations i ON i.id = a.integration_id
    WHERE v.id = variation AND v.partner_active AND a.partner_active AND a.operator_active AND i.deleted_at IS NULL
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_activities(changed uuid[], removed uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(removed) > 0 AND event_wanted('activity.removed') THEN
        INSERT INTO event_outbox (type, subject_id, data) SELECT 'activity.removed', id, jsonb_build_object('activity_id', id) FROM unnest(removed) AS id;
    END IF;
    IF cardinality(changed) > 0 AND event_wanted('activity.changed') THEN
        INSERT INTO event_outbox (type, subject_id, data)
        SELECT 'activity.changed', a.id, jsonb_build_object('activity_id', a.id)
        FROM activities a JOIN integrations i ON i.id = a.integration_id
        WHERE a.id = ANY (changed) AND a.partner_active AND a.operator_active AND i.deleted_at IS NULL
            AND NOT EXISTS (SELECT FROM event_outbox o WHERE o.subject_id = a.id AND o.type = 'activity.changed' AND o.xmin = pg_current_xact_id()::xid);
    END IF;
END $$;
-- +goose StatementEnd
DELETE FROM idempotency_keys WHERE mode = 'test';
ALTER TABLE idempotency_keys ADD PRIMARY KEY (account_id, key);
DROP INDEX idempotency_keys_mode, events_test, bookings_test;
CREATE UNIQUE INDEX integrations_live_base_url ON integrations (account_id, base_url) WHERE deleted_at IS NULL;
DROP INDEX integrations_base_url_mode;
ALTER TABLE api_tokens DROP COLUMN mode;
ALTER TABLE events DROP COLUMN mode;
ALTER TABLE event_outbox DROP COLUMN mode;
ALTER TABLE event_subscriptions DROP COLUMN mode;
ALTER TABLE idempotency_keys DROP COLUMN mode;
ALTER TABLE bookings DROP COLUMN mode;
ALTER TABLE integrations DROP COLUMN mode;
