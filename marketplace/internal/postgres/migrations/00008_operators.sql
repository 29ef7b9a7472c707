-- +goose Up

-- Rates that operators have set, or taken away, are never seeded again.
ALTER TABLE pricing_terms ADD rates_given boolean NOT NULL DEFAULT false;
UPDATE pricing_terms SET rates_given = rates_as_of IS NOT NULL OR EXISTS (SELECT FROM exchange_rates);

-- A disabled account may not sign in, and its sign-ins have ended.
ALTER TABLE accounts ADD disabled_at timestamptz;
CREATE INDEX refresh_families_ended ON refresh_families (revoked_at) WHERE revoked_at IS NOT NULL;

-- +goose Down

DROP INDEX refresh_families_ended;
ALTER TABLE accounts DROP disabled_at;
ALTER TABLE pricing_terms DROP rates_given;
