-- +goose Up

-- Those who may make themselves an account of a partner. A row is gone once it was used, revoked or
-- has expired: it has an address of someone who may never have wanted an account.
CREATE TABLE invitations (
    id         uuid PRIMARY KEY,
    email      text NOT NULL UNIQUE,
    name       text NOT NULL,
    hash       bytea NOT NULL UNIQUE, -- SHA-256 of the token in the link
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);

-- +goose Down

DROP TABLE invitations;
