package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/schemas"
)

// pullSlots registers a mock partner, syncs its catalog, pulls the slots of the first option,
// and returns them.
func (b *bench) pullSlots(t *testing.T) (registered, catalog.SlotOption, []domain.Slot) {
	t.Helper()
	_, address := aPartner(t)
	made := b.register(t, b.signIn(t, domain.Partner), address)
	b.trigger(t, made)
	id := uuid.MustParse(made.ID)
	i, err := b.store.Partners.Integration(t.Context(), id)
	must(t, err)
	options, err := b.store.Catalog.OptionsToPull(t.Context(), id, b.now(), uuid.Nil, 1)
	if err != nil || len(options) != 1 {
		t.Fatalf("want an option to pull, got %v, %v", options, err)
	}
	if _, err := catalog.NewSlotPuller(b.store.Catalog, b.Partners, b.now).Pull(t.Context(), partner.Target{ID: id, BaseURL: i.BaseURL, AuthKey: "partner-key"}, options[0]); err != nil {
		t.Fatal(err)
	}
	slots := b.slots(t, options[0])
	if len(slots) == 0 {
		t.Fatal("want slots")
	}
	return made, options[0], slots
}

func (b *bench) slots(t *testing.T, o catalog.SlotOption) []domain.Slot {
	t.Helper()
	slots, err := b.store.Storefront.Slots(t.Context(), []uuid.UUID{o.VariationID}, b.now().AddDate(-1, 0, 0), b.now().AddDate(1, 0, 0))
	must(t, err)
	return slots
}

func (b *bench) notify(t *testing.T, r registered, body string) answer {
	t.Helper()
	return b.do(t, "POST", "/api/v1/partner-integrations/"+r.ID+"/availability/notify", body, header{"x-webhook-secret", r.Secret})
}

// syncsAskedFor returns how often a background sync was requested.
func (b *bench) syncsAskedFor(t *testing.T, r registered) int {
	t.Helper()
	sync, err := b.store.Catalog.PendingSync(t.Context(), uuid.MustParse(r.ID))
	if err != nil && domain.CodeOf(err) != domain.NotFound {
		t.Fatal(err)
	}
	return int(sync.Number)
}

func wantUpdated(t *testing.T, a answer) {
	t.Helper()
	for _, problem := range schemas.Validate(schemas.AvailabilityNotifyAnswer, a.body) {
		t.Errorf("%d %s: %s", a.StatusCode, problem, a.body)
	}
	if a.StatusCode != http.StatusOK {
		t.Errorf("want 200, got %d", a.StatusCode)
	}
}

// news returns a notification about a slot, with further fields.
func news(product, option, slot string, start time.Time, more string) string {
	return fmt.Sprintf(`{"productId":%q,"optionId":%q,"availabilityId":%q,"localDateTimeStart":%q,%s}`, product, option, slot, start.Format(time.RFC3339), more)
}

func TestANotifiedSlotIsUpdatedImmediately(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, option, slots := b.pullSlots(t)
	before := slots[0]
	b.ahead.Add(int64(time.Minute))
	wantUpdated(t, b.notify(t, made, news(option.ProductID, option.Option.ID, before.ID, before.Start, `"status":"LIMITED","vacancies":3,"unitPricing":[{"unitId":"unit-adult","price":2700,"currency":"EUR"}]`)))
	after := b.slots(t, option)
	if len(after) != len(slots) {
		t.Fatalf("want the same slots, got %d and %d", len(slots), len(after))
	}
	got := after[0]
	if got.Status != "LIMITED" || *got.Vacancies != 3 || *got.Capacity != 3 || len(got.UnitPricing) != 1 || got.UnitPricing[0].Original != 2700 || !got.End.Equal(before.End) || !got.SentAt.Equal(b.now()) {
		t.Errorf("want the news, its vacancies as the capacity too, and the end as it was, got %+v", got)
	}
	wantUpdated(t, b.notify(t, made, news(option.ProductID, option.Option.ID, before.ID, before.Start.Add(time.Hour), `"status":"SOLD_OUT"`)))
	if got := b.slots(t, option)[0]; got.Status != "SOLD_OUT" || *got.Vacancies != 3 || *got.Capacity != 3 || got.UnitPricing == nil || !got.End.Equal(before.End.Add(time.Hour)) {
		t.Errorf("want only the status and the times changed, got %+v", got)
	}
	if n := b.syncsAskedFor(t, made); n != 0 {
		t.Errorf("want no sync asked for, got %d", n)
	}
}

