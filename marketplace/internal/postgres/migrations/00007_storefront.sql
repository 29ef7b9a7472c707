-- +goose Up

-- Replicas that show the catalog to resellers listen to the channel "storefront". They
-- are notified in the order of the commits: "activities" and up to 200 ids, "integration" and
-- one, "terms", or "all".

-- +goose StatementBegin
CREATE FUNCTION storefront_tell(changed uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(changed) > 10000 THEN
        PERFORM pg_notify('storefront', 'all');
        RETURN;
    END IF;
    -- A notification holds 8000 bytes at most.
    PERFORM pg_notify('storefront', 'activities ' || string_agg(id::text, ' '))
    FROM (SELECT id, (row_number() OVER () - 1) / 200 AS part FROM unnest(changed) AS id) AS parts
    GROUP BY part;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION storefront_activities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM storefront_tell(ARRAY(SELECT id FROM changed));
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER storefront_inserted AFTER INSERT ON activities REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION storefront_activities();
CREATE TRIGGER storefront_updated AFTER UPDATE ON activities REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION storefront_activities();
CREATE TRIGGER storefront_deleted AFTER DELETE ON activities REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION storefront_activities();

-- +goose StatementBegin
CREATE FUNCTION storefront_variations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM storefront_tell(ARRAY(SELECT DISTINCT activity_id FROM changed));
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER storefront_inserted AFTER INSERT ON variations REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION storefront_variations();
CREATE TRIGGER storefront_updated AFTER UPDATE ON variations REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION storefront_variations();
CREATE TRIGGER storefront_deleted AFTER DELETE ON variations REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION storefront_variations();

-- Of an integration resellers read the name, and it hides its activities with itself. A
-- sync moves other columns.
-- +goose StatementBegin
CREATE FUNCTION storefront_integrations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('storefront', 'integration ' || n.id)
    FROM new_rows n JOIN old_rows o ON o.id = n.id
    WHERE n.name <> o.name OR (n.deleted_at IS NULL) <> (o.deleted_at IS NULL);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER storefront_updated AFTER UPDATE ON integrations REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION storefront_integrations();

-- +goose StatementBegin
CREATE FUNCTION storefront_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('storefront', 'terms');
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER storefront_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON pricing_terms FOR EACH STATEMENT EXECUTE FUNCTION storefront_terms();
CREATE TRIGGER storefront_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON exchange_rates FOR EACH STATEMENT EXECUTE FUNCTION storefront_terms();

-- +goose Down

DROP TRIGGER storefront_changed ON exchange_rates;
DROP TRIGGER storefront_changed ON pricing_terms;
DROP TRIGGER storefront_updated ON integrations;
DROP TRIGGER storefront_deleted ON variations;
DROP TRIGGER storefront_updated ON variations;
DROP TRIGGER storefront_inserted ON variations;
DROP TRIGGER storefront_deleted ON activities;
DROP TRIGGER storefront_updated ON activities;
DROP TRIGGER storefront_inserted ON activities;
DROP FUNCTION storefront_terms, storefront_integrations, storefront_variations, storefront_activities, storefront_tell;
