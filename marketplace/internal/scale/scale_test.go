// Package scale measures what a large marketplace costs: thousands of partners, whose answers come from
// one handler (platforms_test.go). `make scale` runs its benchmark.
package scale

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"partnerkit.dev/internal/benchsize"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/replica"
	"partnerkit.dev/marketplace/internal/replica/replicatest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var check = errtest.Check

// sampled is how many partners a measurement pulls, spread over all of them. Their number is the same for
// each size, so that each size is as much work.
const sampled = 10

// setting reads a number from the environment, which `make scale` sets.
func setting(b *testing.B, name string, usual int) int {
	b.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	check(b, err)
	return n
}

// market is a marketplace that grows.
type market struct {
	store     *postgres.Store
	account   uuid.UUID
	platforms *platforms
	address   string // of the platforms
	ahead     time.Duration
	partners  []integration
	replica   *replica.Replica
	service   *httptest.Server
	token     string
	drawn     int
}

type integration struct {
	id     uuid.UUID
	secret string // of its webhooks
}

func (m *market) now() time.Time { return time.Now().Add(m.ahead) }

// BenchmarkScale measures the processor time of the service and of PostgreSQL for one option pulled, one
// notification, one probe, one page and one checkout, with ever more partners, and a replica's start.
// It reports each cost at the largest size as a multiple of that at the smallest. SCALE is the largest
// number of partners, ACTIVITIES how many each has, and EVERY how many days lie between the slots of an
// option: with 1, 3,000 partners have 36,000,000 slots.
func BenchmarkScale(b *testing.B) {
	most, activities := setting(b, "SCALE", benchsize.Choose(300, 4)), setting(b, "ACTIVITIES", benchsize.Choose(100, 2))
	for b.Loop() {
		database := pgtest.URL(b)
		store := pgtest.OpenAt(b, database)
		m := &market{store: store, account: replicatest.Accounts(b, store, time.Now())[domain.Partner].ID, platforms: newPlatforms(activities, setting(b, "EVERY", 6))}
		server := httptest.NewServer(m.platforms)
		m.address = server.URL
		var first, last map[string]float64
		for _, size := range []int{2, 100, 300, 1000, 3000, 10000} {
			if size > most || size < benchsize.Choose(100, 2) {
				continue
			}
			m.grow(b, size)
			last = m.measure(b, size)
			if first == nil {
				first = last
			}
		}
		m.weigh(b, len(m.partners), database)
		m.closeReplica()
		server.Close()
		b.ReportMetric(0, "ns/op")
		for name, cost := range last {
			b.ReportMetric(cost/max(first[name], 1e-9), name+"-x")
		}
	}
}

// grow registers partners and syncs their catalogs as the service does. Slots of partners that no
// measurement pulls are copied into the table, which takes a fraction of the time.
func (m *market) grow(b *testing.B, size int) {
	b.Helper()
	registry := partner.NewRegistry(m.store.Partners, partner.NewGuard(true), replicatest.Secret(b), m.now)
	m.openReplica(b)
	syncer := catalog.NewSyncer(m.store.Catalog, m.replica.Partners, m.now)
	var all errgroup.Group
	all.SetLimit(4)
	before := len(m.partners)
	m.partners = append(m.partners, make([]integration, size-before)...)
	for k := before; k < size; k++ {
		all.Go(func() error {
			made, secret, err := registry.Register(b.Context(), m.account, partner.Registration{Name: fmt.Sprint("Partner ", k), BaseURL: fmt.Sprint(m.address, "/", k), AuthKey: "k"})
			if err != nil {
				return err
			}
			m.partners[k] = integration{made.ID, secret}
			target, err := registry.Target(made)
			if err == nil {
				_, err = syncer.Sync(b.Context(), catalog.Order{Target: target, Mode: catalog.Full, Cause: catalog.BySchedule})
			}
			return err
		})
	}
	check(b, all.Wait())
	tx, err := m.store.Pool().Begin(b.Context())
	check(b, err)
	defer tx.Rollback(context.WithoutCancel(b.Context()))
	for _, statement := range []string{
		`SET LOCAL session_replication_role = replica`,
		`INSERT INTO slots (variation_id, availability_id, local_date, starts_at, ends_at, status, vacancies, capacity, unit_pricing, news_at, answered_at)
		SELECT v.id, d::date::text, d, d + interval '10 hours', d + interval '12 hours', 'AVAILABLE', 8, 15,
			'[{"unitId": "unit-adult", "unitType": "ADULT", "original": 2500, "currency": "EUR"}]', now(), now()
		FROM variations v, generate_series(current_date, current_date + 59, interval '1 day') d
		WHERE NOT EXISTS (SELECT FROM slot_pulls p WHERE p.variation_id = v.id) AND (d::date - date '1970-01-01') % ` + strconv.Itoa(m.platforms.every) + ` = 0`,
		`INSERT INTO slot_pulls (variation_id, sent_at, currencies, days) SELECT v.id, now(), '{EUR}', decode(repeat('5a', 492), 'hex') FROM variations v ON CONFLICT DO NOTHING`,
	} {
		_, err := tx.Exec(b.Context(), statement)
		check(b, err)
	}
	check(b, tx.Commit(b.Context()))
	pgtest.Exec(b, m.store, `VACUUM ANALYZE`)
}

