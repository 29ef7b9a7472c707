package worker_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// The partners of BenchmarkSyncsBesideBrokenPartners.
const (
	allPartners  = 200
	silent       = 10 // of them accept a request, and never answer
	dripping     = 10 // of them answer a byte a second
	benchOptions = 5  // of each
	benchSlots   = 10 // of each option
	benchRounds  = 5  // a median is of so many
)

// town is the platform of all the partners.
type town struct {
	broken atomic.Bool  // some of the partners are
	round  atomic.Int64 // changes every catalog
}

// ServeHTTP answers as the partner that the path begins with.
func (p *town) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number, endpoint, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	n, err := strconv.Atoi(number)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body) // else it is not seen that the caller goes
	w.Header().Set("Content-Type", "application/json")
	switch {
	case p.broken.Load() && n < silent:
		<-r.Context().Done()
	case p.broken.Load() && n < silent+dripping:
		drip(w, r)
	case endpoint == "products":
		_, _ = io.WriteString(w, strings.ReplaceAll(product("a", benchOptions), "2250", strconv.FormatInt(2250+p.round.Load(), 10)))
	default:
		_, _ = io.WriteString(w, townSlots)
	}
}

func drip(w http.ResponseWriter, r *http.Request) {
	for {
		_, _ = io.WriteString(w, "[")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-time.After(time.Second):
		}
	}
}

var townSlots = func() string {
	slots := make([]string, benchSlots)
	for i := range slots {
		start := time.Now().UTC().Truncate(time.Hour).AddDate(0, 0, i+1)
		slots[i] = fmt.Sprintf(`{"id":"slot-%d","localDateTimeStart":%q,"localDateTimeEnd":%q,"status":"AVAILABLE","vacancies":8,"capacity":10}`,
			i, start.Format(time.RFC3339), start.Add(2*time.Hour).Format(time.RFC3339))
	}
	return "[" + strings.Join(slots, ",") + "]"
}()

// BenchmarkSyncsBesideBrokenPartners has the catalogs and slots of 180 partners pulled by
// the worker's jobs, alone and beside those of 20 that hang or drip. The limits are the
// contract's.
func BenchmarkSyncsBesideBrokenPartners(b *testing.B) {
	for b.Loop() {
		s := setup(b)
		p := &town{}
		server := httptest.NewServer(p)
		partners := make([]*platform, allPartners)
		for i := range partners {
			made, _, err := s.integrations.Register(b.Context(), s.account, partner.Registration{Name: "p", BaseURL: fmt.Sprintf("%s/%d", server.URL, i), AuthKey: "k"})
			check(b, err)
			partners[i] = &platform{id: made.ID}
		}
		s.pulled(b, p, partners, partners) // all have a catalog, and slots to be pulled
		good := partners[silent+dripping:]
		var alone, beside []time.Duration
		for range benchRounds {
			p.broken.Store(false)
			alone = append(alone, s.pulled(b, p, good, good))
			p.broken.Store(true)
			beside = append(beside, s.pulled(b, p, partners, good))
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(median(alone).Seconds(), "s-alone")
		b.ReportMetric(median(beside).Seconds(), "s-beside")
		b.ReportMetric(median(beside).Seconds()/median(alone).Seconds(), "x-alone")
		server.CloseClientConnections()
		server.Close()
	}
}

// pulled asks for full syncs of partners, in any order, and returns how long it takes a
// worker until the catalogs and the slots of some are stored.
func (b *bench) pulled(t testing.TB, p *town, asked, awaited []*platform) time.Duration {
	t.Helper()
	p.round.Add(1)
	b.clock.Advance(time.Hour)
	since := b.clock.Now()
	ids := make([]uuid.UUID, len(awaited))
	for i, one := range awaited {
		ids[i] = one.id
	}
	r := b.replica(t)
	began := time.Now()
	order := slices.Clone(asked)
	rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	b.ask(t, catalog.BySchedule, order...)
	// Those that are broken now have slots to be pulled as well.
	for _, one := range asked[:len(asked)-len(awaited)] {
		check(t, b.store.Catalog.AskForSlots(t.Context(), one.id, since, true))
	}
	until(t, "every catalog and every slot", func() bool {
		return b.count(t, `SELECT count(*) FROM slot_pulls p JOIN variations v ON v.id = p.variation_id JOIN activities a ON a.id = v.activity_id
			WHERE p.sent_at >= $1 AND a.integration_id = ANY ($2)`, since, ids) == len(awaited)*benchOptions
	})
	took := time.Since(began)
	if stored := b.count(t, `SELECT count(*) FROM integrations WHERE last_sync_at >= $1 AND id = ANY ($2)`, since, ids); stored != len(awaited) {
		t.Fatalf("want %d catalogs stored, got %d", len(awaited), stored)
	}
	r.end(t)
	pgtest.Exec(t, b.store, `TRUNCATE river_job, sync_wishes, slot_rounds`)
	return took
}

func median(of []time.Duration) time.Duration {
	slices.Sort(of)
	return of[len(of)/2]
}
