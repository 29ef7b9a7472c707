-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- What was booked on each of the last days, in UTC, by the bookings' present states. A job counts it
-- every minute, so that the overview does not.
CREATE TABLE booking_days (
    day            date NOT NULL, -- on which the bookings were made
    integration_id uuid NOT NULL REFERENCES integrations,
    currency       text NOT NULL,
    bookings       integer NOT NULL, -- with a hold of the partner
    confirmed      integer NOT NULL,
    cancelled      integer NOT NULL,
    revenue        numeric NOT NULL, -- of the confirmed ones
    PRIMARY KEY (day, integration_id, currency)
);

-- The confirm calls for the bookings of a day.
CREATE TABLE confirm_days (
    day            date NOT NULL,
    integration_id uuid NOT NULL REFERENCES integrations,
    answered       integer NOT NULL, -- 2xx
    refused        integer NOT NULL, -- 4xx
    failed         integer NOT NULL, -- any other answer, or none
    median_ms      integer,          -- of the answered ones; null: there are none
    PRIMARY KEY (day, integration_id)
);

RESET lock_timeout;

-- +goose Down

DROP TABLE confirm_days;
DROP TABLE booking_days;
