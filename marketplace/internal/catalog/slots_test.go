package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// answers is a partner without a network that returns prepared slots.
type answers func(partnerapi.AvailabilityRequest) string

func (a answers) Availability(ctx context.Context, _ partner.Target, asked partnerapi.AvailabilityRequest, read func(context.Context, []byte) error) error {
	body := []byte(a(asked))
	return read(ctx, body)
}

// slotBench has a puller of one option's slots, on the morning of 1 July in Lisbon.
type slotBench struct {
	*catalog.SlotPuller
	store  *postgres.Store
	target partner.Target
	option catalog.SlotOption
	at     time.Time
	body   string
	asked  partnerapi.AvailabilityRequest
}

func (b *slotBench) now() time.Time { return b.at }

func setupSlots(t *testing.T, change ...string) *slotBench {
	t.Helper()
	of := setup(t)
	of.sync(t, catalog.Full, product("walk", change...))
	b := &slotBench{store: of.store, target: of.target, at: time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)}
	b.option = b.known(t)
	b.SlotPuller = catalog.NewSlotPuller(b.store.Catalog, answers(func(asked partnerapi.AvailabilityRequest) string { b.asked = asked; return b.body }), b.now)
	return b
}

// known returns the option as a pull now would read it.
func (b *slotBench) known(t *testing.T) catalog.SlotOption {
	t.Helper()
	options, err := b.store.Catalog.OptionsToPull(t.Context(), b.target.ID, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC), uuid.Nil, 10)
	if err != nil || len(options) != 1 {
		t.Fatalf("want one option to pull, got %v, %v", options, err)
	}
	return options[0]
}

// slot returns a slot with that id, at ten in Lisbon on that day, with further fields.
func slot(id, day string, more ...string) string {
	fields := `"status":"AVAILABLE","vacancies":8,"capacity":10`
	if len(more) > 0 {
		fields = strings.Join(more, ",")
	}
	return fmt.Sprintf(`{"id":%q,"localDateTimeStart":"%sT10:00:00+01:00","localDateTimeEnd":"%sT12:00:00+01:00",%s}`, id, day, day, fields)
}

// pull pulls these slots a minute after the previous pull.
func (b *slotBench) pull(t *testing.T, slots ...string) catalog.SlotOutcome {
	t.Helper()
	b.at = b.at.Add(time.Minute)
	b.body = "[" + strings.Join(slots, ",") + "]"
	made, err := b.Pull(t.Context(), b.target, b.known(t))
	check(t, err)
	return made
}

// notify stores a notification about a slot that arrived at that time.
func (b *slotBench) notify(t *testing.T, at time.Time, id, day, fields string) {
	t.Helper()
	n, err := catalog.ReadNotification(fmt.Appendf(nil, `{"productId":"walk","optionId":"morning","availabilityId":%q,"localDateTimeStart":"%sT10:00:00+01:00",%s}`, id, day, fields), at)
	check(t, err)
	check(t, catalog.NewNotifier(b.store.Catalog).Notify(t.Context(), b.target.ID, n))
}

