package catalog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/schemas"
)

const slotsOfEach = 60 * 2 // of an option

// BenchmarkSlots pulls the slots of 6,000 options, 60 days of 2 slots each, from a partner
// on loopback with prepared answers, eight options at a time. It compares that with the
// time for decoding, schema validation and COPY of the same slots into the same indexed
// table, each alone and in sequence. Both are measured alternately in five parts, so that a
// noisy machine affects them equally, and the medians are reported. Then everything is
// pulled again without changes, which must write no slot row, and on the next day, when one day has
// come into the window: as the worker does, and by reading every slot. Of that the processor time is
// compared, of this process and of PostgreSQL.
//
//	go test -run '^$' -bench Slots -benchtime 1x ./catalog
func BenchmarkSlots(b *testing.B) {
	for b.Loop() {
		race := newSlotRace(b)
		var ratios, per []float64
		spent := map[string]time.Duration{}
		for part := range slices.Chunk(race.options, len(race.options)/benchRounds()) {
			alone := map[string]time.Duration{
				"decode": measured(b, func() error { return race.decode(len(part)) }), "validate": measured(b, func() error { return race.validate(len(part)) }),
				"copy": measured(b, func() error { return race.copy(b.Context(), part) }),
			}
			sum := time.Duration(0)
			for name, took := range alone {
				spent[name] += took
				sum += took
			}
			took := measured(b, func() error { return race.pull(b.Context(), part, slotsOfEach) })
			spent["pull"] += took
			ratios, per = append(ratios, sum.Seconds()/took.Seconds()), append(per, float64(len(part)*slotsOfEach)/took.Seconds())
		}
		for _, name := range []string{"decode", "validate", "copy", "pull"} {
			b.Logf("%-8s %s", name, spent[name].Round(time.Millisecond))
		}
		b.ReportMetric(median(ratios), "x-of-decode+validate+copy")
		b.ReportMetric(median(per), "slots/s")
		race.again(b)
	}
}

// again pulls every option again, in the same parts.
func (r *slotRace) again(b *testing.B) {
	b.Helper()
	var unchanged, night []float64
	total := map[string]pgtest.Cost{}
	before := r.transaction(b)
	cost := func(name string, complete bool, part []catalog.SlotOption, written int) float64 {
		began := pgtest.CostOf(b, r.store)
		check(b, r.pullAgain(b.Context(), part, complete, written))
		cost := pgtest.CostOf(b, r.store).Minus(began)
		total[name] = pgtest.Cost{CPU: total[name].CPU + cost.CPU, WAL: total[name].WAL + cost.WAL}
		return cost.CPU.Seconds()
	}
	for part := range slices.Chunk(r.options, len(r.options)/benchRounds()) {
		unchanged = append(unchanged, cost("unchanged, every slot", true, part, 0)/cost("unchanged", false, part, 0))
	}
	var written int
	check(b, r.store.Pool().QueryRow(b.Context(), `SELECT count(*) FROM slots WHERE xmin::text::bigint >= $1 OR xmax::text::bigint >= $1`, before).Scan(&written))
	if written != 0 {
		b.Errorf("want no slot written nor locked by a pull that changes nothing, got %d", written)
	}
	for range 2 { // an option is compared with itself, a day later
		r.nextDay()
		for i, part := range slices.Collect(slices.Chunk(r.options, len(r.options)/benchRounds())) {
			if r.day == 1 {
				night = append(night, cost("next night, every slot", true, part, 2))
			} else {
				night[i] /= cost("next night", false, part, 2)
			}
		}
	}
	for name, c := range total {
		b.Logf("%-22s %s and %d bytes of WAL for each option", name, (c.CPU / time.Duration(len(r.options))).Round(time.Microsecond), c.WAL/int64(len(r.options)))
	}
	b.ReportMetric(median(unchanged), "x-unchanged")
	b.ReportMetric(median(night), "x-next-night")
}

// pullAgain pulls options that the worker would read now, or every slot of them.
func (r *slotRace) pullAgain(ctx context.Context, part []catalog.SlotOption, complete bool, written int) error {
	var before uuid.UUID
	if i := slices.IndexFunc(r.options, func(o catalog.SlotOption) bool { return o.VariationID == part[0].VariationID }); i > 0 {
		before = r.options[i-1].VariationID
	}
	options, err := r.store.Catalog.OptionsToPull(ctx, r.target.ID, r.now(), before, len(part))
	if err != nil {
		return err
	}
	if complete {
		for i := range options {
			options[i].Stored = catalog.StoredSlots{}
		}
	}
	return r.pull(ctx, options, written)
}

// measured returns how long f takes.
func measured(b *testing.B, f func() error) time.Duration {
	b.Helper()
	return measure(func() {
		check(b, f())
	})
}

// slotRace holds the measurements and their progress.
type slotRace struct {
	*catalog.SlotPuller
	store   *postgres.Store
	target  partner.Target
	options []catalog.SlotOption
	mu      sync.Mutex
	at      time.Time
	day     int
	body    []byte
	values  []any
	slots   []domain.Slot
}

// now returns a time that is later than the previous one.
func (r *slotRace) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = r.at.Add(time.Millisecond)
	return r.at
}

// nextDay moves the window of the partner's answer by a day.
func (r *slotRace) nextDay() {
	r.day++
	r.at = r.at.AddDate(0, 0, 1)
	r.body = answerOf(r.day)
}

var firstDay = time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)

