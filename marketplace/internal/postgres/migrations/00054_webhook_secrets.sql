-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- The secret before the last rotation, which signs until then.
ALTER TABLE event_subscriptions
    ADD COLUMN IF NOT EXISTS previous_secret bytea, -- sealed
    ADD COLUMN IF NOT EXISTS previous_secret_until timestamptz;
ALTER TABLE event_subscriptions DROP CONSTRAINT IF EXISTS event_subscriptions_previous_secret;
ALTER TABLE event_subscriptions ADD CONSTRAINT event_subscriptions_previous_secret CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL)) NOT VALID;
ALTER TABLE event_subscriptions VALIDATE CONSTRAINT event_subscriptions_previous_secret;

-- A webhook that is disabled loses nothing of the feed.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_wanted(kind text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM event_subscriptions WHERE kind = ANY (events))
$$;
-- +goose StatementEnd

RESET lock_timeout;

-- +goose Down

ALTER TABLE event_subscriptions DROP COLUMN previous_secret_until, DROP COLUMN previous_secret;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_wanted(kind text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM event_subscriptions WHERE kind = ANY (events) AND disabled_at IS NULL)
$$;
-- +goose StatementEnd
