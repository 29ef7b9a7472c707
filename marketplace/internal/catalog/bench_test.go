package catalog_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/internal/benchsize"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/schemas"
)

// The size of the catalog in these benchmarks.
const benchOptions = 3

func benchProducts() int { return benchsize.Choose(2000, 20) }

// benchRounds is at least the number of rounds for a median.
func benchRounds() int { return benchsize.Choose(5, 1) }

func benchCatalog() []byte {
	return []byte("[" + repeat(benchProducts(), func(i int) string {
		return fmt.Sprintf(`{"id":"product-%d","internalName":"Walk %d through the old town","locale":"en","timeZone":"Europe/Lisbon","instantConfirmation":true,"reference":"OTW-%d","options":[%s]}`,
			i, i, i, repeat(benchOptions, func(o int) string { return option(fmt.Sprint("option-", o), adult, child) }))
	}) + "]")
}

// syncBench has a partner with a catalog, and a syncer with a fresh database.
type syncBench struct {
	body   []byte
	target partner.Target
	client *partner.Client
	store  *postgres.Store
	syncer *catalog.Syncer
}

func newSyncBench(b *testing.B) *syncBench {
	b.Helper()
	s := &syncBench{body: benchCatalog(), store: pgtest.Open(b)}
	var err error
	s.client, err = partner.NewClient(partner.Config{Guard: partner.NewGuard(true), AtOnce: 8, Now: time.Now, Observe: func(id uuid.UUID, call partner.Observation) {
		if _, err := s.store.Partners.Observe(context.Background(), id, call); err != nil {
			b.Error(err)
		}
	}})
	check(b, err)
	b.Cleanup(s.client.Close)
	s.syncer = catalog.NewSyncer(s.store.Catalog, s.client, time.Now)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(s.body)
	}))
	b.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	check(b, err)
	s.target = partner.Target{ID: uuid.New(), BaseURL: base, AuthKey: "k"}
	registerIn(b, s.store, s.target, time.Now())
	return s
}

func (s *syncBench) sync(b *testing.B) (made catalog.Sync) {
	b.Helper()
	made, err := s.syncer.Sync(b.Context(), catalog.Order{Target: s.target, Mode: catalog.Full, Cause: catalog.BySchedule})
	check(b, err)
	return made
}

