package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// newShopBench is a service with four activities for 10 to 40 EUR, which have one slot each: "b" on
// Saturday 2026-07-04, "d" and "a" on Sunday, and "c" on Saturday, sold out.
func newShopBench(t *testing.T) (*bench, header) {
	t.Helper()
	b, made := newStockedBench(t)
	pgtest.Exec(t, b.store, `UPDATE activities SET operator_active = false`)
	for n, s := range []struct{ title, date, status string }{
		{"b", "2026-07-04", "LIMITED"}, {"d", "2026-07-05", "AVAILABLE"}, {"a", "2026-07-05", "FREESALE"}, {"c", "2026-07-04", "SOLD_OUT"},
	} {
		pgtest.Exec(t, b.store, `
			WITH made AS (
				INSERT INTO activities (id, integration_id, external_product_id, created_at, title, product, product_hash, partner_active, operator_active, details)
				VALUES (gen_random_uuid(), $1, $2, $3::timestamptz + $4 * interval '1 s', $2, '{"timeZone": "Europe/Lisbon"}', sha256('x'), true, true, '{}') RETURNING id),
			v AS (
				INSERT INTO variations (id, activity_id, external_option_id, sort, title, option, option_hash, partner_active, details)
				SELECT gen_random_uuid(), id, 'o', 1, 'By ' || $2 || '-boat', jsonb_build_object('id', 'o', 'availabilityType', 'START_TIME', 'units', jsonb_build_array(jsonb_build_object(
					'id', 'unit-adult', 'type', 'ADULT', 'internalName', 'Adult', 'pricingFrom', jsonb_build_array(jsonb_build_object('original', 1000 * ($4 + 1), 'currency', 'EUR'))))), sha256('x'), true, '{}'
				FROM made RETURNING id)
			INSERT INTO slots (variation_id, availability_id, local_date, starts_at, ends_at, status, news_at)
			SELECT id, 's', $5::text::date, $5::text::date + interval '10 h', $5::text::date + interval '11 h', $6, $3 FROM v`, made.ID, s.title, b.now(), n, s.date, s.status)
	}
	b.do(t, "PUT", "/api/v1/operator/pricing", `{"service_fee":0}`, b.signIn(t, domain.Operator)) // readers see what was stored before its answer
	return b, b.signIn(t, domain.Reseller)
}

func titles(activities []client.AffiliateActivity) string {
	var all []string
	for _, a := range activities {
		all = append(all, a.Title)
	}
	return strings.Join(all, " ")
}

func TestAShopAsksWhatIsOnSaturdayAndForHowMuch(t *testing.T) {
	t.Parallel()
	b, reseller := newShopBench(t)
	for query, want := range map[string]string{
		"":             "b d a c",
		"sort=created": "b d a c",
		"sort=title":   "a b c d",
		"sort=price":   "b d a c",
		"date_from=2026-07-04&date_to=2026-07-04":                   "b",
		"date_from=2026-07-04&date_to=2026-07-05&sort=title":        "a b d",
		"date_to=2026-07-04":                                        "b",
		"date_from=2026-07-05":                                      "d a",
		"date_from=2026-07-06":                                      "",
		"date_from=2020-01-01&date_to=2020-12-31":                   "",
		"currency=EUR&min_price=20":                                 "d a c",
		"currency=EUR&max_price=30":                                 "b d a",
		"currency=USD&min_price=25&max_price=37.50":                 "d a",
		"currency=EUR&min_price=20.01&max_price=29.99":              "",
		"currency=EUR&max_price=20&date_from=2026-07-05&sort=price": "d",
		"sort=next_date":                                            "b d a c",
		"q=a-boat":                                                  "a",
		"q=boat&sort=title&currency=JPY&min_price=3200":             "a c d",
	} {
		if p := b.list(t, resellersList+"?"+query, reseller); titles(p.Data) != want || p.Pagination.TotalCount != len(strings.Fields(want)) {
			t.Errorf("%s: want %q, got %q of %d", query, want, titles(p.Data), p.Pagination.TotalCount)
		}
	}
	if p := b.list(t, affiliatesList+"?sort=title&date_from=2026-07-05", b.signIn(t, domain.Affiliate)); titles(p.Data) != "a d" {
		t.Errorf("want an affiliate to ask like a reseller, got %q", titles(p.Data))
	}
}

