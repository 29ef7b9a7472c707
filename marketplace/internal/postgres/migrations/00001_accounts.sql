-- +goose Up

CREATE TABLE accounts (
    id            uuid PRIMARY KEY,
    email         text NOT NULL CHECK (email = lower(email) AND email <> ''),
    name          text NOT NULL,
    role          text NOT NULL CHECK (role IN ('reseller', 'affiliate', 'partner', 'operator')),
    password_hash text NOT NULL,
    created_at    timestamptz NOT NULL,
    CONSTRAINT accounts_email_key UNIQUE (email)
);

-- Long-lived tokens for x-api-token. Only their hash is kept.
CREATE TABLE api_tokens (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name       text NOT NULL,
    hash       bytea NOT NULL CHECK (octet_length(hash) = 32),
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    CONSTRAINT api_tokens_hash_key UNIQUE (hash)
);
CREATE INDEX api_tokens_account ON api_tokens (account_id);

-- A sign-in, and the refresh tokens that followed each other in it. A token that
-- is used twice may be stolen: the family ends.
CREATE TABLE refresh_families (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX refresh_families_account ON refresh_families (account_id);

CREATE TABLE refresh_tokens (
    hash       bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    family_id  uuid NOT NULL REFERENCES refresh_families ON DELETE CASCADE,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE INDEX refresh_tokens_family ON refresh_tokens (family_id);
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at);

-- +goose Down

DROP TABLE refresh_tokens, refresh_families, api_tokens, accounts;
