-- +goose Up

CREATE TABLE integrations (
    id                      uuid PRIMARY KEY,
    account_id              uuid NOT NULL REFERENCES accounts,
    name                    text NOT NULL CHECK (name <> ''),
    base_url                text NOT NULL CHECK (base_url <> ''),
    auth_type               text NOT NULL CHECK (auth_type IN ('bearer', 'api_key')),
    auth_key                bytea NOT NULL, -- sealed with the service's secret
    webhook_secret_hash     bytea NOT NULL CHECK (octet_length(webhook_secret_hash) = 32),
    handles_ticket_delivery boolean NOT NULL,
    created_at              timestamptz NOT NULL,
    deleted_at              timestamptz,
    -- Of the last pull that was stored: when it was sent, the hash of its body, and
    -- the rules by which it was read. All three move in the catalog's transaction.
    last_sync_at            timestamptz,
    catalog_hash            bytea CHECK (octet_length(catalog_hash) = 32),
    catalog_rules           text,
    -- The hash of a body that the blast-radius guard holds back.
    guarded_hash            bytea CHECK (octet_length(guarded_hash) = 32),
    CHECK ((catalog_hash IS NULL) = (catalog_rules IS NULL))
);
CREATE UNIQUE INDEX integrations_live_base_url ON integrations (account_id, base_url) WHERE deleted_at IS NULL;

-- Apart from the integration, which a pull that changes nothing does not touch.
CREATE TABLE integration_health (
    integration_id       uuid PRIMARY KEY REFERENCES integrations ON DELETE CASCADE,
    state                text NOT NULL CHECK (state IN ('HEALTHY', 'DEGRADED')),
    failure_count        bigint NOT NULL CHECK (failure_count >= 0),
    consecutive_failures integer NOT NULL CHECK (consecutive_failures >= 0),
    consecutive_ok       integer NOT NULL CHECK (consecutive_ok >= 0),
    last_ok_at           timestamptz
);

CREATE TABLE integration_health_changes (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    integration_id uuid NOT NULL REFERENCES integrations ON DELETE CASCADE,
    at             timestamptz NOT NULL,
    state          text NOT NULL CHECK (state IN ('HEALTHY', 'DEGRADED')),
    reason         text NOT NULL
);
CREATE INDEX integration_health_changes_of ON integration_health_changes (integration_id, at DESC);

CREATE TABLE syncs (
    id             uuid PRIMARY KEY,
    integration_id uuid NOT NULL REFERENCES integrations ON DELETE CASCADE,
    mode           text NOT NULL CHECK (mode IN ('full', 'incremental')),
    cause          text NOT NULL,
    started_at     timestamptz NOT NULL,
    finished_at    timestamptz NOT NULL,
    synced         integer NOT NULL CHECK (synced >= 0),
    created        integer NOT NULL CHECK (created >= 0),
    updated        integer NOT NULL CHECK (updated >= 0),
    deactivated    integer NOT NULL CHECK (deactivated >= 0),
    set_aside      jsonb NOT NULL,
    guard          jsonb  -- what the blast-radius guard held back, null where nothing
);
CREATE INDEX syncs_of ON syncs (integration_id, started_at DESC);

-- +goose Down

DROP TABLE syncs, integration_health_changes, integration_health, integrations;
