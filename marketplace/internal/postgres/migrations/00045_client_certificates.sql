-- +goose Up

SET LOCAL lock_timeout = '1min'; -- for who reads or writes

-- The certificate with which the marketplace identifies itself to the partner, and its private key,
-- encrypted with the service's secret; and what is shown of it.
ALTER TABLE integrations
    ADD COLUMN client_identity               bytea,
    ADD COLUMN client_certificate_sha256     text,
    ADD COLUMN client_certificate_expires_at timestamptz;

-- +goose Down

ALTER TABLE integrations DROP COLUMN client_identity, DROP COLUMN client_certificate_sha256, DROP COLUMN client_certificate_expires_at;
