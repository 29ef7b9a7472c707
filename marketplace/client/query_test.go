package client

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
)

// questions collects the queries that a client sends to a marketplace which accepts every
// sign-in and is empty.
type questions struct{ asked []*http.Request }

func (q *questions) RoundTrip(r *http.Request) (*http.Response, error) {
	q.asked = append(q.asked, r)
	status, body := http.StatusNotFound, "{}"
	if strings.HasSuffix(r.URL.Path, "/login") {
		status, body = http.StatusOK, `{"success":1,"data":{"access_token":"a","token_type":"Bearer","expires_in":900,"refresh_token":"r"}}`
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func TestEveryQueryHasEveryParameterOfTheAPI(t *testing.T) {
	t.Parallel()
	document, err := description()
	errtest.Check(t, err)
	w := &questions{}
	c, err := connect("http://marketplace.test", Password("ana@example.com", "hush"), Options{HTTP: &http.Client{Transport: w}})
	errtest.Check(t, err)
	ctx, shop, affiliate, operator := t.Context(), &Reseller{account{c}}, &Affiliate{account{c}}, &Operator{Partner{account{c}}}
	day := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	every := ActivityQuery{Currency: "USD", Language: "pt", Words: "w", Category: "c", Country: "PT", City: "Lisbon", DateFrom: "2026-07-04", DateTo: "2026-07-05", MinPrice: "20", MaxPrice: "59.5", Sort: ByPrice}
	bookings := BookingQuery{
		Status: Held, ActivityID: "a", ResellerReference: "r", Words: "w", CreatedFrom: day, CreatedTo: day, StartFrom: day, StartTo: day,
		Attention: true, Reason: LatePayment, IntegrationID: "i", ResellerID: "r", Mode: "test",
	}
	_, _ = shop.Activities(every).Page(ctx, 1, 1)
	_, _ = shop.Activities(every).After(ctx, "c", 1)
	_, _ = shop.Activity(ctx, "a", every)
	_, _ = shop.Calendar(ctx, CalendarQuery{ActivityID: "a", VariationID: "v", From: "2026-07-01", To: "2026-07-02", Currency: "USD"})
	_, _ = shop.ActivityCalendar(ctx, CalendarQuery{ActivityID: "a", From: "2026-07-01", To: "2026-07-02", Currency: "USD"})
	_, _ = shop.Slots(ctx, SlotsQuery{ActivityID: "a", VariationID: "v", Date: "2026-07-01", Currency: "USD"})
	_, _ = shop.Bookings(bookings).Page(ctx, 1, 1)
	_, _ = shop.Bookings(bookings).After(ctx, "c", 1)
	_, _ = affiliate.Activities(every).Page(ctx, 1, 1)
	_, _ = affiliate.Activities(every).After(ctx, "c", 1)
	_, _ = affiliate.Commissions().Page(ctx, 1, 1)
	_, _ = affiliate.Commissions().After(ctx, "c", 1)
	_, _ = operator.Accounts(AccountQuery{Role: ResellerRole, Words: "w"}).Page(ctx, 1, 1)
	_, _ = operator.Accounts(AccountQuery{Role: ResellerRole, Words: "w"}).After(ctx, "c", 1)
	_, _ = operator.Activities(OperatorActivityQuery{Words: "w", Status: Active, IntegrationID: "i", Mode: "test"}).Page(ctx, 1, 1)
	_, _ = operator.Activities(OperatorActivityQuery{Words: "w", Status: Active, IntegrationID: "i", Mode: "test"}).After(ctx, "c", 1)
	_, _ = operator.PreviewPrices(ctx, "a", PriceQuery{Surcharge: "10", Discount: "5", VariationID: "v", GroupPrice: "100", GroupPriceCurrency: "EUR", Currency: "USD"})
	_, _ = operator.Bookings(bookings).Page(ctx, 1, 1)
	_, _ = operator.Bookings(bookings).After(ctx, "c", 1)
	_, _ = operator.Syncs("i").Page(ctx, 1, 1)
	_, _ = operator.Syncs("i").After(ctx, "c", 1)
	_, _ = operator.Integrations(IntegrationQuery{"test", "walks"}).Page(ctx, 1, 1)
	_, _ = operator.Integrations(IntegrationQuery{"test", "walks"}).After(ctx, "c", 1)

	asked := map[string][]string{}
	for _, r := range w.asked {
		if op, _ := document.Find(r.Method, r.URL.EscapedPath()); op != nil {
			for name := range r.URL.Query() {
				asked[op.ID] = append(asked[op.ID], name)
			}
		}
	}
	for _, op := range document.Operations() {
		var wanted []string
		for _, p := range op.Parameters {
			if p.In == "query" && covers(op) && !slices.Contains(onlyTypes, op.ID) && p.Name != "reseller" { // reseller is another name of reseller_id
				wanted = append(wanted, p.Name)
			}
		}
		slices.Sort(wanted)
		slices.Sort(asked[op.ID])
		if !slices.Equal(wanted, slices.Compact(asked[op.ID])) {
			t.Errorf("%s: want the parameters %v, got %v", op.ID, wanted, asked[op.ID])
		}
	}
}
