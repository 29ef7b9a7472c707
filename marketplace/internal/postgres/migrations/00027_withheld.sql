-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- Whether live integrations must be certified for their activities to be listed. One row,
-- as the service that started last has it.
CREATE TABLE IF NOT EXISTS certification_policy (
    one_row  boolean PRIMARY KEY DEFAULT true CHECK (one_row),
    required boolean NOT NULL
);
INSERT INTO certification_policy (required) VALUES (false) ON CONFLICT DO NOTHING;

-- Whether an integration's activities are withheld from resellers, for want of a certificate.
ALTER TABLE integrations ADD COLUMN IF NOT EXISTS withheld boolean NOT NULL DEFAULT false;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION integration_withheld(integration uuid, of_mode text, address text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT required AND of_mode = 'live' AND NOT EXISTS (
        SELECT FROM conformance_certificates c
        WHERE c.integration_id = integration AND c.ended_at IS NULL AND c.valid_until > now() AND c.base_url = address)
    FROM certification_policy
$$;
-- +goose StatementEnd

-- A new integration, and one with another address, has no certificate.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION integration_withhold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.withheld := integration_withheld(NEW.id, NEW.mode, NEW.base_url);
    RETURN NEW;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS withhold ON integrations;
CREATE TRIGGER withhold BEFORE INSERT OR UPDATE OF base_url ON integrations FOR EACH ROW EXECUTE FUNCTION integration_withhold();

-- A certificate lets activities in, and its end takes them out.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION certificate_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE integrations SET withheld = NOT withheld
    WHERE id = NEW.integration_id AND withheld <> integration_withheld(id, mode, base_url);
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS changed ON conformance_certificates;
CREATE TRIGGER changed AFTER INSERT OR UPDATE ON conformance_certificates FOR EACH ROW EXECUTE FUNCTION certificate_changed();

-- Replicas and resellers are told as of an integration that is deleted, or is back.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION storefront_integrations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('storefront', 'integration ' || n.id)
    FROM new_rows n JOIN old_rows o ON o.id = n.id
    WHERE n.name <> o.name OR n.withheld <> o.withheld OR (n.deleted_at IS NULL) <> (o.deleted_at IS NULL);
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_integrations_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM event_activities(
        ARRAY(SELECT a.id FROM activities a JOIN new_rows n ON n.id = a.integration_id JOIN old_rows o ON o.id = n.id
            WHERE n.deleted_at IS NULL AND NOT n.withheld AND (o.deleted_at IS NOT NULL OR o.withheld OR o.name <> n.name)),
        ARRAY(SELECT a.id FROM activities a JOIN new_rows n ON n.id = a.integration_id JOIN old_rows o ON o.id = n.id
            WHERE (n.deleted_at IS NOT NULL OR n.withheld) AND o.deleted_at IS NULL AND NOT o.withheld AND a.partner_active AND a.operator_active));
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_slots(variation uuid, dates date[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO event_outbox (type, mode, subject_id, data)
    SELECT 'slot.changed', i.mode, v.id, jsonb_build_object('activity_id', v.activity_id, 'variation_id', v.id, 'dates', dates)
    FROM variations v JOIN activities a ON a.id = v.activity_id JOIN integrations i ON i.id = a.integration_id
    WHERE v.id = variation AND v.partner_active AND a.partner_active AND a.operator_active AND i.deleted_at IS NULL AND NOT i.withheld
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
        WHERE a.id = ANY (changed) AND a.partner_active AND a.operator_active AND i.deleted_at IS NULL AND NOT i.withheld
            AND NOT EXISTS (SELECT FROM event_outbox o WHERE o.subject_id = a.id AND o.type = 'activity.changed' AND o.xmin = pg_current_xact_id()::xid);
    END IF;
END $$;
-- +goose StatementEnd

RESET lock_timeout;

-- +goose Down

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
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION storefront_integrations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('storefront', 'integration ' || n.id)
    FROM new_rows n JOIN old_rows o ON o.id = n.id
    WHERE n.name <> o.name OR (n.deleted_at IS NULL) <> (o.deleted_at IS NULL);
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER changed ON conformance_certificates;
DROP TRIGGER withhold ON integrations;
DROP FUNCTION certificate_changed, integration_withhold, integration_withheld;
ALTER TABLE integrations DROP COLUMN withheld;
DROP TABLE certification_policy;