// measure returns the costs of one of each, in microseconds of processor time: the median of three nights.
func (m *market) measure(b *testing.B, size int) map[string]float64 {
	b.Helper()
	began, before := time.Now(), heap()
	m.openReplica(b)
	start, index := time.Since(began), heap()-before
	samples := map[string][]float64{}
	measured := func(name string, n int, do func(i int)) {
		began := pgtest.CostOf(b, m.store)
		for i := range n {
			do(i)
		}
		spent := pgtest.CostOf(b, m.store).Minus(began)
		cost := float64(spent.CPU.Microseconds()) / float64(n)
		samples[name] = append(samples[name], cost)
		b.Logf("%5d partners: %-20s %6.0f µs, %5d bytes of WAL", size, name, cost, spent.WAL/int64(n))
	}
	pulls := sampled * m.platforms.activities * optionsOfEach
	m.nextNight(b, 0)
	m.pull(b, true)                    // the copied slots are replaced by the partners'
	for range benchsize.Choose(3, 1) { // the database writes at times that a night does not choose
		for _, night := range []struct {
			name     string
			changed  uint64
			complete bool
		}{{"night-complete", 0, true}, {"night-unchanged", 0, false}, {"night-changed", 10, false}} {
			m.nextNight(b, night.changed)
			m.perPull(b, measured, night.name, pulls, night.complete)
		}
	}
	few := benchsize.Choose(500, 2)
	measured("notification", few, func(i int) { m.notify(b, i) })
	measured("probe", few, func(i int) { check(b, m.replica.Partners.Probe(b.Context(), m.target(b, m.sample(i)))) })
	measured("page", few, func(i int) {
		m.drawn++
		m.get(b, fmt.Sprintf("/api/v1/resellers/activities?limit=20&currency=EUR&page=%d", 1+(m.drawn*7919)%max(1, size*m.platforms.activities/20)))
	})
	slots := m.toBook(b, benchsize.Choose(200, 2))
	measured("checkout", len(slots), func(i int) { m.book(b, slots[i]) })
	b.Logf("%5d partners: a replica starts in %s, and its index takes %d MiB", size, start.Round(time.Millisecond), index>>20)
	var bytes int64
	check(b, m.store.Pool().QueryRow(b.Context(), `SELECT pg_database_size(current_database())`).Scan(&bytes))
	b.Logf("%5d partners: the database has %d MiB, and the process %d MiB in use", size, bytes>>20, heap()>>20)
	cost := map[string]float64{}
	for name, of := range samples {
		slices.Sort(of)
		cost[name] = of[len(of)/2]
	}
	return cost
}

// perPull measures a night of the sampled partners for each option.
func (m *market) perPull(b *testing.B, measured func(string, int, func(int)), name string, pulls int, complete bool) {
	measured(name, pulls, func(i int) {
		if i == 0 {
			m.pull(b, complete)
		}
	})
}

// nextNight moves the time to the next night, in which that many of a thousand options change.
func (m *market) nextNight(b *testing.B, changed uint64) {
	b.Helper()
	m.ahead += 24 * time.Hour
	m.platforms.night(changed)
	m.signIn(b)
}

func (m *market) signIn(b *testing.B) {
	b.Helper()
	tokens, err := m.replica.SignIn.SignIn(b.Context(), string(domain.Reseller)+"@example.com", replicatest.Password, "")
	check(b, err)
	m.token = tokens.AccessToken
}

// sample returns one of the sampled partners.
func (m *market) sample(i int) integration { return m.partners[i%sampled*len(m.partners)/sampled] }

func (m *market) target(b *testing.B, of integration) partner.Target {
	b.Helper()
	found, err := m.replica.Integrations.Find(b.Context(), uuid.Nil, of.id)
	check(b, err)
	target, err := m.replica.Integrations.Target(found)
	check(b, err)
	return target
}

