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

RESET lock_timeout;

-- +goose Down

DROP TRIGGER key_of_origin ON integrations;
DROP FUNCTION integration_key_of_origin, integration_origin;
