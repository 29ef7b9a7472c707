-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- The service's settings: whether certificates are shown, and whether an operator must approve live
-- integrations before their activities are listed. required is in 00027_withheld.sql.
ALTER TABLE certification_policy ADD COLUMN IF NOT EXISTS shown boolean NOT NULL DEFAULT false;
ALTER TABLE certification_policy ADD COLUMN IF NOT EXISTS approval boolean NOT NULL DEFAULT false;

-- An integration's own certification policy, and the approval to sell its activities. An integration
-- without a row has the service's policy and has not asked for approval.
CREATE TABLE IF NOT EXISTS integration_admissions (
    integration_id uuid PRIMARY KEY REFERENCES integrations ON DELETE CASCADE,
    certification  text CHECK (certification IN ('off', 'advise', 'require')), -- null: as the service
    go_live        text NOT NULL DEFAULT 'none' CHECK (go_live IN ('none', 'requested', 'approved', 'declined')),
    requested_at   timestamptz,
    decided_at     timestamptz,
    reason         text NOT NULL DEFAULT '', -- of the decision
    CHECK ((go_live IN ('approved', 'declined')) = (decided_at IS NOT NULL)),
    CHECK (go_live <> 'requested' OR requested_at IS NOT NULL)
);
-- Integrations that are sold already need no approval.
INSERT INTO integration_admissions (integration_id, go_live, decided_at)
SELECT id, 'approved', created_at FROM integrations WHERE deleted_at IS NULL AND mode = 'live' ON CONFLICT DO NOTHING;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION integration_certification(integration uuid) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT a.certification FROM integration_admissions a WHERE a.integration_id = integration),
        CASE WHEN required THEN 'require' WHEN shown THEN 'advise' ELSE 'off' END)
    FROM certification_policy
$$;
-- +goose StatementEnd
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
DROP TRIGGER IF EXISTS changed ON integration_admissions;
CREATE TRIGGER changed AFTER INSERT OR UPDATE ON integration_admissions FOR EACH ROW EXECUTE FUNCTION certificate_changed();

-- Which rules each partner breaches now, and since when: for the operators' matrix. A run changes only
-- the rules that it judged.
CREATE TABLE IF NOT EXISTS conformance_breaches (
    integration_id uuid NOT NULL REFERENCES integrations ON DELETE CASCADE,
    rule           text NOT NULL,
    endpoint       text NOT NULL,
    outcome        text NOT NULL CHECK (outcome IN ('failed', 'warned')),
    since          timestamptz NOT NULL, -- the end of the first run in a row that found it
    run_id         uuid NOT NULL,        -- the last run that found it
    PRIMARY KEY (integration_id, rule)
);
-- When each endpoint of a partner was judged last.
CREATE TABLE IF NOT EXISTS conformance_endpoints (
    integration_id uuid NOT NULL REFERENCES integrations ON DELETE CASCADE,
    endpoint       text NOT NULL,
    judged_at      timestamptz NOT NULL,
    PRIMARY KEY (integration_id, endpoint)
);

-- News for an integration's partner. Transactions that add news of one integration wait for each
-- other, so that a reader of a later id has seen all earlier ones.
CREATE TABLE IF NOT EXISTS integration_events (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    integration_id uuid NOT NULL REFERENCES integrations ON DELETE CASCADE,
    at             timestamptz NOT NULL DEFAULT now(),
    type           text NOT NULL,
    data           jsonb NOT NULL
);
DROP INDEX CONCURRENTLY IF EXISTS integration_events_newest;
CREATE INDEX CONCURRENTLY integration_events_newest ON integration_events (integration_id, id DESC);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION integration_event(integration uuid, of_type text, about jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('integration_events ' || integration, 0));
    INSERT INTO integration_events (integration_id, type, data) VALUES (integration, of_type, about);
END $$;
-- +goose StatementEnd

RESET lock_timeout;

-- +goose Down

DROP FUNCTION integration_event;
DROP TABLE integration_events;
DROP TABLE conformance_endpoints;
DROP TABLE conformance_breaches;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION integration_withheld(integration uuid, of_mode text, address text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT required AND of_mode = 'live' AND NOT EXISTS (
        SELECT FROM conformance_certificates c
        WHERE c.integration_id = integration AND c.ended_at IS NULL AND c.valid_until > now() AND c.base_url = address)
    FROM certification_policy
$$;
-- +goose StatementEnd
DROP FUNCTION integration_certification;
DROP TABLE integration_admissions;
ALTER TABLE certification_policy DROP COLUMN approval, DROP COLUMN shown;
