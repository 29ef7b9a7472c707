package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestAnUnknownQueryParameterIsRefused(t *testing.T) {
	t.Parallel()
	b := shared(t)
	reseller, operator := b.signIn(t, domain.Reseller), b.signIn(t, domain.Operator)
	for path, c := range map[string]struct {
		who  header
		says string
	}{
		"/api/v1/resellers/bookings?statsu=HELD":                      {reseller, `statsu: unknown query parameter (did you mean status?)`},
		"/api/v1/resellers/bookings?reseller_id=x":                    {reseller, `reseller_id: unknown query parameter`},
		"/api/v1/resellers/activities?curency=USD":                    {reseller, `curency: unknown query parameter (did you mean currency?)`},
		"/api/v1/resellers/activities?zzzzzzzzzzz":                    {reseller, `zzzzzzzzzzz: unknown query parameter: this endpoint takes currency, language, q,`},
		"/api/v1/operator/overview?page=1":                            {operator, `page: unknown query parameter: this endpoint takes no query parameters`},
		"/api/v1/operator/accounts?%70age=1&rol%65=partner&Limit=1":   {operator, `Limit: unknown query parameter (did you mean limit?)`},
		"/api/v1/operator/bookings/" + uuid.NewString() + "?curs=%FF": {operator, `curs: unknown query parameter`},
	} {
		wantProblem(t, b.do(t, "GET", path, "", c.who), 400, c.says)
	}
	long := "?" + strings.Repeat("a", 5000) + "=1" + strings.Repeat("&b=1", 500)
	a := b.do(t, "GET", "/api/v1/resellers/bookings"+long, "", reseller)
	wantProblem(t, a, 400)
	if len(a.body) > 8000 {
		t.Errorf("want a short answer, got %d bytes", len(a.body))
	}
	wantProblem(t, b.do(t, "POST", "/api/v1/operator/accounts?dry_run=true", "{}", operator), 400, "dry_run: unknown query parameter")
	wantProblem(t, b.do(t, "POST", "/api/v1/partner-integrations/x/sync/trigger?anything=1", ""), 400, "x-webhook-secret")
}

// readAllPages reads all pages of a list by the cursors in its answers.
func (b *bench) readAllPages(t *testing.T, path string, who header, id string) (ids []string, pages int) {
	t.Helper()
	for next := path; ; {
		a := b.do(t, "GET", next, "", who)
		var body struct {
			Data       []map[string]any
			Pagination struct {
				Page, TotalCount *int
				NextCursor       *string `json:"next_cursor"`
			}
		}
		if err := json.Unmarshal(a.body, &body); err != nil || a.StatusCode != 200 {
			t.Fatalf("%s: want a page, got %d %s", next, a.StatusCode, a.body)
		}
		for _, one := range body.Data {
			ids = append(ids, fmt.Sprint(one[id]))
		}
		pages++
		if first := pages == 1; (body.Pagination.Page != nil) != first || (body.Pagination.TotalCount != nil) != first {
			t.Errorf("want entries counted on the first page alone, got %s", a.body)
		}
		if body.Pagination.NextCursor == nil {
			return ids, pages
		}
		next = path + "&cursor=" + url.QueryEscape(*body.Pagination.NextCursor)
	}
}

func TestEveryListCanBeReadByItsCursors(t *testing.T) {
	t.Parallel()
	b, made := newStockedBench(t)
	reseller, operator, affiliate := b.signIn(t, domain.Reseller), b.signIn(t, domain.Operator), b.signIn(t, domain.Affiliate)
	b.fill(t, 5)
	for path, c := range map[string]struct {
		who  header
		id   string
		many int
	}{
		"/api/v1/resellers/activities?":                        {reseller, "_id", 8},
		"/api/v1/affiliates/activities?":                       {affiliate, "_id", 8},
		"/api/v1/resellers/bookings?":                          {reseller, "_id", 5},
		"/api/v1/operator/bookings?start_from=2026-01-01&":     {operator, "_id", 5},
		"/api/v1/affiliates/commissions?":                      {affiliate, "booking_id", 5},
		"/api/v1/operator/accounts?":                           {operator, "_id", 4},
		"/api/v1/operator/activities?":                         {operator, "_id", 8},
		"/api/v1/partner-integrations?":                        {operator, "integration_id", 1},
		"/api/v1/operator/integrations/" + made.ID + "/syncs?": {operator, "started_at", 1},
	} {
		t.Run(path, func(t *testing.T) {
			whole, pages := b.readAllPages(t, path+"limit=100", c.who, c.id)
			if len(whole) != c.many || pages != 1 {
				t.Fatalf("want %d on one page, got %d on %d", c.many, len(whole), pages)
			}
			parts, pages := b.readAllPages(t, path+"limit=2", c.who, c.id)
			if fmt.Sprint(parts) != fmt.Sprint(whole) || pages != (c.many+1)/2 {
				t.Errorf("want the same list by twos, %v, got %v on %d pages", whole, parts, pages)
			}
		})
	}
}

