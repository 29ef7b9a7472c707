package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/domain"
)

// Bookings are found by the beginnings of words of the guest and of their ids, and by the ends of ids
// and phone numbers. An index finds them, but the time for that grows with how many words begin so: for
// a letter, nearly all. So the newest bookings are looked at first. If they show that a search is
// broad, comparing one booking after the other finds a page sooner.
const (
	sampleSize = 500
	// With as many of them found, comparing finds a page sooner, or also counts sooner.
	broadPage  = 3
	broadCount = sampleSize * 8 / 100
	// mostCompared limits the rows that are compared without a sample, if an index of another filter finds them.
	mostCompared = 5_000
	// mostSampledWords limits how many words of a search are looked at.
	mostSampledWords = 8
)

// rowQueries select the rows of a list, as at and id: for a page, and to be counted.
type rowQueries struct {
	page, count string
	along       string // the order in which they are counted: that of an index, or ""
	scattered   bool   // those of the page are found first, and sorted afterwards
	most        int    // that are counted
}

// searchBookings returns the queries for the rows of a list of bookings that contain the words. Without
// words, the rows of the list are found in the order along.
func (f *filters) searchBookings(ctx context.Context, from connections, columns, along string) (rowQueries, error) {
	others, words, limit := columns+f.where(), firstWords(f.words), sampleSize
	if f.scattered {
		limit = mostCompared + 1
	}
	f.args["words"], f.args["each"] = f.words, words
	sample, err := one(ctx, from, "sample", pgx.RowToStructByName[searchSample], fmt.Sprintf(`
		WITH sampled AS MATERIALIZED (SELECT w.words FROM (%[1]s%[2]s LIMIT %[3]d) b JOIN booking_words w ON w.booking_id = b.id),
			searches AS MATERIALIZED (SELECT n, booking_search(word) AS search FROM unnest(@each::text[]) WITH ORDINALITY AS each (word, n))
		SELECT (SELECT count(*) FROM sampled) AS size,
			(SELECT count(*) FROM sampled WHERE words @@ (SELECT booking_search(@words))) AS found, (SELECT count(*) FROM (%[1]s%[2]s LIMIT %[4]d) b) AS others,
			ARRAY(SELECT (SELECT count(*) FROM sampled WHERE words @@ search) FROM searches ORDER BY n) AS each`, others, along, sampleSize, limit), planned, f.args)
	if err != nil {
		return rowQueries{}, err
	}
	// As a scalar, because the planner would turn a join into a search by the index.
	compared := others + f.and("(SELECT w.words @@ (SELECT booking_search(@words)) FROM booking_words w WHERE w.booking_id = b.id)")
	if sample.Size < sampleSize || f.scattered && sample.Others <= mostCompared {
		return rowQueries{compared, compared, along, true, domain.MostCounted}, nil
	}
	// OFFSET 0 keeps the planner from reading all bookings, of which it expects too many to be found.
	f.args["rare"] = strings.Join(sample.rare(words), " ")
	indexed := fmt.Sprintf(`SELECT b.* FROM (SELECT booking_id FROM booking_words
			WHERE words @@ booking_search(@rare) AND (words @@ (SELECT booking_search(@words))) IS TRUE OFFSET 0) w
		CROSS JOIN LATERAL (%s OFFSET 0) b`, others+f.and("b.id = w.booking_id"))
	switch {
	case sample.Found < broadPage, sample.Found < broadCount && f.scattered:
		return rowQueries{indexed, indexed, "", true, domain.MostFound}, nil
	case sample.Found < broadCount:
		return rowQueries{compared, indexed, "", false, domain.MostFound}, nil
	case f.scattered:
		return rowQueries{compared, compared, along, true, domain.MostCounted}, nil
	}
	return rowQueries{compared, compared, along, false, domain.MostFound}, nil
}

// searchSample is how often a search, and each word of it, is found among some bookings.
type searchSample struct {
	Size, Found int
	Others      int // rows of the list, of which some are not in the sample
	Each        []int
}

// rare returns the words by which the index is searched: those that are not broad, or the least broad one.
func (s searchSample) rare(words []string) (rare []string) {
	least := 0
	for i, word := range words {
		if s.Each[i] < broadCount {
			rare = append(rare, word)
		}
		if s.Each[i] < s.Each[least] {
			least = i
		}
	}
	if len(rare) == 0 && len(words) > 0 {
		rare = words[least : least+1]
	}
	return rare
}

// firstWords returns the first words of a text.
func firstWords(text string) []string {
	words := strings.Fields(text)
	return words[:min(len(words), mostSampledWords)]
}
