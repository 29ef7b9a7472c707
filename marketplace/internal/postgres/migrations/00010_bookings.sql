-- +goose Up

CREATE TABLE bookings (
    id                  uuid PRIMARY KEY,
    version             bigint NOT NULL, -- grows with every move: who moves it names the one that it has read
    account_id          uuid NOT NULL REFERENCES accounts,
    integration_id      uuid NOT NULL REFERENCES integrations,
    activity_id         uuid NOT NULL REFERENCES activities,
    variation_id        uuid NOT NULL REFERENCES variations,
    product_id          text NOT NULL,
    option_id           text NOT NULL,
    availability_id     text NOT NULL,
    zone                text NOT NULL,
    starts_at           timestamptz NOT NULL,
    ends_at             timestamptz NOT NULL,
    status              text NOT NULL CHECK (status IN ('RESERVING', 'REFUSED', 'LOST', 'HELD', 'PAID', 'CONFIRMED', 'RELEASED', 'CANCELLED')),
    reason              text CHECK (reason IN ('abandoned', 'payment_failed', 'expired', 'unwanted', 'withdrawn')),
    guests              jsonb NOT NULL,
    currency            text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    total               numeric NOT NULL,
    contact             jsonb NOT NULL,
    affiliate_id        uuid REFERENCES accounts,
    reseller_reference  text NOT NULL,
    code                text,
    expires_at          timestamptz,
    payment_reference   text,
    paid                boolean GENERATED ALWAYS AS (CASE WHEN payment_reference IS NOT NULL THEN true END) STORED,
    external_booking_id text,
    tickets             jsonb,
    confirm_call        uuid, -- the confirm that is under way
    confirm_tries       integer NOT NULL,
    release             text CHECK (release IN ('pending', 'done', 'failed')),
    release_tries       integer NOT NULL,
    release_since       timestamptz,
    cancellation        text CHECK (cancellation IN ('pending', 'done', 'not_supported', 'failed')),
    cancel_tries        integer NOT NULL,
    cancel_since        timestamptz,
    cancel_reason       text NOT NULL,
    created_at          timestamptz NOT NULL,
    -- A code that comes twice is another booking's hold.
    CONSTRAINT bookings_code_key UNIQUE (integration_id, code),
    CONSTRAINT bookings_paid CHECK ((status IN ('PAID', 'CONFIRMED', 'CANCELLED')) = (payment_reference IS NOT NULL)),
    CONSTRAINT bookings_held CHECK (status IN ('RESERVING', 'REFUSED', 'LOST') OR code IS NOT NULL),
    CONSTRAINT bookings_expire CHECK (status <> 'HELD' OR expires_at IS NOT NULL),
    CONSTRAINT bookings_confirmed CHECK (status <> 'CONFIRMED' OR external_booking_id IS NOT NULL),
    CONSTRAINT bookings_released CHECK (status <> 'RELEASED' OR (release IS NOT NULL AND reason IS NOT NULL)),
    CONSTRAINT bookings_no_confirm_after_release CHECK (confirm_call IS NULL OR (status = 'PAID' AND release IS NULL))
);
CREATE INDEX bookings_of ON bookings (account_id, created_at DESC, id DESC);
CREATE INDEX bookings_order ON bookings (created_at DESC, id DESC);
CREATE INDEX bookings_expiring ON bookings (expires_at) WHERE status = 'HELD';
CREATE INDEX bookings_held_of ON bookings (integration_id) WHERE status = 'HELD';
CREATE INDEX bookings_reserving ON bookings (created_at) WHERE status = 'RESERVING';

CREATE TABLE booking_payments (
    booking_id uuid NOT NULL REFERENCES bookings,
    reference  text NOT NULL,
    succeeded  boolean NOT NULL,
    at         timestamptz NOT NULL,
    PRIMARY KEY (booking_id, reference, succeeded)
);
-- What is paid has a payment that succeeded.
ALTER TABLE bookings ADD CONSTRAINT bookings_payment FOREIGN KEY (id, payment_reference, paid) REFERENCES booking_payments (booking_id, reference, succeeded);

-- What happened to a booking: its moves, and the calls to the partner. A call is here
-- before it is sent; it is open until its duration or its error is known.
CREATE TABLE booking_history (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    booking_id  uuid NOT NULL REFERENCES bookings,
    at          timestamptz NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('move', 'call')),
    from_status text,
    to_status   text,
    why         text,
    call_id     uuid,
    endpoint    text,
    status      integer,
    duration_ms bigint,
    error       text,
    CHECK ((kind = 'call') = (call_id IS NOT NULL)),
    CHECK ((kind = 'call') = (endpoint IS NOT NULL))
);
CREATE INDEX booking_history_of ON booking_history (booking_id, id);
CREATE UNIQUE INDEX booking_history_call ON booking_history (call_id) WHERE call_id IS NOT NULL;
CREATE UNIQUE INDEX booking_history_reserved_once ON booking_history (booking_id) WHERE endpoint = 'reserve';
CREATE UNIQUE INDEX booking_history_one_confirm ON booking_history (booking_id) WHERE endpoint = 'confirm' AND duration_ms IS NULL AND error IS NULL;

CREATE TABLE booking_attention (
    booking_id uuid NOT NULL REFERENCES bookings,
    reason     text NOT NULL,
    since      timestamptz NOT NULL,
    message    text NOT NULL,
    settled_at timestamptz,
    PRIMARY KEY (booking_id, reason)
);
CREATE INDEX booking_attention_open ON booking_attention (since) WHERE settled_at IS NULL;

CREATE TABLE affiliate_commissions (
    booking_id   uuid PRIMARY KEY REFERENCES bookings,
    affiliate_id uuid NOT NULL REFERENCES accounts,
    currency     text NOT NULL,
    amount       numeric NOT NULL,
    accrued_at   timestamptz NOT NULL,
    reversed_at  timestamptz
);
CREATE INDEX affiliate_commissions_of ON affiliate_commissions (affiliate_id, accrued_at DESC, booking_id);

-- How partners have broken the contract in answers that were still used.
CREATE TABLE integration_breaches (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    integration_id uuid NOT NULL REFERENCES integrations ON DELETE CASCADE,
    booking_id     uuid NOT NULL REFERENCES bookings,
    at             timestamptz NOT NULL,
    endpoint       text NOT NULL,
    message        text NOT NULL
);
CREATE INDEX integration_breaches_of ON integration_breaches (integration_id, id DESC);

-- The answers to requests with an idempotency key, for retries.
CREATE TABLE idempotency_keys (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    key        text NOT NULL,
    body_hash  bytea NOT NULL CHECK (octet_length(body_hash) = 32),
    booking_id uuid NOT NULL, -- which the request is to make
    asked_at   timestamptz NOT NULL,
    status     integer,       -- null: it is under way, or its replica has died
    answer     bytea,
    PRIMARY KEY (account_id, key),
    CHECK ((status IS NULL) = (answer IS NULL))
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (asked_at);

-- +goose Down

DROP TABLE idempotency_keys, integration_breaches, affiliate_commissions, booking_attention, booking_history;
ALTER TABLE bookings DROP CONSTRAINT bookings_payment;
DROP TABLE booking_payments, bookings;
