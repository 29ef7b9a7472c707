-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- Rules of the contract that partners' answers broke, as judged from the calls of all replicas. A row
-- is about one rule: a breach that was not seen for a day starts again.
CREATE TABLE IF NOT EXISTS judged_breaches (
    integration_id uuid NOT NULL REFERENCES integrations ON DELETE CASCADE,
    rule           text NOT NULL,
    title          text NOT NULL,
    clause         text NOT NULL,
    level          text NOT NULL,
    endpoint       text NOT NULL,
    message        text NOT NULL, -- of the last time
    fix            text NOT NULL,
    count          bigint NOT NULL CHECK (count > 0),
    first_seen     timestamptz NOT NULL,
    last_seen      timestamptz NOT NULL CHECK (last_seen >= first_seen),
    evidence       text NOT NULL, -- JSON: the calls of the last time, without keys and guests' data
    PRIMARY KEY (integration_id, rule)
);

RESET lock_timeout;

-- +goose Down

DROP TABLE judged_breaches;
