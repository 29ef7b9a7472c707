-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- Whether the partner has put the integration into the public registry. It is shown there while it has a
-- valid certificate.
ALTER TABLE integrations ADD COLUMN IF NOT EXISTS in_registry boolean NOT NULL DEFAULT false;
ALTER TABLE integrations DROP CONSTRAINT IF EXISTS integrations_registry_live;
ALTER TABLE integrations ADD CONSTRAINT integrations_registry_live CHECK (NOT in_registry OR mode = 'live') NOT VALID;
ALTER TABLE integrations VALIDATE CONSTRAINT integrations_registry_live;
RESET lock_timeout;
DROP INDEX CONCURRENTLY IF EXISTS integrations_registry;
CREATE INDEX CONCURRENTLY integrations_registry ON integrations (id) WHERE in_registry AND deleted_at IS NULL;
SET lock_timeout = '5s';

-- The name that the certificate states. The integration's may change, the signed one does not.
ALTER TABLE conformance_certificates ADD COLUMN IF NOT EXISTS name text NOT NULL DEFAULT '';
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION certificate_name() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    statement text := translate(split_part(NEW.jws, '.', 2), '-_', '+/');
BEGIN
    NEW.name := coalesce(convert_from(decode(rpad(nullif(statement, ''), (length(statement) + 3) / 4 * 4, '='), 'base64'), 'UTF8')::jsonb ->> 'name', '');
    RETURN NEW;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS name ON conformance_certificates;
CREATE TRIGGER name BEFORE INSERT OR UPDATE OF jws ON conformance_certificates FOR EACH ROW EXECUTE FUNCTION certificate_name();
UPDATE conformance_certificates SET jws = jws WHERE name = '';
RESET lock_timeout;
DROP INDEX CONCURRENTLY IF EXISTS conformance_certificates_name;
CREATE INDEX CONCURRENTLY conformance_certificates_name ON conformance_certificates (lower(name), integration_id) WHERE ended_at IS NULL;
SET lock_timeout = '5s';

-- Every certificate of the integration that was issued at that time or before is revoked: also an older one
-- that a newer one has replaced. It has no foreign key, because it outlives the integration.
CREATE TABLE IF NOT EXISTS certificate_revocations (
    integration_id uuid PRIMARY KEY,
    revoked_at     timestamptz NOT NULL,
    reason         text NOT NULL CHECK (reason IN ('breach', 'settings_changed', 'deleted'))
);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION revoke_certificates(integration uuid, at timestamptz, why text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO certificate_revocations AS r (integration_id, revoked_at, reason) VALUES (integration, at, why)
    ON CONFLICT (integration_id) DO UPDATE SET revoked_at = EXCLUDED.revoked_at, reason = EXCLUDED.reason WHERE r.revoked_at < EXCLUDED.revoked_at
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION certificate_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM revoke_certificates(NEW.integration_id, greatest(NEW.ended_at, NEW.issued_at), CASE WHEN NEW.ended_by IS NULL THEN 'settings_changed' ELSE 'breach' END);
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS ended ON conformance_certificates;
CREATE TRIGGER ended AFTER UPDATE OF ended_at ON conformance_certificates FOR EACH ROW
    WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION certificate_ended();
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION certificate_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM revoke_certificates(OLD.integration_id, greatest(now(), OLD.issued_at), 'deleted');
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS deleted ON conformance_certificates;
CREATE TRIGGER deleted AFTER DELETE ON conformance_certificates FOR EACH ROW
    WHEN (OLD.ended_at IS NULL) EXECUTE FUNCTION certificate_deleted();
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION integration_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM revoke_certificates(integration_id, greatest(now(), issued_at), 'deleted') FROM conformance_certificates
    WHERE integration_id = NEW.id AND ended_at IS NULL;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS deleted ON integrations;
CREATE TRIGGER deleted AFTER UPDATE OF deleted_at ON integrations FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION integration_deleted();
-- What ended before, as far as known.
INSERT INTO certificate_revocations (integration_id, revoked_at, reason)
SELECT integration_id, greatest(c.ended_at, i.deleted_at, c.issued_at),
    CASE WHEN c.ended_by IS NOT NULL THEN 'breach' WHEN c.ended_at IS NOT NULL THEN 'settings_changed' ELSE 'deleted' END
FROM conformance_certificates c JOIN integrations i ON i.id = c.integration_id
WHERE c.ended_at IS NOT NULL OR i.deleted_at IS NOT NULL
ON CONFLICT DO NOTHING;

RESET lock_timeout;

-- +goose Down

DROP TRIGGER deleted ON integrations;
DROP TRIGGER deleted ON conformance_certificates;
DROP TRIGGER ended ON conformance_certificates;
DROP TRIGGER name ON conformance_certificates;
DROP FUNCTION integration_deleted, certificate_deleted, certificate_ended, certificate_name;
DROP FUNCTION revoke_certificates;
DROP TABLE certificate_revocations;
ALTER TABLE conformance_certificates DROP COLUMN name;
ALTER TABLE integrations DROP COLUMN in_registry;