func TestEveryMistakeInAShopsQuestionIsNamed(t *testing.T) {
	t.Parallel()
	b := shared(t)
	reseller := b.signIn(t, domain.Reseller)
	for query, says := range map[string]string{
		"date_from=saturday":                       "date_from: expected a date such as 2026-07-01",
		"date_to=2026-02-30":                       "date_to: expected a date",
		"date_from=2026-07-02&date_to=2026-07-01":  "date_to: must not be before date_from",
		"min_price=1":                              "min_price: requires currency",
		"max_price=1":                              "max_price: requires currency",
		"currency=EUR&min_price=-1":                "min_price: expected an amount such as 25.50",
		"currency=EUR&max_price=1e9999999":         "max_price: expected an amount",
		"currency=EUR&max_price=":                  "max_price: expected an amount",
		"currency=EUR&min_price=2&max_price=1.99":  "max_price: must not be below min_price",
		"sort=-price":                              "sort: expected one of created, price, title, next_date",
		"sort=Title":                               "sort: expected one of",
		"sort=title&sort=price":                    "sort: expected one value",
		"from=2026-07-01":                          "from: unknown query parameter",
		"date_form=2026-07-01":                     "did you mean date_from?",
		"currency=CHF&max_price=10&date_to=2026-7": "date_to: expected a date",
	} {
		wantProblem(t, b.do(t, "GET", resellersList+"?"+query, "", reseller), 400, says)
	}
}

func TestACursorReadsOnInTheOrderOfItsQuestionAndInNoOther(t *testing.T) {
	t.Parallel()
	b, reseller := newShopBench(t)
	for question, want := range map[string]string{
		"sort=title": "a b c d", "sort=price&currency=JPY": "b d a c", "sort=next_date": "b d a c", "date_from=2026-07-05&sort=title": "a d", "q=boat": "b d a c", "": "b d a c",
	} {
		ids, pages := b.readAllPages(t, resellersList+"?limit=1&"+question, reseller, "activity_title")
		if got := strings.Join(ids, " "); got != want || pages != len(ids) {
			t.Errorf("%s: want %s one by one, got %s on %d pages", question, want, got, pages)
		}
		cursor := func() string {
			return "&cursor=" + url.QueryEscape(b.list(t, resellersList+"?limit=1&"+question, reseller).Pagination.NextCursor)
		}()
		for _, other := range []string{"sort=title&q=b", "sort=price&currency=EUR", "date_from=2026-07-03", "currency=EUR&min_price=1", "city=Lisbon", "sort=title&language=pt"} {
			wantProblem(t, b.do(t, "GET", resellersList+"?"+other+cursor, "", reseller), 400, "cursor: expected the next_cursor of the same filters and sort")
		}
		if a := b.do(t, "GET", resellersList+"?limit=7&"+question+cursor, "", reseller); a.StatusCode != 200 {
			t.Errorf("%s: want another limit taken, got %d %s", question, a.StatusCode, a.body)
		}
	}
}

// A cursor is the place of an activity in the order, so what changes elsewhere moves nothing.
func TestACursorStaysInItsPlaceWhileActivitiesComeAndGo(t *testing.T) {
	t.Parallel()
	b, reseller := newShopBench(t)
	const question = "?sort=title&limit=2"
	first := b.list(t, resellersList+question, reseller)
	operator := b.signIn(t, domain.Operator)
	for id, body := range map[string]string{first.Data[0].ID: `{"activity_title":"z"}`, first.Data[1].ID: `{"status":"Inactive"}`} {
		b.do(t, "PATCH", "/api/v1/operator/activities/"+id, body, operator)
	}
	rest := b.list(t, resellersList+question+"&cursor="+url.QueryEscape(first.Pagination.NextCursor), reseller)
	if titles(rest.Data) != "c d" || rest.Pagination.NextCursor == "" {
		t.Errorf("want c and d, then the renamed one, got %q, %+v", titles(rest.Data), rest.Pagination)
	}
}

// A notified slot and a booked one are in the answer to the next question.
func TestAQuestionIsAnsweredFromTheNewestSlots(t *testing.T) {
	t.Parallel()
	b, made := newStockedBench(t)
	reseller := b.signIn(t, domain.Reseller)
	var product, option string
	must(t, b.store.Pool().QueryRow(t.Context(), `SELECT a.external_product_id, v.external_option_id FROM activities a JOIN variations v ON v.activity_id = a.id ORDER BY 1, 2 LIMIT 1`).Scan(&product, &option))
	for _, status := range []string{"AVAILABLE", "SOLD_OUT", "LIMITED", "CLOSED"} {
		body := fmt.Sprintf(`{"productId":%q,"optionId":%q,"availabilityId":"notified","localDateTimeStart":"2027-03-01T10:00:00+00:00","status":%q,"vacancies":3}`, product, option, status)
		if a := b.do(t, "POST", "/api/v1/partner-integrations/"+made.ID+"/availability/notify", body, header{"x-webhook-secret", made.Secret}); a.StatusCode != 200 {
			t.Fatalf("want the notification taken, got %d %s", a.StatusCode, a.body)
		}
		found := b.list(t, resellersList+"?date_from=2027-02-28&date_to=2027-03-02", reseller).Data
		if bookable := slices.Contains([]string{"AVAILABLE", "LIMITED"}, status); (len(found) == 1) != bookable {
			t.Errorf("%s: want it found only if it can be booked, got %d activities", status, len(found))
		}
	}
}
