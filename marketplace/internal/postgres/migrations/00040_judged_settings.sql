-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- The part of a base URL that a partner's key is given for: scheme, host and port.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION integration_origin(address text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT substring(address FROM '^[a-z]+://[^/]*')
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION integration_key_of_origin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'integrations: a key is sent only to the origin that it was given for'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'integrations_key_of_origin';
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS key_of_origin ON integrations;
CREATE TRIGGER key_of_origin BEFORE UPDATE OF base_url ON integrations FOR EACH ROW
    WHEN (integration_origin(NEW.base_url) IS DISTINCT FROM integration_origin(OLD.base_url) AND NEW.auth_key = OLD.auth_key)
    EXECUTE FUNCTION integration_key_of_origin();

-- A certificate holds for the settings that were tested. What was issued before names its base_url only;
-- the run had the integration's other settings.
ALTER TABLE conformance_certificates ADD COLUMN IF NOT EXISTS auth_type text;
ALTER TABLE conformance_certificates ADD COLUMN IF NOT EXISTS handles_ticket_delivery boolean;
ALTER TABLE conformance_certificates ADD COLUMN IF NOT EXISTS ended_settings text[]; -- whose change ended it
UPDATE conformance_certificates c SET auth_type = i.auth_type, handles_ticket_delivery = i.handles_ticket_delivery
FROM integrations i WHERE i.id = c.integration_id AND c.auth_type IS NULL;
-- A replica of the release before knows ended_by only, and clears that alone.
ALTER TABLE conformance_certificates DROP CONSTRAINT IF EXISTS conformance_certificates_check;
ALTER TABLE conformance_certificates DROP CONSTRAINT IF EXISTS conformance_certificates_ended;
ALTER TABLE conformance_certificates ADD CONSTRAINT conformance_certificates_ended
    CHECK (CASE WHEN ended_at IS NULL THEN ended_by IS NULL ELSE num_nonnulls(ended_by, ended_settings) > 0 END) NOT VALID;
ALTER TABLE conformance_certificates VALIDATE CONSTRAINT conformance_certificates_ended;

-- ended: it was approved, and its settings changed since. reason names them.
ALTER TABLE integration_admissions ADD COLUMN IF NOT EXISTS ended_certification text; -- its own policy, until its settings changed
ALTER TABLE integration_admissions DROP CONSTRAINT IF EXISTS integration_admissions_go_live_check;
ALTER TABLE integration_admissions ADD CONSTRAINT integration_admissions_go_live_check
    CHECK (go_live IN ('none', 'requested', 'approved', 'declined', 'ended')) NOT VALID;
ALTER TABLE integration_admissions VALIDATE CONSTRAINT integration_admissions_go_live_check;
ALTER TABLE integration_admissions DROP CONSTRAINT IF EXISTS integration_admissions_check;
ALTER TABLE integration_admissions ADD CONSTRAINT integration_admissions_check
    CHECK ((go_live IN ('approved', 'declined', 'ended')) = (decided_at IS NOT NULL)) NOT VALID;
ALTER TABLE integration_admissions VALIDATE CONSTRAINT integration_admissions_check;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION integration_withheld(i integrations) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT i.mode = 'live' AND (
        integration_certification(i.id) = 'require' AND NOT EXISTS (
            SELECT FROM conformance_certificates c
            WHERE c.integration_id = i.id AND c.ended_at IS NULL AND c.valid_until > now()
                AND (c.base_url, c.auth_type, c.handles_ticket_delivery) = (i.base_url, i.auth_type, i.handles_ticket_delivery))
        OR approval AND NOT EXISTS (SELECT FROM integration_admissions a WHERE a.integration_id = i.id AND a.go_live = 'approved'))
    FROM certification_policy