// fill stores that many confirmed bookings of the reseller, created at the same moment, with
// the affiliate's commissions.
func (b *bench) fill(t *testing.T, n int) {
	t.Helper()
	pgtest.Exec(t, b.store, `
		INSERT INTO bookings (id, version, account_id, integration_id, activity_id, variation_id, product_id, option_id, availability_id, zone, starts_at, ends_at, status, guests,
			currency, total, contact, reseller_reference, code, confirm_tries, release_tries, cancel_tries, cancel_reason, created_at, release, reason)
		SELECT gen_random_uuid(), 1, $1, a.integration_id, a.id, v.id, 'p', 'o', 's', 'UTC', '2026-07-10T09:30:00Z', '2026-07-10T10:30:00Z', 'RELEASED', '[]',
			'EUR', 10, '{"fullName":"Ana Sousa"}', 'R-' || n, 'H-' || n, 0, 0, 0, '', '2026-07-01T09:00:00Z', 'done', 'expired'
		FROM generate_series(1, $2) n, (SELECT * FROM variations ORDER BY id LIMIT 1) v JOIN activities a ON a.id = v.activity_id`, b.accounts[domain.Reseller].ID, n)
	pgtest.Exec(t, b.store, `INSERT INTO affiliate_commissions SELECT id, $1, 'EUR', 1, created_at FROM bookings`, b.accounts[domain.Affiliate].ID)
}

func TestABadCursorIsRefused(t *testing.T) {
	t.Parallel()
	b := shared(t)
	operator := b.signIn(t, domain.Operator)
	good := domain.Cursor{At: b.now(), ID: uuid.New()}.Text("/api/v1/operator/bookings")
	if a := b.do(t, "GET", "/api/v1/operator/bookings?cursor="+good, "", operator); a.StatusCode != 200 {
		t.Fatalf("want a good cursor taken, got %d %s", a.StatusCode, a.body)
	}
	swapped := []byte(good)
	swapped[9] ^= 1
	for query, says := range map[string]string{
		"cursor=":                      "cursor: expected the next_cursor",
		"cursor=x":                     "cursor: expected the next_cursor",
		"cursor=%00":                   "cursor: expected the next_cursor",
		"cursor=" + good + "A":         "cursor: expected the next_cursor",
		"cursor=" + good[:20]:          "cursor: expected the next_cursor",
		"cursor=" + string(swapped):    "cursor: expected the next_cursor",
		"cursor=" + good + "&page=2":   "cursor: use page or cursor, not both",
		"cursor=" + good + "&cursor=x": "cursor: expected one value",
		"page=101&limit=100":           "page: reaches only the first 10000 entries; continue with cursor",
		"page=2147483648":              "page: reaches only the first 10000 entries",
	} {
		wantProblem(t, b.do(t, "GET", "/api/v1/operator/bookings?"+query, "", operator), 400, says)
	}
	wantProblem(t, b.do(t, "GET", "/api/v1/operator/accounts?cursor="+good, "", operator), 400, "cursor: expected the next_cursor of this list")
	if a := b.do(t, "GET", "/api/v1/operator/bookings?page=100&limit=100", "", operator); a.StatusCode != 200 {
		t.Errorf("want the last page that has a number, got %d", a.StatusCode)
	}
}

func TestEveryMistakeInABookingsFilterIsNamed(t *testing.T) {
	t.Parallel()
	b := shared(t)
	operator := b.signIn(t, domain.Operator)
	for query, says := range map[string]string{
		"created_from=yesterday":                        "created_from: expected a date such as 2026-07-01, or a date and time",
		"start_to=2026-02-30":                           "start_to: expected a date",
		"start_to=2026-02-01T10:00:00":                  "start_to: expected a date",
		"created_from=2026-07-02&created_to=2026-07-01": "created_to: expected created_from, or later",
		"activity_id=17":                                "activity_id: expected",
		"integration_id=x&status=held":                  "status: expected one of",
		"reseller_id=" + uuid.NewString() + "&reseller=" + uuid.NewString(): "reseller: use either reseller or reseller_id",
		"reseller_reference=%00": "reseller_reference: expected UTF-8",
	} {
		wantProblem(t, b.do(t, "GET", "/api/v1/operator/bookings?"+query, "", operator), 400, says)
	}
	for _, query := range []string{"created_from=2026-07-01&created_to=2026-07-01", "start_from=2026-07-01T10:00:00+02:00", "start_to=2026-07-01T10:00:00Z", "q=%27%20%26%20%7C%3A%2A%21()", "q=Ana%20S"} {
		if a := b.do(t, "GET", "/api/v1/operator/bookings?"+query, "", operator); a.StatusCode != 200 {
			t.Errorf("%s: want it taken, got %d %s", query, a.StatusCode, a.body)
		}
	}
}