// answerOf returns the slots of 60 days, of which that many days after firstDay is the first.
func answerOf(first int) []byte {
	var slots []string
	for i := first * 2; i < first*2+slotsOfEach; i++ {
		day := firstDay.AddDate(0, 0, i/2).Format(time.DateOnly)
		slots = append(slots, fmt.Sprintf(
			`{"id":"walk/morning/%sT%02d:00","localDateTimeStart":"%sT%02d:00:00+01:00","localDateTimeEnd":"%sT%02d:30:00+01:00","status":"AVAILABLE","vacancies":%d,"capacity":15,"unitPricing":[{"unitId":"unit-adult","unitType":"ADULT","original":%d,"currency":"EUR"}]}`,
			day, 9+i%2*5, day, 9+i%2*5, day, 11+i%2*5, i%15, 2500+i))
	}
	return []byte("[" + strings.Join(slots, ",") + "]")
}

func newSlotRace(b *testing.B) *slotRace {
	b.Helper()
	r := &slotRace{store: pgtest.Open(b), at: firstDay, body: answerOf(0)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(r.body) }))
	b.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	check(b, err)
	r.target = partner.Target{ID: uuid.New(), BaseURL: base, AuthKey: "k"}
	registerIn(b, r.store, r.target, r.at)
	client, err := partner.NewClient(partner.Config{Guard: partner.NewGuard(true), AtOnce: 8, Observe: func(uuid.UUID, partner.Observation) {}, Now: r.now})
	check(b, err)
	b.Cleanup(client.Close)
	r.SlotPuller = catalog.NewSlotPuller(r.store.Catalog, client, r.now)
	if _, err := catalog.NewSyncer(r.store.Catalog, puller(func() string { return string(benchCatalog()) }), r.now).Sync(b.Context(), catalog.Order{Target: r.target, Mode: catalog.Full}); err != nil {
		b.Fatal(err)
	}
	if r.options, err = r.store.Catalog.OptionsToPull(b.Context(), r.target.ID, r.now(), uuid.Nil, benchProducts()*benchOptions); err != nil || len(r.options) != benchProducts()*benchOptions {
		b.Fatalf("want %d options, got %d, %v", benchProducts()*benchOptions, len(r.options), err)
	}
	lisbon, err := time.LoadLocation(r.options[0].TimeZone)
	check(b, err)
	answer, err := catalog.ReadSlots(b.Context(), r.body, catalog.Window{Zone: lisbon, From: firstDay, To: firstDay.AddDate(0, 0, 60)})
	if err != nil || len(answer.Slots) != slotsOfEach {
		b.Fatalf("want %d slots, got %+v, %v", slotsOfEach, answer, err)
	}
	r.slots = answer.Slots
	if r.values, err = decodeAll(r.body); err != nil {
		b.Fatal(err)
	}
	pgtest.Exec(b, r.store, `
		CREATE TABLE copied (LIKE slots INCLUDING ALL);
		ALTER TABLE copied ADD FOREIGN KEY (variation_id) REFERENCES variations ON DELETE CASCADE`)
	return r
}

func decodeAll(body []byte) (values []any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	return values, decoder.Decode(&values)
}

func (r *slotRace) decode(answers int) error {
	for range answers {
		if _, err := decodeAll(r.body); err != nil {
			return err
		}
	}
	return nil
}

func (r *slotRace) validate(answers int) error {
	for range answers {
		for _, value := range r.values {
			if problems := schemas.ValidateValue(schemas.Slot, value); problems != nil {
				return fmt.Errorf("%v", problems)
			}
		}
	}
	return nil
}

func (r *slotRace) copy(ctx context.Context, options []catalog.SlotOption) error {
	prices := make([][]byte, len(r.slots))
	for i, slot := range r.slots {
		prices[i], _ = json.Marshal(slot.UnitPricing)
	}
	columns := []string{"variation_id", "availability_id", "local_date", "starts_at", "ends_at", "status", "vacancies", "capacity", "unit_pricing", "news_at"}
	_, err := r.store.Pool().CopyFrom(ctx, pgx.Identifier{"copied"}, columns, pgx.CopyFromSlice(len(options)*len(r.slots), func(i int) ([]any, error) {
		slot := r.slots[i%len(r.slots)]
		return []any{options[i/len(r.slots)].VariationID, slot.ID, slot.LocalDate, slot.Start, slot.End, slot.Status, slot.Vacancies, slot.Capacity, prices[i%len(r.slots)], slot.Start}, nil
	}))
	return err
}

// pull pulls options, eight at a time, and expects that many slots of each to be written.
func (r *slotRace) pull(ctx context.Context, options []catalog.SlotOption, written int) error {
	next, errs := make(chan catalog.SlotOption), make(chan error, 8)
	var all sync.WaitGroup
	for range cap(errs) {
		all.Go(func() {
			for option := range next {
				made, err := r.Pull(ctx, r.target, option)
				if err == nil && made.Written+made.Closed != written {
					err = fmt.Errorf("want %d written, got %+v", written, made)
				}
				if err != nil {
					select {
					case errs <- err:
					default: // the first errors are enough
					}
				}
			}
		})
	}
	for _, option := range options {
		next <- option
	}
	close(next)
	all.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

// transaction returns the id of the next transaction.
func (r *slotRace) transaction(b *testing.B) (id int64) {
	b.Helper()
	check(b, r.store.Pool().QueryRow(b.Context(), `SELECT pg_current_xact_id()::text::bigint`).Scan(&id))
	return id
}
