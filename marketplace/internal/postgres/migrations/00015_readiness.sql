-- +goose Up

-- One row, which replicas update to prove that the database takes writes. The update
-- changes no index, so that it reuses its own space.
CREATE TABLE readiness (
    only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    checked_at timestamptz NOT NULL
) WITH (fillfactor = 50);
INSERT INTO readiness (checked_at) VALUES (now());

-- +goose Down

DROP TABLE readiness;