func TestANewSlotIsStoredImmediately_WithItsEndOrWithout(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, option, slots := b.pullSlots(t)
	start := slots[len(slots)-1].Start.AddDate(0, 0, 1)
	wantUpdated(t, b.notify(t, made, news(option.ProductID, option.Option.ID, "new", start, `"status":"AVAILABLE","capacity":70000`)))
	wantUpdated(t, b.notify(t, made, news(option.ProductID, option.Option.ID, "with an end", start, fmt.Sprintf(`"status":"AVAILABLE","localDateTimeEnd":%q`, start.Add(time.Minute).Format(time.RFC3339)))))
	ends := map[string]time.Time{}
	for _, slot := range b.slots(t, option) {
		ends[slot.ID] = slot.End
	}
	if !ends["new"].IsZero() || !ends["with an end"].Equal(start.Add(time.Minute)) {
		t.Errorf("want no end, and one after a minute, got %s and %s", ends["new"], ends["with an end"])
	}
	var activity uuid.UUID
	must(t, b.store.Pool().QueryRow(t.Context(), `SELECT activity_id FROM variations WHERE id = $1`, option.VariationID).Scan(&activity))
	var shown []client.Slot
	date := slots[len(slots)-1].LocalDate.AddDate(0, 0, 1).Format(time.DateOnly)
	a := b.do(t, "GET", fmt.Sprintf("/api/v1/resellers/activities/%s/variations/%s/availability?date=%s", activity, option.VariationID, date), "", b.signIn(t, domain.Reseller))
	a.data(t, &shown)
	at := slices.IndexFunc(shown, func(s client.Slot) bool { return s.AvailabilityID == "new" })
	if at < 0 || shown[at].End != nil || !shown[at].Bookable {
		t.Errorf("want a bookable slot whose end is null, got %s", a.body)
	}
	if n := b.syncsAskedFor(t, made); n != 0 {
		t.Errorf("want no sync asked for, got %d", n)
	}
	wantUpdated(t, b.notify(t, made, news(option.ProductID, option.Option.ID, "new", start.Add(time.Hour), `"status":"LIMITED"`)))
	if moved := b.slots(t, option); !moved[len(moved)-1].End.IsZero() || !moved[len(moved)-1].Start.Equal(start.Add(time.Hour)) {
		t.Errorf("want a moved slot still without an end, got %+v", moved[len(moved)-1])
	}
	var capacity int
	if err := b.store.Pool().QueryRow(t.Context(), `SELECT capacity FROM variations WHERE id = $1`, option.VariationID).Scan(&capacity); err != nil || capacity != 70000 {
		t.Errorf("want the variation's capacity to be its largest slot's, 70000, got %d, %v", capacity, err)
	}
}

func TestANotificationOfAnUnknownSlotRequestsASyncAndGetsTheSameAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, option, slots := b.pullSlots(t)
	start := slots[0].Start
	pgtest.Exec(t, b.store, `UPDATE variations SET partner_active = false WHERE id <> $1`, option.VariationID)
	var product, gone string
	if err := b.store.Pool().QueryRow(t.Context(), `
		SELECT external_product_id, external_option_id FROM variations v JOIN activities a ON a.id = v.activity_id WHERE NOT v.partner_active LIMIT 1`).Scan(&product, &gone); err != nil {
		t.Fatal(err)
	}
	for i, body := range []string{
		news("other", option.Option.ID, slots[0].ID, start, `"status":"CLOSED"`),
		news(option.ProductID, "other", slots[0].ID, start, `"status":"CLOSED"`),
		news(product, gone, "s", start, `"status":"AVAILABLE"`), // it has left the catalog
	} {
		wantUpdated(t, b.notify(t, made, body))
		if n := b.syncsAskedFor(t, made); n != i+1 {
			t.Errorf("%s: want a sync asked for each time, got %d", body, n)
		}
	}
	if after := b.slots(t, option); after[0].Status != slots[0].Status || len(after) != len(slots) {
		t.Errorf("want the slots left alone, got %+v", after[0])
	}
}

func TestAnotherPartnersOptionIsNotKnown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, option, slots := b.pullSlots(t)
	stranger := b.register(t, b.signIn(t, domain.Operator), "https://other.example")
	wantUpdated(t, b.notify(t, stranger, news(option.ProductID, option.Option.ID, slots[0].ID, slots[0].Start, `"status":"CLOSED"`)))
	if after := b.slots(t, option)[0]; after.Status != slots[0].Status {
		t.Errorf("want it left alone, got %+v", after)
	}
}

