-- +goose NO TRANSACTION
-- squawk-ignore-file require-concurrent-index-creation
-- Every index is of a table that is new.
-- +goose Up

-- Each statement is by itself and can be run again, and none holds up bookings for long:
-- what waits for a table's lock gives up soon.
SET lock_timeout = '5s';

-- What resellers have asked to be told. Without an address the events are only kept for
-- the feed. A failing address is disabled in the end, and says why.
CREATE TABLE IF NOT EXISTS event_subscriptions (
    id              uuid PRIMARY KEY,
    account_id      uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    url             text CHECK (url <> ''),
    events          text[] NOT NULL CHECK (cardinality(events) > 0),
    secret          bytea NOT NULL, -- sealed
    created_at      timestamptz NOT NULL DEFAULT now(),
    failing_since   timestamptz,    -- the first failure since the last success
    paused_until    timestamptz,    -- nothing is sent before then
    disabled_at     timestamptz,
    disabled_reason text,
    CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);
CREATE INDEX IF NOT EXISTS event_subscriptions_account ON event_subscriptions (account_id, created_at);

-- Events as they are stored with what they tell of. They are moved to events from here,
-- one mover at a time: a position is visible only after every lower one.
CREATE TABLE IF NOT EXISTS event_outbox (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    type       text NOT NULL,
    account_id uuid, -- the reseller's; null: of everybody who has asked
    subject_id uuid NOT NULL, -- the booking, activity or variation: its events keep their order
    data       jsonb NOT NULL,
    at         timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS events (
    position   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         uuid NOT NULL UNIQUE,
    type       text NOT NULL,
    account_id uuid,
    subject_id uuid NOT NULL,
    data       jsonb NOT NULL,
    at         timestamptz NOT NULL,
    stored_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS events_account ON events (account_id, position) WHERE account_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS events_catalog ON events (position) WHERE account_id IS NULL;
CREATE INDEX IF NOT EXISTS events_age ON events (stored_at);

-- Up to where events were deleted: who has read less may have missed some.
CREATE TABLE IF NOT EXISTS event_horizon (
    one     boolean PRIMARY KEY DEFAULT true CHECK (one),
    dropped bigint NOT NULL DEFAULT 0
);
INSERT INTO event_horizon DEFAULT VALUES ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS event_deliveries (
    subscription_id uuid NOT NULL REFERENCES event_subscriptions ON DELETE CASCADE,
    position        bigint NOT NULL REFERENCES events ON DELETE CASCADE,
    subject_id      uuid NOT NULL,
    state           text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
    owed_at         timestamptz NOT NULL DEFAULT now(), -- when it became due first
    due_at          timestamptz NOT NULL DEFAULT now(), -- the next try
    attempts        integer NOT NULL DEFAULT 0,
    last_at         timestamptz,
    last_status     integer,
    last_error      text,
    PRIMARY KEY (subscription_id, position)
);
CREATE INDEX IF NOT EXISTS event_deliveries_event ON event_deliveries (position);
CREATE INDEX IF NOT EXISTS event_deliveries_pending ON event_deliveries (subscription_id, position) WHERE state = 'pending';
CREATE INDEX IF NOT EXISTS event_deliveries_order ON event_deliveries (subscription_id, subject_id, position) WHERE state = 'pending';
CREATE INDEX IF NOT EXISTS event_deliveries_failed ON event_deliveries (subscription_id, position) WHERE state = 'failed';

-- Whether any reseller has asked for that type of event.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_wanted(kind text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM event_subscriptions WHERE kind = ANY (events) AND disabled_at IS NULL)
$$;
-- +goose StatementEnd

-- Whatever writes slots tells of those that resellers see otherwise, one event for each
-- variation with the dates.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_slots_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF event_wanted('slot.changed') THEN
        PERFORM event_slots(c.variation_id, c.dates)
        FROM (SELECT n.variation_id, array_agg(DISTINCT n.local_date ORDER BY n.local_date) AS dates FROM new_rows n WHERE n.status <> 'CLOSED' GROUP BY 1 ORDER BY 1) c;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_slots_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF event_wanted('slot.changed') THEN
        PERFORM event_slots(c.variation_id, c.dates)
        FROM (
            SELECT n.variation_id, array_agg(DISTINCT d.local_date ORDER BY d.local_date) AS dates
            FROM new_rows n JOIN old_rows o ON o.variation_id = n.variation_id AND o.availability_id = n.availability_id, unnest(ARRAY[o.local_date, n.local_date]) AS d (local_date)
            WHERE (o.local_date, o.starts_at, o.ends_at, o.status, o.vacancies, o.capacity, o.unit_pricing)
                IS DISTINCT FROM (n.local_date, n.starts_at, n.ends_at, n.status, n.vacancies, n.capacity, n.unit_pricing)
            GROUP BY 1 ORDER BY 1) c;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_slots(variation uuid, dates date[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO event_outbox (type, subject_id, data)
    SELECT 'slot.changed', v.id, jsonb_build_object('activity_id', v.activity_id, 'variation_id', v.id, 'dates', dates)
    FROM variations v JOIN activities a ON a.id = v.activity_id JOIN integrations i ON i.id = a.integration_id
    WHERE v.id = variation AND v.partner_active AND a.partner_active AND a.operator_active AND i.deleted_at IS NULL
$$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS event_inserted ON slots;
CREATE TRIGGER event_inserted AFTER INSERT ON slots REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION event_slots_inserted();
DROP TRIGGER IF EXISTS event_updated ON slots;
CREATE TRIGGER event_updated AFTER UPDATE ON slots REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION event_slots_updated();

-- An activity is removed where resellers saw it and do not see it any more; whatever else
-- changes in one that they see is a change. A change of several parts in one transaction
-- is one event.
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
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_activities_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM event_activities(ARRAY(SELECT id FROM new_rows), '{}');
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_activities_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM event_activities(
        ARRAY(SELECT id FROM new_rows),
        ARRAY(SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id JOIN integrations i ON i.id = n.integration_id
            WHERE o.partner_active AND o.operator_active AND NOT (n.partner_active AND n.operator_active) AND i.deleted_at IS NULL));
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_variations_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM event_activities(ARRAY(SELECT DISTINCT activity_id FROM new_rows), '{}');
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_integrations_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM event_activities(
        ARRAY(SELECT a.id FROM activities a JOIN new_rows n ON n.id = a.integration_id JOIN old_rows o ON o.id = n.id
            WHERE n.deleted_at IS NULL AND (o.deleted_at IS NOT NULL OR o.name <> n.name)),
        ARRAY(SELECT a.id FROM activities a JOIN new_rows n ON n.id = a.integration_id JOIN old_rows o ON o.id = n.id
            WHERE n.deleted_at IS NOT NULL AND o.deleted_at IS NULL AND a.partner_active AND a.operator_active));
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS event_inserted ON activities;
CREATE TRIGGER event_inserted AFTER INSERT ON activities REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION event_activities_inserted();
DROP TRIGGER IF EXISTS event_updated ON activities;
CREATE TRIGGER event_updated AFTER UPDATE ON activities REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION event_activities_updated();
DROP TRIGGER IF EXISTS event_inserted ON variations;
CREATE TRIGGER event_inserted AFTER INSERT ON variations REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION event_variations_changed();
DROP TRIGGER IF EXISTS event_updated ON variations;
CREATE TRIGGER event_updated AFTER UPDATE ON variations REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION event_variations_changed();
DROP TRIGGER IF EXISTS event_updated ON integrations;
CREATE TRIGGER event_updated AFTER UPDATE ON integrations REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION event_integrations_updated();
RESET lock_timeout;

-- +goose Down

DROP TRIGGER event_updated ON integrations;
DROP TRIGGER event_updated ON variations;
DROP TRIGGER event_inserted ON variations;
DROP TRIGGER event_updated ON activities;
DROP TRIGGER event_inserted ON activities;
DROP TRIGGER event_updated ON slots;
DROP TRIGGER event_inserted ON slots;
DROP FUNCTION event_integrations_updated, event_variations_changed, event_activities_updated, event_activities_inserted, event_activities, event_slots_updated, event_slots_inserted, event_slots, event_wanted;
DROP TABLE event_deliveries, event_horizon, events, event_outbox, event_subscriptions;
