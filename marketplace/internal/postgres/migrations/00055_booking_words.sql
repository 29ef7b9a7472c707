-- +goose NO TRANSACTION
-- +goose Up

SET lock_timeout = '5s';

-- What people type is compared without case, accents and marks, in the composed form: "Đặng" is "dang".
-- The database's own lower may know ASCII alone, so the letters of other alphabets are listed.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION folded(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT COST 100 AS $$
BEGIN
    RETURN normalize(translate(lower(regexp_replace(normalize(t, NFKD), '[\u0300-\u036f]', '', 'g')),
        'øØłŁđĐħĦŧŦıþÞАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЄІҐЂЈЉЊЋЏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣςΤΥΦΧΨΩ',
        'oollddhhttittабвгдежзиклмнопрстуфхцчшщъыьэюяєіґђјљњћџαβγδεζηθικλμνξοπρσστυφχψω'), NFC);
END $$;
-- +goose StatementEnd

-- The words by which a booking is found by their beginning: those of the guest's name, and their parts
-- ("o'brien" is also o, brien and obrien); of scripts without spaces every end of a word; the email
-- address and, as words, what is before its @; and the phone number, references and ids, also backwards
-- behind "~", because people know their ends.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION booking_words(contact jsonb, ids text[]) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
BEGIN
    RETURN array_to_tsvector(ARRAY(
        WITH guest AS (
            SELECT w FROM regexp_split_to_table(folded(left(coalesce(contact ->> 'fullName', ''), 200) || ' ' || left(split_part(coalesce(contact ->> 'emailAddress', ''), '@', 1), 200)), '\s+') w
        ), reference AS (
            SELECT left(folded(w), 100) AS w FROM unnest(ids || coalesce(contact ->> 'emailAddress', '') || regexp_replace(coalesce(contact ->> 'phoneNumber', ''), '[^0-9]', '', 'g')) w WHERE w <> ''
        ), word AS (
            SELECT w FROM guest
            UNION ALL SELECT unnest(regexp_split_to_array(w, '[!-/:-@[-`{-~]+')) FROM guest WHERE w ~ '[!-/:-@[-`{-~]'
            UNION ALL SELECT regexp_replace(w, '[!-/:-@[-`{-~]+', '', 'g') FROM guest WHERE w ~ '[!-/:-@[-`{-~]'
            UNION ALL SELECT substr(w, i) FROM guest, generate_series(2, least(length(w), 20)) i WHERE w ~ '[\u0e00-\u0eff\u3040-\u9fff\uac00-\ud7af]'
            UNION ALL SELECT w FROM reference
            UNION ALL SELECT '~' || reverse(w) FROM reference)
        SELECT DISTINCT left(w, 100) FROM word WHERE w <> ''));
END $$;
-- +goose StatementEnd

-- Every word that is looked for is the beginning or, if it has a digit, the end of one, or each of its
-- parts is. Two letters begin too many words, so they have to be a whole one.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION booking_search(looked_for text) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    w text;
    part text;
    this tsquery;
    parts tsquery;
    whole tsquery;
BEGIN
    FOREACH w IN ARRAY regexp_split_to_array(left(folded(looked_for), 200), '\s+') LOOP
        CONTINUE WHEN w = '';
        this := booking_word_search(w);
        IF w ~ '[0-9]' AND length(w) > 2 THEN
            this := this || booking_word_search('~' || reverse(w));
        END IF;
        parts := NULL;
        IF w !~ '@' THEN
            FOREACH part IN ARRAY regexp_split_to_array(w, '[!-/:-@[-`{-~]+') LOOP
                CONTINUE WHEN part IN ('', w);
                parts := coalesce(parts && booking_word_search(part), booking_word_search(part));
            END LOOP;
        END IF;
        IF parts IS NOT NULL THEN
            this := this || parts;
        END IF;
        whole := coalesce(whole && this, this);
    END LOOP;
    RETURN whole;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION booking_word_search(w text) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    RETURN ('''' || replace(replace(w, '\', '\\'), '''', '''''') || '''' || CASE WHEN length(w) > 2 OR w !~ '^[\u0001-\u024f]*$' THEN ':*' ELSE '' END)::tsquery;
END $$;
-- +goose StatementEnd

-- They stand in a table of their own, because a booking's row changes with each step, and a row that
-- changes is entered into every index again.
CREATE TABLE IF NOT EXISTS booking_words (
    booking_id uuid PRIMARY KEY REFERENCES bookings ON DELETE CASCADE,
    words      tsvector NOT NULL
);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION booking_words_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO booking_words (booking_id, words)
    VALUES (NEW.id, booking_words(NEW.contact, ARRAY[NEW.id::text, NEW.reseller_reference, coalesce(NEW.external_booking_id, '')]))
    ON CONFLICT (booking_id) DO UPDATE SET words = EXCLUDED.words;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS booking_words_made ON bookings;
CREATE TRIGGER booking_words_made AFTER INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION booking_words_changed();
DROP TRIGGER IF EXISTS booking_words_changed ON bookings;
CREATE TRIGGER booking_words_changed AFTER UPDATE ON bookings FOR EACH ROW
    WHEN ((OLD.contact, OLD.reseller_reference, OLD.external_booking_id) IS DISTINCT FROM (NEW.contact, NEW.reseller_reference, NEW.external_booking_id))
    EXECUTE FUNCTION booking_words_changed();

INSERT INTO booking_words (booking_id, words)
SELECT id, booking_words(contact, ARRAY[id::text, reseller_reference, coalesce(external_booking_id, '')]) FROM bookings
ON CONFLICT (booking_id) DO NOTHING;

SET lock_timeout = '1min'; -- for who reads or writes, and holds up the index alone
DROP INDEX CONCURRENTLY IF EXISTS booking_words_search;
CREATE INDEX CONCURRENTLY booking_words_search ON booking_words USING gin (words);
DROP INDEX CONCURRENTLY IF EXISTS bookings_guest; -- its function stays: replicas of the release before call it
RESET lock_timeout;

-- The planner learns what the index holds.
ANALYZE booking_words;

-- +goose Down

CREATE INDEX bookings_guest ON bookings USING gin (booking_guest(contact));
DROP TRIGGER booking_words_changed ON bookings;
DROP TRIGGER booking_words_made ON bookings;
DROP TABLE booking_words;
DROP FUNCTION booking_words_changed, booking_word_search, booking_search, booking_words, folded;