$$;
-- +goose StatementEnd
-- For replicas of the release before, which name the columns.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION integration_withheld(integration uuid, of_mode text, address text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT integration_withheld(i) FROM integrations i WHERE i.id = integration
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION integration_withhold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.withheld := integration_withheld(NEW);
    RETURN NEW;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS withhold ON integrations;
CREATE TRIGGER withhold BEFORE INSERT OR UPDATE OF base_url, auth_type, handles_ticket_delivery ON integrations FOR EACH ROW EXECUTE FUNCTION integration_withhold();
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION certificate_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE integrations SET withheld = NOT withheld
    WHERE id = NEW.integration_id AND withheld <> integration_withheld(integrations);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- What was judged was another platform: its certificate, its approval and its own policy end, and stay
-- so when the settings are changed back. An own policy that requires a certificate protects from any
-- platform, so it stays.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION integration_settings_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed text[] := array_remove(ARRAY[
        CASE WHEN NEW.base_url <> OLD.base_url THEN 'base_url' END,
        CASE WHEN NEW.auth_type <> OLD.auth_type THEN 'auth_type' END,
        CASE WHEN NEW.handles_ticket_delivery <> OLD.handles_ticket_delivery THEN 'handles_ticket_delivery' END], NULL);
    news jsonb := jsonb_build_object('reason', 'settings_changed', 'settings', changed);
BEGIN
    UPDATE conformance_certificates SET ended_at = now(), ended_settings = changed
    WHERE integration_id = NEW.id AND ended_at IS NULL AND valid_until > now();
    IF FOUND THEN
        PERFORM integration_event(NEW.id, 'certificate.ended', news);
    END IF;
    UPDATE integration_admissions SET go_live = 'ended', decided_at = now(), reason = array_to_string(changed, ', ') || ' changed'
    WHERE integration_id = NEW.id AND go_live = 'approved';
    IF FOUND THEN
        PERFORM integration_event(NEW.id, 'go_live.ended', news);
    END IF;
    UPDATE integration_admissions SET certification = NULL, ended_certification = certification
    WHERE integration_id = NEW.id AND certification <> 'require';
    IF FOUND THEN
        PERFORM integration_event(NEW.id, 'certification.ended', news);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS settings_changed ON integrations;
CREATE TRIGGER settings_changed AFTER UPDATE OF base_url, auth_type, handles_ticket_delivery ON integrations FOR EACH ROW
    WHEN ((NEW.base_url, NEW.auth_type, NEW.handles_ticket_delivery) <> (OLD.base_url, OLD.auth_type, OLD.handles_ticket_delivery))
    EXECUTE FUNCTION integration_settings_changed();

RESET lock_timeout;

-- +goose Down

DROP TRIGGER settings_changed ON integrations;
DROP FUNCTION integration_settings_changed;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION integration_withheld(integration uuid, of_mode text, address text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT of_mode = 'live' AND (
        integration_certification(integration) = 'require' AND NOT EXISTS (
            SELECT FROM conformance_certificates c
            WHERE c.integration_id = integration AND c.ended_at IS NULL AND c.valid_until > now() AND c.base_url = address)
        OR approval AND NOT EXISTS (SELECT FROM integration_admissions a WHERE a.integration_id = integration AND a.go_live = 'approved'))
    FROM certification_policy
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION integration_withhold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.withheld := integration_withheld(NEW.id, NEW.mode, NEW.base_url);
    RETURN NEW;
END $$;
-- +goose StatementEnd
DROP TRIGGER withhold ON integrations;
CREATE TRIGGER withhold BEFORE INSERT OR UPDATE OF base_url ON integrations FOR EACH ROW EXECUTE FUNCTION integration_withhold();
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION certificate_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE integrations SET withheld = NOT withheld
    WHERE id = NEW.integration_id AND withheld <> integration_withheld(id, mode, base_url);
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP FUNCTION integration_withheld(integrations);
UPDATE integration_admissions SET go_live = 'none', decided_at = NULL WHERE go_live = 'ended';
ALTER TABLE integration_admissions DROP COLUMN ended_certification;
ALTER TABLE integration_admissions DROP CONSTRAINT integration_admissions_check, DROP CONSTRAINT integration_admissions_go_live_check;
ALTER TABLE integration_admissions ADD CONSTRAINT integration_admissions_go_live_check CHECK (go_live IN ('none', 'requested', 'approved', 'declined'));
ALTER TABLE integration_admissions ADD CONSTRAINT integration_admissions_check CHECK ((go_live IN ('approved', 'declined')) = (decided_at IS NOT NULL));
DELETE FROM conformance_certificates WHERE ended_at IS NOT NULL AND ended_by IS NULL;
ALTER TABLE conformance_certificates DROP CONSTRAINT conformance_certificates_ended;
ALTER TABLE conformance_certificates ADD CHECK ((ended_at IS NULL) = (ended_by IS NULL));
ALTER TABLE conformance_certificates DROP COLUMN ended_settings, DROP COLUMN handles_ticket_delivery, DROP COLUMN auth_type;
DROP TRIGGER key_of_origin ON integrations;
DROP FUNCTION integration_key_of_origin, integration_origin;
