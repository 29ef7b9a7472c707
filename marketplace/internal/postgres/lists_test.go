package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// sold is a marketplace with bookings on many days, by several resellers.
type sold struct {
	store                           *postgres.Store
	queries                         *pgtest.Recorder
	reseller, activity, integration uuid.UUID
}

// sell creates a marketplace with the rows that pgtest.Sell creates.
func sell(t testing.TB, stock pgtest.Stock) sold {
	t.Helper()
	queries := &pgtest.Recorder{}
	s := sold{pgtest.OpenRecorded(t, pgtest.URL(t), queries), queries, pgtest.ID("reseller3"), pgtest.ID("activity3"), pgtest.ID("integration3")}
	pgtest.Sell(t, s.store, stock)
	return s
}

// bookingLists lists the lists of bookings and commissions, each with the index that it must
// use.
func (s sold) bookingLists() map[string]listed {
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	bookings := func(index string, by booking.Filter) listed {
		return listed{index, func(ctx context.Context, asked domain.PageRequest) (int, *domain.Cursor, error) {
			p, err := s.store.Bookings.List(ctx, by, asked)
			return len(p.Entries), p.Next, err
		}}
	}
	soon := booking.Period{From: noon.AddDate(0, 0, 19), To: noon.AddDate(0, 0, 19).Add(time.Hour)}
	return map[string]listed{
		"a reseller's":                  bookings("bookings_made_of", booking.Filter{Scope: domain.Scope{Account: s.reseller}}),
		"a reseller's by status":        bookings("bookings_of_status", booking.Filter{Scope: domain.Scope{Account: s.reseller}, Status: domain.Released}),
		"a reseller's by activity":      bookings("bookings_of_activity", booking.Filter{Scope: domain.Scope{Account: s.reseller}, Activity: s.activity}),
		"a reseller's by reference":     bookings("bookings_referred", booking.Filter{Scope: domain.Scope{Account: s.reseller}, Reference: "R-3"}),
		"a reseller's by guest":         bookings("booking_words_search", booking.Filter{Scope: domain.Scope{Account: s.reseller}, Query: "guest39 sousa4003"}),
		"a reseller's by start":         bookings("bookings_start", booking.Filter{Scope: domain.Scope{Account: s.reseller}, Start: soon}),
		"a reseller's by date":          bookings("bookings_made_of", booking.Filter{Scope: domain.Scope{Account: s.reseller}, Created: booking.Period{From: noon.AddDate(0, 0, -2), To: noon.AddDate(0, 0, -1)}}),
		"all of a reseller":             bookings("bookings_of", booking.Filter{Checkouts: true, Scope: domain.Scope{Account: s.reseller}}),
		"all":                           bookings("bookings_order", booking.Filter{Checkouts: true}),
		"all by date":                   bookings("bookings_order", booking.Filter{Checkouts: true, Created: booking.Period{To: noon.AddDate(0, 0, -1)}}),
		"all by status":                 bookings("bookings_(status|order)", booking.Filter{Checkouts: true, Status: domain.Cancelled}),
		"all of a status that none has": bookings("bookings_status", booking.Filter{Checkouts: true, Status: domain.Lost}),
		"all by activity":               bookings("bookings_activity", booking.Filter{Checkouts: true, Activity: s.activity}),
		"all by integration":            bookings("bookings_integration", booking.Filter{Checkouts: true, Integration: s.integration}),
		"all by reference":              bookings("bookings_referred", booking.Filter{Checkouts: true, Reference: "R-3"}),
		"all by guest":                  bookings("booking_words_search", booking.Filter{Checkouts: true, Query: "guest3@example.com"}),
		"all by a word that all have":   bookings("booking_words_pkey", booking.Filter{Checkouts: true, Query: "gues"}),
		"all by an id":                  bookings("booking_words_search", booking.Filter{Checkouts: true, Query: uuid.NewString()}),
		"all by the partner's id":       bookings("booking_words_search", booking.Filter{Checkouts: true, Query: "B-39999"}),
		"all by start":                  bookings("bookings_start", booking.Filter{Checkouts: true, Start: soon}),
		"all that need attention":       bookings("bookings_attention", booking.Filter{Checkouts: true, Attention: true}),
		"an affiliate's commissions": {"affiliate_commissions_list", func(ctx context.Context, asked domain.PageRequest) (int, *domain.Cursor, error) {
			p, err := s.store.Bookings.Commissions(ctx, domain.Scope{Account: s.reseller, Mode: domain.Live}, asked)
			return len(p.Entries), p.Next, err
		}},
	}
}