// want fails unless exactly these slots are stored: "id day status vacancies/capacity".
func (b *slotBench) want(t *testing.T, want ...string) {
	t.Helper()
	slots, err := b.store.Storefront.Slots(t.Context(), []uuid.UUID{b.option.VariationID}, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	check(t, err)
	var got []string
	for _, s := range slots {
		got = append(got, fmt.Sprintf("%s %s %s %s/%s", s.ID, s.LocalDate.Format("01-02"), s.Status, seats(s.Vacancies), seats(s.Capacity)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("want %s\ngot  %s", strings.Join(want, ", "), strings.Join(got, ", "))
	}
}

func seats(n *int) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprint(*n)
}

// rows returns the versions of all rows that a pull could write or lock, except its own.
func (b *slotBench) rows(t *testing.T) (rows string) {
	t.Helper()
	check(t, b.store.Pool().QueryRow(t.Context(), `
		SELECT coalesce(string_agg(format('%s:%s:%s:%s', id, ctid, xmin, xmax), ' ' ORDER BY id), '')
		FROM (SELECT availability_id AS id, ctid, xmin, xmax FROM slots UNION ALL SELECT external_option_id, ctid, xmin, xmax FROM variations
			UNION ALL SELECT external_product_id, ctid, xmin, xmax FROM activities UNION ALL SELECT name, ctid, xmin, xmax FROM integrations) AS all_of_them`).Scan(&rows))
	return rows
}

func (b *slotBench) capacity(t *testing.T) (capacity int) {
	t.Helper()
	check(t, b.store.Pool().QueryRow(t.Context(), `SELECT capacity FROM variations`).Scan(&capacity))
	return capacity
}

func TestAnOptionIsAskedForSixtyDaysFromTodayInItsProductsZone(t *testing.T) {
	t.Parallel()
	b := setupSlots(t, "Europe/Lisbon", "Pacific/Auckland")
	b.at = time.Date(2026, 7, 1, 13, 0, 0, 0, time.UTC) // 2 July in the product's time zone
	b.pull(t)
	want := partnerapi.AvailabilityRequest{ProductID: "walk", OptionID: "morning", LocalDateStart: "2026-07-02", LocalDateEnd: "2026-08-31",
		Units: []partnerapi.UnitQuantity{{ID: "unit-adult", Quantity: 1}}}
	if fmt.Sprint(b.asked) != fmt.Sprint(want) {
		t.Errorf("want %+v, got %+v", want, b.asked)
	}
	text, err := json.Marshal(b.asked)
	check(t, err)
	for _, problem := range schemas.Validate(schemas.AvailabilityRequest, text) {
		t.Error(problem)
	}
}

func TestAnOptionWithoutAdultsIsAskedWithItsFirstUnit(t *testing.T) {
	t.Parallel()
	b := setupSlots(t, "unit-adult", "unit-senior", "ADULT", "SENIOR")
	b.pull(t)
	if len(b.asked.Units) != 1 || b.asked.Units[0] != (partnerapi.UnitQuantity{ID: "unit-senior", Quantity: 1}) {
		t.Errorf("want one senior, got %+v", b.asked.Units)
	}
}

func TestAPullWritesTheSlotsThatDifferAndTouchesNoOther(t *testing.T) {
	t.Parallel()
	b := setupSlots(t)
	prices := `"unitPricing":[{"unitId":"unit-adult","unitType":null,"type":"ADULT","retail":2700,"currency":"EUR"}]`
	all := []string{slot("a", "2026-07-01"), slot("b", "2026-07-02", `"status":"FREESALE"`), slot("c", "2026-07-03", `"status":"LIMITED","vacancies":1e0,"capacity":30.0`, prices)}
	if made := b.pull(t, all...); made.Written != 3 || made.Closed != 0 || made.Slots != 3 || made.Late {
		t.Errorf("want three written, got %+v", made)
	}
	b.want(t, "a 07-01 AVAILABLE 8/10", "b 07-02 FREESALE ?/?", "c 07-03 LIMITED 1/30")
	if got := b.capacity(t); got != 30 {
		t.Errorf("want the largest known capacity, 30, got %d", got)
	}
	before := b.rows(t)
	slices.Reverse(all)
	if made := b.pull(t, all...); made.Written != 0 || made.Closed != 0 || made.Slots != 3 {
		t.Errorf("want nothing written where nothing differs, got %+v", made)
	}
	if after := b.rows(t); after != before {
		t.Errorf("want no row written, nor locked\nbefore %s\nafter  %s", before, after)
	}
	for i, other := range []string{
		slot("c", "2026-07-04", `"status":"LIMITED","vacancies":1,"capacity":30`, prices),
		slot("c", "2026-07-04", `"status":"SOLD_OUT","vacancies":1,"capacity":30`, prices),
		slot("c", "2026-07-04", `"status":"SOLD_OUT","capacity":30`, prices),
		slot("c", "2026-07-04", `"status":"SOLD_OUT","capacity":20`, prices),
		slot("c", "2026-07-04", `"status":"SOLD_OUT","capacity":20`, strings.Replace(prices, "2700", "2800", 1)),
		slot("c", "2026-07-04", `"status":"SOLD_OUT","capacity":20,"unitPricing":[]`),
		slot("c", "2026-07-04", `"status":"SOLD_OUT","capacity":20`),
	} {
		all[0] = other
		before := strings.Fields(b.rows(t))
		if made := b.pull(t, all...); made.Written != 1 {
			t.Errorf("change %d: want one written, got %+v", i, made)
		}
		after := strings.Fields(b.rows(t))
		for row := range before {
			if id := before[row][0]; id != 'c' && id != 'm' && before[row] != after[row] { // the option "morning" has the capacity
				t.Errorf("change %d: want no other row written, got %s and %s", i, before[row], after[row])
			}
		}
	}
	b.want(t, "a 07-01 AVAILABLE 8/10", "b 07-02 FREESALE ?/?", "c 07-04 SOLD_OUT ?/20")
	if got := b.capacity(t); got != 20 {
		t.Errorf("want the capacity to follow, 20, got %d", got)
	}
}

func TestASlotOfTheWindowThatIsGoneIsClosedUntilItComesBack(t *testing.T) {
	t.Parallel()
	b := setupSlots(t)
	b.pull(t, slot("a", "2026-07-01"), slot("b", "2026-07-02"))
	b.notify(t, b.at, "far", "2026-12-01", `"status":"AVAILABLE"`)
	if made := b.pull(t, slot("b", "2026-07-02")); made.Closed != 1 || made.Written != 0 {
		t.Errorf("want one closed, got %+v", made)
	}
	b.want(t, "a 07-01 CLOSED 8/10", "b 07-02 AVAILABLE 8/10", "far 12-01 AVAILABLE ?/?")
	if made := b.pull(t, slot("b", "2026-07-02")); made.Closed != 0 {
		t.Errorf("want it closed once, got %+v", made)
	}
	b.pull(t, slot("a", "2026-07-01"), slot("b", "2026-07-02"))
	b.want(t, "a 07-01 AVAILABLE 8/10", "b 07-02 AVAILABLE 8/10", "far 12-01 AVAILABLE ?/?")
	b.at = b.at.AddDate(0, 0, 1)
	if made := b.pull(t); made.Closed != 1 {
		t.Errorf("want that of today closed, and that of yesterday left, got %+v", made)
	}
	b.want(t, "a 07-01 AVAILABLE 8/10", "b 07-02 CLOSED 8/10", "far 12-01 AVAILABLE ?/?")
}

func TestABadSlotIsSetAsideAndIsNotGone(t *testing.T) {
	t.Parallel()
	b := setupSlots(t)
	b.pull(t, slot("a", "2026-07-01"), slot("b", "2026-07-02"), slot("moved", "2026-07-03"))
	made := b.pull(t, slot("a", "2026-07-01", `"status":"OPEN"`), slot("moved", "2026-09-30"), slot("c", "2026-07-04"), slot("c", "2026-07-04"))
	if made.Slots != 1 || len(made.SetAside) != 3 || made.Closed != 2 {
		t.Errorf("want one stored, three set aside and two closed, got %+v", made)
	}
	for i, want := range []struct{ id, pointer string }{{"a", "/0/status"}, {"moved", "/1/localDateTimeStart"}, {"c", "/3/id"}} {
		if i < len(made.SetAside) && (made.SetAside[i].SlotID != want.id || made.SetAside[i].Problems[0].Pointer != want.pointer) {
			t.Errorf("want %s set aside for %s, got %+v", want.id, want.pointer, made.SetAside[i])
		}
	}
	b.want(t, "a 07-01 AVAILABLE 8/10", "b 07-02 CLOSED 8/10", "moved 07-03 CLOSED 8/10", "c 07-04 AVAILABLE 8/10")
	if made := b.pull(t, slot("c", "2026-07-04", `"status":"AVAILABLE","more":"`+strings.Repeat("x", 64<<10)+`"`)); made.Closed != 1 || len(made.SetAside) != 1 {
		t.Errorf("want a closed, and c kept where it is too large, got %+v", made)
	}
	if made := b.pull(t, `{"id":17}`); made.Closed != 0 || len(made.SetAside) != 1 {
		t.Errorf("want nothing closed where one may be any of them, got %+v", made)
	}
}

func TestAnAnswerThatIsNoArrayOfSlotsChangesNothing(t *testing.T) {
	t.Parallel()
	b := setupSlots(t)
	b.pull(t, slot("a", "2026-07-01"))
	before := b.rows(t)
	for _, body := range []string{
		"", "null", "{}", `{"slots":[]}`, "17", "[", `[{"id":"a"`, "[] []", "[1 2]", "[\xff]", "<html>", `["\ud800`,
		"[" + strings.TrimSuffix(strings.Repeat("0,", 20_001), ",") + "]",
		strings.Repeat("[", 1<<20),
	} {
		b.body, b.at = body, b.at.Add(time.Minute)
		if made, err := b.Pull(t.Context(), b.target, b.option); err == nil {
			t.Errorf("%.60s: want it refused, got %+v", body, made)
		}
	}
	if after := b.rows(t); after != before {
		t.Errorf("want no row written\nbefore %s\nafter  %s", before, after)
	}
	if options, err := b.store.Catalog.OptionsToPull(t.Context(), b.target.ID, b.at, uuid.Nil, 10); err != nil || len(options) != 1 {
		t.Errorf("want the option still to be pulled, got %v, %v", options, err)
	}
}

func TestOptionsThatWereNotPulledSinceAreDue(t *testing.T) {
	t.Parallel()
	of := setup(t)
	of.sync(t, catalog.Full, product("a"), product("b"), product("c"), product("gone"))
	of.sync(t, catalog.Full, product("a"), product("b"), product("c"))
	asked := of.now()
	list := func(after uuid.UUID, most int) (ids []string) {
		t.Helper()
		options, err := of.store.Catalog.OptionsToPull(t.Context(), of.target.ID, asked, after, most)
		check(t, err)
		for _, o := range options {
			ids = append(ids, o.VariationID.String())
			if o.Option.ID != "morning" || o.TimeZone != "Europe/Lisbon" || len(o.Option.Units) != 2 || o.ProductID == "gone" {
				t.Errorf("want an option of the catalog, whole, got %+v", o)
			}
		}
		return ids
	}
	all := list(uuid.Nil, 10)
	if len(all) != 3 || !slices.IsSorted(all) {
		t.Fatalf("want three in the order of their ids, got %v", all)
	}
	if got := append(list(uuid.Nil, 2), list(uuid.MustParse(all[1]), 2)...); !slices.Equal(got, all) {
		t.Errorf("want %v in slices, got %v", all, got)
	}
	options, err := of.store.Catalog.OptionsToPull(t.Context(), of.target.ID, asked, uuid.Nil, 1)
	check(t, err)
	if _, err := catalog.NewSlotPuller(of.store.Catalog, answers(func(partnerapi.AvailabilityRequest) string { return "[]" }), of.now).Pull(t.Context(), of.target, options[0]); err != nil {
		t.Fatal(err)
	}
	if got := list(uuid.Nil, 10); !slices.Equal(got, all[1:]) {
		t.Errorf("want %v left, got %v", all[1:], got)
	}
	if asked = of.now(); len(list(uuid.Nil, 10)) != 3 {
		t.Errorf("want all of them when they are asked for again, got %v", list(uuid.Nil, 10))
	}
}

func TestSlotsOfThePastAreDeletedAFewAtATime(t *testing.T) {
	t.Parallel()
	b := setupSlots(t)
	b.pull(t, slot("a", "2026-07-01"), slot("b", "2026-07-01"), slot("c", "2026-07-02"), slot("d", "2026-07-03"))
	before := time.Date(2026, 7, 3, 0, 0, 0, 0, time.UTC)
	for _, want := range []int64{2, 1, 0} {
		if got, err := b.store.Catalog.DeletePastSlots(t.Context(), before, 2); err != nil || got != want {
			t.Errorf("want %d deleted, got %d, %v", want, got, err)
		}
	}
	b.want(t, "d 07-03 AVAILABLE 8/10")
}

func TestALargeAnswerIsRefusedAndALargeSlotSetAside(t *testing.T) {
	t.Parallel()
	of := setup(t)
	of.sync(t, catalog.Full, product("walk"))
	options, err := of.store.Catalog.OptionsToPull(t.Context(), of.target.ID, of.now(), uuid.Nil, 1)
	if err != nil || len(options) != 1 {
		t.Fatalf("want an option, got %v, %v", options, err)
	}
	puller := catalog.NewSlotPuller(of.store.Catalog, of.client, of.now)
	of.body.Store(`[{"id":"` + strings.Repeat("x", 17<<20) + `"}]`)
	if made, err := puller.Pull(t.Context(), of.target, options[0]); domain.CodeOf(err) != domain.PartnerFailed || !strings.Contains(err.Error(), "exceeds 16 MiB") {
		t.Errorf("want it refused, got %+v, %v", made, err)
	}
	of.body.Store(`[{"id":"s","more":[` + strings.Repeat("0,", 1<<17) + `0]},` + slot("good", "2026-07-02") + `]`)
	made, err := puller.Pull(t.Context(), of.target, options[0])
	if err != nil || made.Written != 1 || len(made.SetAside) != 1 || made.SetAside[0].SlotID != "s" {
		t.Errorf("want one stored and one set aside, got %+v, %v", made, err)
	}
}