// pull pulls the options of the sampled partners, as a worker does, or every slot of them.
func (m *market) pull(b *testing.B, complete bool) {
	b.Helper()
	puller := catalog.NewSlotPuller(m.store.Catalog, m.replica.Partners, m.now)
	asked := m.now()
	for i := range min(sampled, len(m.partners)) {
		target, after := m.target(b, m.sample(i)), uuid.Nil
		for {
			options, err := m.store.Catalog.OptionsToPull(b.Context(), target.ID, asked, after, 100)
			check(b, err)
			if len(options) == 0 {
				break
			}
			after = options[len(options)-1].VariationID
			var all errgroup.Group
			all.SetLimit(8)
			for _, option := range options {
				if complete {
					option.Stored = catalog.StoredSlots{}
				}
				all.Go(func() error { _, err := puller.Pull(b.Context(), target, option); return err })
			}
			check(b, all.Wait())
		}
	}
}

func (m *market) notify(b *testing.B, i int) {
	b.Helper()
	m.drawn++
	of := m.sample(i)
	day := int(m.now().Unix()/86400)/m.platforms.every + 1 + m.drawn%(50/m.platforms.every) // counted in slots
	date := time.Unix(int64(day*m.platforms.every)*86400, 0).UTC().Format(time.DateOnly)
	m.post(b, "/api/v1/partner-integrations/"+of.id.String()+"/availability/notify", http.Header{"X-Webhook-Secret": {of.secret}}, fmt.Sprintf(
		`{"productId":"product-%d","optionId":"option-%d","availabilityId":%q,"localDateTimeStart":"%sT10:00:00Z","status":"AVAILABLE","vacancies":%d,"capacity":15}`,
		m.drawn%m.platforms.activities, m.drawn%optionsOfEach, date, date, 1+m.drawn%14))
}

// toBook returns orders of slots at the sampled partners.
func (m *market) toBook(b *testing.B, n int) (orders []string) {
	b.Helper()
	for i := range n {
		var activity, variation uuid.UUID
		var slot string
		check(b, m.store.Pool().QueryRow(b.Context(), `
			SELECT a.id, v.id, s.availability_id FROM activities a JOIN variations v ON v.activity_id = a.id JOIN slots s ON s.variation_id = v.id
			WHERE a.integration_id = $1 AND a.external_product_id = $2 AND s.starts_at > $3 ORDER BY s.starts_at LIMIT 1`,
			m.sample(i).id, fmt.Sprint("product-", i%m.platforms.activities), m.now().AddDate(0, 0, 1)).Scan(&activity, &variation, &slot))
		order, err := json.Marshal(map[string]any{"activity_id": activity, "variation_id": variation, "availability_id": slot, "units": []any{map[string]any{"type": "ADULT", "quantity": 1}},
			"contact": map[string]any{"fullName": "Ana Lima", "emailAddress": "ana@example.com", "phoneNumber": "+351 1"}, "currency": "EUR"})
		check(b, err)
		orders = append(orders, string(order))
	}
	return orders
}

func (m *market) book(b *testing.B, order string) {
	b.Helper()
	m.post(b, "/api/v1/resellers/bookings", http.Header{"Authorization": {"Bearer " + m.token}}, order)
}

func (m *market) get(b *testing.B, path string) {
	b.Helper()
	m.send(b, http.MethodGet, path, http.Header{"Authorization": {"Bearer " + m.token}}, "")
}

func (m *market) post(b *testing.B, path string, headers http.Header, body string) {
	b.Helper()
	headers.Set("Content-Type", "application/json")
	m.send(b, http.MethodPost, path, headers, body)
}

func (m *market) send(b *testing.B, method, path string, headers http.Header, body string) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), method, m.service.URL+path, strings.NewReader(body))
	check(b, err)
	request.Header = headers
	answer, err := m.service.Client().Do(request)
	check(b, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(b, err)
	if !slices.Contains([]int{http.StatusOK, http.StatusCreated}, answer.StatusCode) {
		address, _ := url.Parse(path)
		b.Fatalf("%s %s: Expected 200 or 201, received %d: %s", method, address.Path, answer.StatusCode, text)
	}
}

// openReplica replaces the replica by one that starts now.
func (m *market) openReplica(b *testing.B) {
	b.Helper()
	m.closeReplica()
	config := replicatest.Config(b, m.store, m.store, m.now)
	config.RateLimit, config.LoginLimit, config.Log = 0, 0, slog.New(slog.DiscardHandler)
	var err error
	m.replica, err = replica.New(b.Context(), config)
	check(b, err)
	m.service = httptest.NewServer(m.replica.Handler)
	m.signIn(b)
}

func (m *market) closeReplica() {
	if m.replica == nil {
		return
	}
	m.service.Close()
	_ = m.replica.Worker.Stop(context.Background()) // it was not started
	m.replica.Close()
}

// heap returns the memory in use, in bytes.
func heap() int64 {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.HeapAlloc)
}