// listed is a list with the index that it must use.
type listed struct {
	index string
	read  func(context.Context, domain.PageRequest) (int, *domain.Cursor, error)
}

func TestBookingsAreFoundByEachFilter(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{Bookings: 10_100})
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		by    booking.Filter
		total int
	}{
		"all, counted as far as they are":           {booking.Filter{}, 10_000},
		"a reseller's":                              {booking.Filter{Scope: domain.Scope{Account: s.reseller}}, 505},
		"by status":                                 {booking.Filter{Status: domain.Released}, 2020},
		"by two filters":                            {booking.Filter{Status: domain.Released, Scope: domain.Scope{Account: s.reseller}}, 0},
		"by activity":                               {booking.Filter{Activity: s.activity}, 202},
		"by integration":                            {booking.Filter{Integration: s.integration}, 504},
		"by reference":                              {booking.Filter{Reference: "R-17"}, 1},
		"by another's reference":                    {booking.Filter{Reference: "R-17", Scope: domain.Scope{Account: s.reseller}}, 0},
		"that need attention":                       {booking.Filter{Attention: true}, 2},
		"by a word of the guest's name":             {booking.Filter{Query: "SOUSA4999"}, 2},
		"by two words":                              {booking.Filter{Query: "sousa4999 guest9999"}, 1},
		"by the beginning of a word":                {booking.Filter{Query: "sous"}, 1_000},
		"by a word of a third":                      {booking.Filter{Query: "sousa3"}, 1_000},
		"by a word of a fiftieth":                   {booking.Filter{Query: "sousa48"}, 223},
		"by two words, one of which all have":       {booking.Filter{Query: "gues sousa4999"}, 2},
		"by a word that all have, and a state":      {booking.Filter{Query: "gues", Status: domain.Released}, 1_000},
		"by a word and the slot's start":            {booking.Filter{Query: "sousa48", Start: booking.Period{From: noon.AddDate(0, 0, 1)}}, 223},
		"by the beginnings of two":                  {booking.Filter{Query: "guest9999 sousa49"}, 1},
		"by the end of a phone number":              {booking.Filter{Query: "0000017"}, 1},
		"by the end of an id":                       {booking.Filter{Query: "10099"}, 1},
		"by the email":                              {booking.Filter{Query: "Guest17@example.com"}, 1},
		"by what the partner calls it":              {booking.Filter{Query: "B-10099"}, 1},
		"by what the reseller calls it":             {booking.Filter{Query: "R-10099"}, 1},
		"by nothing that anybody has":               {booking.Filter{Query: "'):*|!"}, 0},
		"by the moment, both ends among them":       {booking.Filter{Created: booking.Period{From: noon.Add(-5 * time.Minute), To: noon.Add(-2 * time.Minute)}}, 4},
		"by the slot's start":                       {booking.Filter{Start: booking.Period{From: noon.AddDate(0, 0, 20).Add(-5 * time.Minute), To: noon.AddDate(0, 0, 20)}}, 5},
		"by a start that more have than are sorted": {booking.Filter{Start: booking.Period{From: noon.AddDate(0, 0, 1)}}, 10_000},
	} {
		c.by.Checkouts = true
		first, err := s.store.Bookings.List(t.Context(), c.by, domain.PageRequest{Size: 100})
		check(t, err)
		if first.Total != c.total || first.Capped != (c.total == domain.MostCounted || c.total == domain.MostFound) || len(first.Entries) != min(100, c.total) {
			t.Errorf("%s: want %d, got %d, capped %t, and %d on the page", name, c.total, first.Total, first.Capped, len(first.Entries))
		}
		if !slices.IsSortedFunc(first.Entries, func(a, b domain.Booking) int { return b.CreatedAt.Compare(a.CreatedAt) }) {
			t.Errorf("%s: want the newest first", name)
		}
	}
}