func TestANotificationIsRefusedWithEveryFieldThatIsWrong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, _, slots := b.pullSlots(t)
	path := "/api/v1/partner-integrations/" + made.ID + "/availability/notify"
	wantProblem(t, b.do(t, "POST", path, "{"), 400, "the header x-webhook-secret is missing")
	wantProblem(t, b.do(t, "POST", path, "{", header{"x-webhook-secret", strings.Repeat("0", 64)}), 401, "unauthorized access")
	for body, words := range map[string][]string{
		"":   {"productId: missing", "optionId: missing", "availabilityId: missing", "localDateTimeStart: missing", "status: missing"},
		"{}": {"productId: missing", "optionId: missing", "availabilityId: missing", "localDateTimeStart: missing", "status: missing"},
		`{"productId":"","optionId":17,"availabilityId":null,"localDateTimeStart":"2026-07-01","status":"OPEN","vacancies":-1,"capacity":1.5,"unitPricing":{}}`: {
			"productId: expected", "optionId: expected", "availabilityId: expected", "localDateTimeStart: expected a date-time", "status: expected one of", "vacancies: expected", "capacity: expected", "unitPricing: expected"},
		"[]": {"expected an object"},
		"{":  {"cut off"},
		news("p", "o", "s", slots[0].Start, `"status":"CLOSED"`) + "{}":                           {"more after its end"},
		strings.Replace(news("p", "o", "?", slots[0].Start, `"status":"CLOSED"`), "?", "\xff", 1): {"UTF-8"},
		"\xff": {"UTF-8"},
		news("p", "o", strings.Repeat("s", 1001), slots[0].Start, `"status":"CLOSED","vacancies":2147483648`):                            {"availabilityId: expected at most 1,000 bytes", "vacancies: expected a number of seats, an integer from 0 to 2147483647"},
		`{"productId":"p","optionId":"o\u0000","availabilityId":"s","localDateTimeStart":"2026-07-01T09:00:00Z","status":"CLOSED"}`:      {"optionId: expected at most 1,000 bytes, without NUL"},
		news("p", "o", "s", slots[0].Start, fmt.Sprintf(`"status":"CLOSED","localDateTimeEnd":%q`, slots[0].Start.Format(time.RFC3339))): {"localDateTimeEnd: expected an end after the start"},
		news("p", "o", "s", slots[0].Start, `"status":"CLOSED","unitPricing":[{"unitId":"u","currency":"EUR","price":1e30}]`):            {"unitPricing[0].price: expected an integer"},
		`{"productId":"p","optionId":"o","availabilityId":"s","localDateTimeStart":"99999-07-01T09:00:00Z","status":"CLOSED"}`:           {"localDateTimeStart: expected a date-time"},
		`{"productId":"p","optionId":"o","availabilityId":"s","localDateTimeStart":"0000-01-01T00:00:00Z","status":"CLOSED"}`:            {"localDateTimeStart: expected a year"},
	} {
		wantProblem(t, b.notify(t, made, body), 400, words...)
	}
	wantProblem(t, b.do(t, "POST", path, "{}", header{"x-webhook-secret", made.Secret}, header{"Content-Type", "text/plain"}), 415)
	if n := b.syncsAskedFor(t, made); n != 0 {
		t.Errorf("want no sync asked for, got %d", n)
	}
}

func TestAnIntegrationShowsHowManySlotsAreLoadedAndTheirProblems(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, option, _ := b.pullSlots(t)
	b.ahead.Add(int64(time.Minute))
	window := catalog.Window{Zone: time.UTC, From: b.now(), To: b.now()}
	answer, err := catalog.ReadSlots(t.Context(), []byte(`[{"id":"s-1"}]`), window)
	must(t, err)
	if _, err := b.store.Catalog.StoreSlots(t.Context(), catalog.SlotPull{
		VariationID: option.VariationID, SentAt: b.now(), PulledSlots: &catalog.PulledSlots{Answer: answer, Read: []catalog.Window{window}, Skipped: []time.Time{}},
	}); err != nil {
		t.Fatal(err)
	}
	var view client.Integration
	b.do(t, "GET", "/api/v1/partner-integrations/"+made.ID, "", b.signIn(t, domain.Partner)).data(t, &view)
	got := view.Slots
	if got.Options < 8 || got.Pulled != 1 || !got.OldestPullAt.Equal(b.now()) || len(got.SetAside) != 1 {
		t.Fatalf("want one of many options pulled now, and a slot set aside, got %+v", got)
	}
	if aside := got.SetAside[0]; aside.ProductID != option.ProductID || aside.OptionID != option.Option.ID || aside.AvailabilityID != "s-1" || aside.Problems[0].Pointer != "/0/localDateTimeEnd" {
		t.Errorf("want the slot that is wrong and where, got %+v", aside)
	}
}
