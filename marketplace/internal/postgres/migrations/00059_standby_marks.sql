-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- The last mark of each replica that reads from a standby. A standby that shows it has everything that
-- was committed before. The update changes no index, so that it reuses its own space.
CREATE TABLE IF NOT EXISTS standby_marks (
    replica    uuid PRIMARY KEY,
    mark       bigint NOT NULL,
    written_at timestamptz NOT NULL
) WITH (fillfactor = 50);

RESET lock_timeout;

-- +goose Down

DROP TABLE standby_marks;
