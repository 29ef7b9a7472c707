-- +goose Up

-- What has been asked for of an integration's catalog, and has not been done yet. A job
-- stands for it in the queue, which lets one wait or run at a time.
CREATE TABLE sync_wishes (
    integration_id uuid PRIMARY KEY REFERENCES integrations ON DELETE CASCADE,
    number         bigint NOT NULL,   -- grows with every wish: a job that has taken one sees that another came
    mode           text NOT NULL CHECK (mode IN ('full', 'incremental')),
    cause          text NOT NULL,
    failures       integer NOT NULL CHECK (failures >= 0) -- tries that the partner failed
);

-- How far the slots of an integration's options have been pulled again.
CREATE TABLE slot_rounds (
    integration_id uuid PRIMARY KEY REFERENCES integrations ON DELETE CASCADE,
    asked_at       timestamptz NOT NULL, -- every option is to be pulled after this; it may lie ahead
    serves         timestamptz,          -- the wish that the pass under way serves
    pass           integer NOT NULL CHECK (pass >= 0),
    after_id       uuid,                 -- the last option that the pass has tried
    whole          boolean NOT NULL      -- the pass began with the first option
);

-- +goose Down

DROP TABLE slot_rounds, sync_wishes;
