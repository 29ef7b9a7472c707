-- +goose Up

-- A partner's product as an activity. What the partner said is kept apart from what
-- operators say, so that neither overwrites the other.
CREATE TABLE activities (
    id                  uuid PRIMARY KEY,
    integration_id      uuid NOT NULL REFERENCES integrations,
    external_product_id text NOT NULL,
    created_at          timestamptz NOT NULL,
    title               text NOT NULL,    -- seeded by the first product, then an operator's
    product             jsonb NOT NULL,   -- as the partner last sent it, without its options
    product_hash        bytea NOT NULL CHECK (octet_length(product_hash) = 32),
    partner_active      boolean NOT NULL, -- it is in the partner's catalog
    operator_active     boolean NOT NULL, -- an operator lets it be sold
    details             jsonb NOT NULL,   -- what operators have set, by the contract's field names
    CONSTRAINT activities_product_key UNIQUE (integration_id, external_product_id)
);
CREATE INDEX activities_order ON activities (created_at, id);

CREATE TABLE variations (
    id                 uuid PRIMARY KEY,
    activity_id        uuid NOT NULL REFERENCES activities ON DELETE CASCADE,
    external_option_id text NOT NULL,
    sort               integer NOT NULL,
    title              text NOT NULL,    -- seeded by the first option, then an operator's
    option             jsonb NOT NULL,   -- as the partner last sent it
    option_hash        bytea NOT NULL CHECK (octet_length(option_hash) = 32),
    partner_active     boolean NOT NULL, -- it is in the partner's catalog
    details            jsonb NOT NULL,
    pulled_at          timestamptz,      -- when its last complete slot pull was sent
    CONSTRAINT variations_option_key UNIQUE (activity_id, external_option_id)
);

CREATE TABLE slots (
    variation_id    uuid NOT NULL REFERENCES variations ON DELETE CASCADE,
    availability_id text NOT NULL,
    local_date      date NOT NULL,        -- of the start, in the product's zone
    starts_at       timestamptz NOT NULL,
    ends_at         timestamptz NOT NULL,
    status          text NOT NULL CHECK (status IN ('AVAILABLE', 'FREESALE', 'LIMITED', 'SOLD_OUT', 'CLOSED')),
    vacancies       integer CHECK (vacancies >= 0),
    capacity        integer CHECK (capacity >= 0),
    unit_pricing    jsonb,                -- null: the option's prices
    news_at         timestamptz NOT NULL, -- when the partner said so
    PRIMARY KEY (variation_id, availability_id)
);
CREATE INDEX slots_of_a_day ON slots (variation_id, local_date);

-- +goose Down

DROP TABLE slots, variations, activities;