func TestABookingIsFoundInTheWayItsGuestsNameIsTyped(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{Bookings: 12})
	for i, name := range []string{"Hubert Wolfeschlegelsteinhausen", "Nguyễn Thị Đặng", "Conan O'Brien", "山田太郎", "Łukasz Øst", "Ana-María d'Ávila", "김철수", "Иван Петров", `a' & b | \ :*`} {
		pgtest.Exec(t, s.store, `UPDATE bookings SET contact = jsonb_build_object('fullName', '`+strings.ReplaceAll(name, "'", "''")+`') WHERE external_booking_id = 'B-`+fmt.Sprint(i+1)+`'`)
	}
	pgtest.Exec(t, s.store, `UPDATE bookings SET external_booking_id = 'TRV/2026-07-7492' WHERE external_booking_id = 'B-10'`)
	for query, want := range map[string]string{
		"Wolfeschlegel": "B-1", "hubert wolfe": "B-1", "WOLFESCHLEGELSTEINHAUSEN": "B-1", "schlegel": "",
		"nguyen": "B-2", "Nguyễn": "B-2", "dang": "B-2", "O'Brien": "B-3", "obrien": "B-3", "brien": "B-3", "o’brien": "",
		"山田": "B-4", "太郎": "B-4", "山田 太郎": "B-4", "lukasz": "B-5", "ost": "B-5", "maria": "B-6", "ana-maria": "B-6", "avila": "B-6",
		"철수": "B-7", "петр": "B-8", `a' & b | \ :*`: "B-9", "7492": "TRV/2026-07-7492", "trv/2026": "TRV/2026-07-7492", "trv/2026-07-7492": "TRV/2026-07-7492",
		"ng": "", "%'": "", "": "all",
	} {
		p, err := s.store.Bookings.List(t.Context(), booking.Filter{Checkouts: true, Query: query}, domain.PageRequest{Size: 20})
		check(t, err)
		var found []string
		for _, b := range p.Entries {
			found = append(found, b.ExternalBookingID)
		}
		if got := strings.Join(found, " "); got != want && (want != "all" || len(found) != 12) {
			t.Errorf("%q: Expected %q, received %q", query, want, got)
		}
	}
}

func TestABookingThatIsSettledLeavesTheListOfThoseThatNeedAttention(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{Bookings: 3})
	need := func() int {
		p, err := s.store.Bookings.List(t.Context(), booking.Filter{Attention: true}, domain.PageRequest{Size: 1})
		check(t, err)
		return p.Total
	}
	for _, c := range []struct {
		change string
		want   int
	}{
		{`INSERT INTO booking_attention SELECT id, why, now(), '' FROM bookings, unnest(ARRAY['late_payment', 'release_failed']) why WHERE code = 'H-1'`, 1},
		{`UPDATE booking_attention SET settled_at = now() WHERE reason = 'late_payment'`, 1},
		{`UPDATE booking_attention SET settled_at = now()`, 0},
		{`UPDATE booking_attention SET settled_at = NULL WHERE booking_attention.reason = 'late_payment'`, 1},
	} {
		pgtest.Exec(t, s.store, c.change)
		if got := need(); got != c.want {
			t.Errorf("%s: want %d, got %d", c.change, c.want, got)
		}
	}
}
