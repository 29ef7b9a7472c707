package client_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/schemas/openapi"
)

func TestEveryQueryHasEveryParameterOfTheAPI(t *testing.T) {
	t.Parallel()
	document, err := openapi.Read(openapi.Marketplace)
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{}
	w.answers = func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/login") {
			return says(200, `{"success":1,"data":{"access_token":"a","token_type":"Bearer","expires_in":900,"refresh_token":"r"}}`)
		}
		return problem(404, "none")
	}
	ctx, shop, operator := t.Context(), w.shop(t), w.operator(t)
	affiliate, err := client.NewAffiliate("http://marketplace.test", client.Password("a@example.com", "hush"), w.options())
	if err != nil {
		t.Fatal(err)
	}
	every := client.ActivityQuery{Currency: "USD", Language: "pt", Words: "w", Category: "c", Country: "PT", City: "Lisbon"}
	_, _ = shop.Activities(every).Page(ctx, 1, 1)
	_, _ = shop.Activity(ctx, "a", every)
	_, _ = shop.Calendar(ctx, client.CalendarQuery{ActivityID: "a", VariationID: "v", From: "2026-07-01", To: "2026-07-02", Currency: "USD"})
	_, _ = shop.Slots(ctx, client.SlotsQuery{ActivityID: "a", VariationID: "v", Date: "2026-07-01", Currency: "USD"})
	_, _ = shop.Bookings(client.Held).Page(ctx, 1, 1)
	_, _ = affiliate.Activities(every).Page(ctx, 1, 1)
	_, _ = affiliate.Commissions().Page(ctx, 1, 1)
	_, _ = operator.Accounts(client.AccountQuery{Role: client.ResellerRole, Words: "w"}).Page(ctx, 1, 1)
	_, _ = operator.Activities(client.OperatorActivityQuery{Words: "w", Status: client.Active, IntegrationID: "i"}).Page(ctx, 1, 1)
	_, _ = operator.Bookings(client.BookingQuery{Status: client.Held, Attention: true, Reseller: "r", Named: "n"}).Page(ctx, 1, 1)
	_, _ = operator.Syncs("i").Page(ctx, 1, 1)
	_, _ = operator.Integrations().Page(ctx, 1, 1)

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
			if p.In == "query" && strings.HasPrefix(op.Path, "/api/") {
				wanted = append(wanted, p.Name)
			}
		}
		slices.Sort(wanted)
		slices.Sort(asked[op.ID])
		if !slices.Equal(wanted, asked[op.ID]) {
			t.Errorf("%s: want the parameters %v, got %v", op.ID, wanted, asked[op.ID])
		}
	}
}
