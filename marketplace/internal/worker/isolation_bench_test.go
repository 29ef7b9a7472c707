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

	"partnerkit.dev/internal/benchsize"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/waittest"
)

// The partners of BenchmarkSyncsBesideBrokenPartners.
const (
	silent       = 10 // accept a request and never answer
	dripping     = 10 // answer a byte a second
	benchOptions = 5  // of each
	benchSlots   = 10 // of each option
)

// partnerServer is the platform of all partners.
type partnerServer struct {
	broken atomic.Bool  // silent and dripping partners misbehave
	round  atomic.Int64 // changes every catalog
}

// ServeHTTP answers as the partner with which the path begins.
func (p *partnerServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number, endpoint, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	n, err := strconv.Atoi(number)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body) // otherwise a disconnect of the caller goes unnoticed
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

// BenchmarkSyncsBesideBrokenPartners measures how long the worker's jobs take to pull the catalogs
// and slots of 180 partners, alone and together with 20 partners that hang or drip. The limits are
// the contract's.
func BenchmarkSyncsBesideBrokenPartners(b *testing.B) {
	for b.Loop() {
		s := setup(b)
		p := &partnerServer{}
		server := httptest.NewServer(p)
		partners := make([]*platform, benchsize.Choose(200, 24))
		for i := range partners {
			made, _, err := s.integrations.Register(b.Context(), s.account, partner.Registration{Name: "p", BaseURL: fmt.Sprintf("%s/%d", server.URL, i), AuthKey: "k"})
			check(b, err)
			partners[i] = &platform{id: made.ID}
		}
		s.timePulls(b, p, partners, partners) // all have a catalog and slots to pull
		good := partners[silent+dripping:]
		var alone, beside []time.Duration
		for range benchsize.Choose(5, 1) { // rounds for a median
			p.broken.Store(false)
			alone = append(alone, s.timePulls(b, p, good, good))
			p.broken.Store(true)
			beside = append(beside, s.timePulls(b, p, partners, good))
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(median(alone).Seconds(), "s-alone")
		b.ReportMetric(median(beside).Seconds(), "s-beside")
		b.ReportMetric(median(beside).Seconds()/median(alone).Seconds(), "x-alone")
		server.CloseClientConnections()
		server.Close()
	}
}

// timePulls requests full syncs of partners in random order. It returns how long a worker takes to
// store the catalogs and slots of the awaited ones.
func (b *bench) timePulls(t testing.TB, p *partnerServer, asked, awaited []*platform) time.Duration {
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
	// The broken partners now have slots to pull, too.
	for _, one := range asked[:len(asked)-len(awaited)] {
		check(t, b.store.Catalog.AskForSlots(t.Context(), one.id, since, true))
	}
	waittest.Until(t, "every catalog and every slot", func() bool {
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
