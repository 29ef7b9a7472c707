package postgres_test

import (
	"context"
	"slices"
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
		"a reseller's by guest":         bookings("bookings_guest", booking.Filter{Scope: domain.Scope{Account: s.reseller}, Query: "guest3 sousa3"}),
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
		"all by guest":                  bookings("bookings_guest", booking.Filter{Checkouts: true, Query: "guest3@example.com"}),
		"all by an id":                  bookings("bookings_pkey", booking.Filter{Checkouts: true, Query: uuid.NewString()}),
		"all by the partner's id":       bookings("bookings_external", booking.Filter{Checkouts: true, Query: "B-3"}),
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
		"by two words":                              {booking.Filter{Query: "sousa100 guest100"}, 1},
		"by the email":                              {booking.Filter{Query: "Guest17@example.com"}, 1},
		"by what the partner calls it":              {booking.Filter{Query: "B-17"}, 1},
		"by what the reseller calls it":             {booking.Filter{Query: "R-17"}, 1},
		"by nothing that anybody has":               {booking.Filter{Query: "'):*|!"}, 0},
		"by the moment, both ends among them":       {booking.Filter{Created: booking.Period{From: noon.Add(-5 * time.Minute), To: noon.Add(-2 * time.Minute)}}, 4},
		"by the slot's start":                       {booking.Filter{Start: booking.Period{From: noon.AddDate(0, 0, 20).Add(-5 * time.Minute), To: noon.AddDate(0, 0, 20)}}, 5},
		"by a start that more have than are sorted": {booking.Filter{Start: booking.Period{From: noon.AddDate(0, 0, 1)}}, 10_000},
	} {
		c.by.Checkouts = true
		first, err := s.store.Bookings.List(t.Context(), c.by, domain.PageRequest{Size: 100})
		check(t, err)
		if first.Total != c.total || first.Capped != (c.total == 10_000) || len(first.Entries) != min(100, c.total) {
			t.Errorf("%s: want %d, got %d, capped %t, and %d on the page", name, c.total, first.Total, first.Capped, len(first.Entries))
		}
		if !slices.IsSortedFunc(first.Entries, func(a, b domain.Booking) int { return b.CreatedAt.Compare(a.CreatedAt) }) {
			t.Errorf("%s: want the newest first", name)
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