// get transfers the body without reading it as JSON.
func (s *syncBench) get(b *testing.B) []byte {
	b.Helper()
	response, err := http.Get(s.target.BaseURL.String())
	check(b, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	check(b, err)
	return body
}

// countWrites returns how many rows were ever written, by table.
func (s *syncBench) countWrites(b *testing.B) map[string]int64 {
	b.Helper()
	// PostgreSQL reports what a backend has counted when the backend exits, at the latest.
	s.store.Pool().Reset()
	admin, err := pgx.Connect(b.Context(), s.store.Pool().Config().ConnString())
	check(b, err)
	defer admin.Close(b.Context())
	for deadline := time.Now().Add(time.Minute); ; {
		var others int
		check(b, admin.QueryRow(b.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`).Scan(&others))
		if others == 0 {
			break
		}
		if time.Now().After(deadline) {
			b.Fatal("want the connections closed")
		}
	}
	rows, err := admin.Query(b.Context(), `SELECT relname::text, n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_user_tables`)
	check(b, err)
	counts := map[string]int64{}
	var table string
	var n int64
	if _, err := pgx.ForEachRow(rows, []any{&table, &n}, func() error { counts[table] = n; return nil }); err != nil {
		b.Fatal(err)
	}
	return counts
}

// measure returns how long f takes.
func measure(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func median[T cmp.Ordered](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// The benchmark compares a first sync with its unavoidable parts, each measured alone: the
// transfer, the decoding, the schema validation, and copying the same rows into the same
// tables. The limit is 2 times their sum, and 3 s.
func BenchmarkFirstSync(b *testing.B) {
	var whole, transfer, decode, judge, copying []time.Duration
	for range max(b.N, benchRounds()) {
		s := newSyncBench(b)
		transfer = append(transfer, measure(func() { s.get(b) }))
		var list []any
		decode = append(decode, measure(func() {
			decoder := json.NewDecoder(bytes.NewReader(s.body))
			decoder.UseNumber()
			check(b, decoder.Decode(&list))
		}))
		judge = append(judge, measure(func() {
			for _, product := range list {
				if problems := schemas.ValidateValue(schemas.Product, product); problems != nil {
					b.Fatal(problems)
				}
			}
		}))
		whole = append(whole, measure(func() {
			if made := s.sync(b); made.Created != benchProducts() {
				b.Fatalf("want %d made, got %+v", benchProducts(), made)
			}
		}))
		copying = append(copying, s.copyBack(b))
	}
	least := median(transfer) + median(decode) + median(judge) + median(copying)
	b.ReportMetric(milliseconds(median(whole)), "ms/sync")
	b.ReportMetric(milliseconds(median(transfer)), "ms/transfer")
	b.ReportMetric(milliseconds(median(decode)), "ms/decode")
	b.ReportMetric(milliseconds(median(judge)), "ms/judge")
	b.ReportMetric(milliseconds(median(copying)), "ms/copy")
	b.ReportMetric(float64(median(whole))/float64(least), "x-of-sum")
	b.ReportMetric(0, "ns/op") // the sum over all rounds and databases means nothing
}

// copyBack removes the stored rows and copies them into the same tables again.
func (s *syncBench) copyBack(b *testing.B) (took time.Duration) {
	b.Helper()
	tables := []string{"activities", "variations"}
	columns, rows := map[string][]string{}, map[string][][]any{}
	for _, table := range tables {
		found, err := s.store.Pool().Query(b.Context(), "SELECT * FROM "+table)
		check(b, err)
		for _, field := range found.FieldDescriptions() {
			columns[table] = append(columns[table], field.Name)
		}
		for found.Next() {
			values, err := found.Values()
			check(b, err)
			for i, field := range found.FieldDescriptions() {
				if field.DataTypeOID == jsonb { // as text, as a sync has it
					if values[i], err = json.Marshal(values[i]); err != nil {
						b.Fatal(err)
					}
				}
			}
			rows[table] = append(rows[table], values)
		}
		check(b, found.Err())
	}
	pgtest.Exec(b, s.store, "TRUNCATE activities CASCADE")
	return measure(func() {
		err := pgx.BeginFunc(b.Context(), s.store.Pool(), func(tx pgx.Tx) error {
			for _, table := range tables {
				if _, err := tx.CopyFrom(b.Context(), pgx.Identifier{table}, columns[table], pgx.CopyFromRows(rows[table])); err != nil {
					return err
				}
			}
			return nil
		})
		check(b, err)
	})
}

// jsonb is the type's object id in PostgreSQL.
const jsonb = 3802

// bookkeeping lists the tables that do not belong to the catalog, the slots, the
// integrations or the history of syncs.
var bookkeeping = []string{"integration_health", "skipped_syncs", "sync_attempts", "running_syncs", "slot_rounds", "sync_wishes", "river_job", "river_queue", "river_leader", "river_client", "river_client_queue", "river_notification"}

// The benchmark compares a sync of the same body with its transfer and its hash. The limit
// is 1.2 times that and 5 ms. No row may be written.
func BenchmarkUnchangedSync(b *testing.B) {
	s := newSyncBench(b)
	s.sync(b)
	before := s.countWrites(b)
	s.sync(b) // on a fresh connection
	var whole, least []time.Duration
	for range max(b.N, 4*benchRounds()) {
		least = append(least, measure(func() {
			if sha256.Sum256(s.get(b)) == (catalog.Hash{}) {
				b.Fatal("want a hash")
			}
		}))
		whole = append(whole, measure(func() {
			if made := s.sync(b); !made.Skipped {
				b.Fatalf("want it skipped, got %+v", made)
			}
		}))
	}
	for table, n := range s.countWrites(b) {
		if n != before[table] && !slices.Contains(bookkeeping, table) {
			b.Errorf("%s: want no row written, got %d", table, n-before[table])
		}
	}
	b.ReportMetric(milliseconds(median(whole)), "ms/sync")
	b.ReportMetric(milliseconds(median(least)), "ms/get+sha256")
	b.ReportMetric(float64(median(whole)-5*time.Millisecond)/float64(median(least)), "x-beyond-5ms")
	b.ReportMetric(0, "ns/op")
}

// After a change of one price, a sync writes one variation and nothing else of the
// catalog.
func BenchmarkSyncOfOneChange(b *testing.B) {
	s := newSyncBench(b)
	s.sync(b)
	whole := benchCatalog()
	rounds := max(b.N, benchRounds())
	before := s.countWrites(b)
	var took []time.Duration
	for i := range rounds {
		s.body = bytes.Replace(whole, []byte("2250"), []byte(fmt.Sprint(3000+i)), 1)
		took = append(took, measure(func() {
			if made := s.sync(b); made.Updated != 1 || made.Skipped {
				b.Fatalf("want one updated, got %+v", made)
			}
		}))
	}
	after := s.countWrites(b)
	for table, want := range map[string]int64{"activities": 0, "slots": 0, "variations": 1, "integrations": 1, "syncs": 1} {
		if got := after[table] - before[table]; got != want*int64(rounds) {
			b.Errorf("%s: want %d rows written a sync, got %d in %d", table, want, got, rounds)
		}
	}
	b.ReportMetric(milliseconds(median(took)), "ms/sync")
	b.ReportMetric(0, "ns/op")
}
