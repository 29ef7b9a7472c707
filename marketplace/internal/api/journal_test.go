package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// entry is an entry of either journal.
type entry struct {
	Endpoint, Webhook, Outcome, Error, Reason string
	Status                                    int
}

func (b *bench) entries(t *testing.T, who header, path string) (list []entry, body string) {
	t.Helper()
	a := b.do(t, "GET", integrationsPath+path, "", who)
	a.data(t, &list)
	return list, string(a.body)
}

func TestSyncsThatWereSkippedOrFailedAreListedWithTheirReason(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.signIn(t, domain.Partner)
	platform := aScriptedPartner(t)
	made := b.register(t, owner, platform.address)
	platform.sells("a", "b")
	for _, body := range []any{nil, nil, "no catalog"} {
		if body != nil {
			platform.body.Store(body)
		}
		b.trigger(t, made)
		b.ahead.Add(int64(time.Minute))
	}
	var syncs []client.Sync
	a := b.do(t, "GET", integrationsPath+made.ID+"/syncs", "", owner)
	a.data(t, &syncs)
	if len(syncs) != 3 {
		t.Fatalf("want three syncs, got %s", a.body)
	}
	if failed := syncs[0]; !failed.Failed || failed.Skipped || !strings.Contains(failed.Reason, "the partner's answer to GET /products is invalid") {
		t.Errorf("want the failed one first, got %+v", failed)
	}
	if skipped := syncs[1]; !skipped.Skipped || skipped.Failed || skipped.Synced != 2 || skipped.Reason != "the catalog is the same as at the last full sync" {
		t.Errorf("want the skipped one next, got %+v", skipped)
	}
	if stored := syncs[2]; stored.Created != 2 || stored.Failed || stored.Skipped || stored.Reason != "" {
		t.Errorf("want the stored one last, got %+v", stored)
	}
	var page struct {
		Pagination client.Pagination `json:"pagination"`
	}
	first := b.do(t, "GET", integrationsPath+made.ID+"/syncs?limit=2", "", owner)
	must(t, json.Unmarshal(first.body, &page))
	b.do(t, "GET", integrationsPath+made.ID+"/syncs?limit=2&cursor="+page.Pagination.NextCursor, "", owner).data(t, &syncs)
	if len(syncs) != 1 || syncs[0].Created != 2 {
		t.Errorf("want the last one on the second page, got %+v", syncs)
	}
}

// reserve returns a reserve call.
func (b *bench) reserve(t *testing.T, target partner.Target) func() partner.Outcome {
	return func() partner.Outcome {
		asked := partnerapi.ReserveRequest{ProductID: "p", OptionID: "o", AvailabilityID: "a", Units: []partnerapi.UnitQuantity{{ID: "unit-adult", Quantity: 1}}}
		_, outcome := b.Partners.Reserve(t.Context(), partner.SendBy{}, target, partnerapi.Healthy, asked, func(partnerapi.ReserveAnswer, partner.Outcome) {})
		return outcome
	}
}

func TestNoSyncShowsAKeyThatThePlatformRepeats(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.signIn(t, domain.Partner)
	platform := aScriptedPartner(t)
	made := b.register(t, owner, platform.address)
	platform.body.Store(`[{"id":"partner-key","locale":"Bearer partner-key"}]`)
	b.trigger(t, made)
	a := b.do(t, "GET", integrationsPath+made.ID+"/syncs", "", owner)
	if text := string(a.body); strings.Contains(text, "partner-key") || !strings.Contains(text, "[redacted]") {
		t.Errorf("want the product set aside, without the key, got %s", text)
	}
}

func TestTheLastCallsDistinguishRefusalsFromFailures(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.signIn(t, domain.Partner)
	var status atomic.Int64
	var body atomic.Value
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(status.Load()))
		_, _ = fmt.Fprint(w, body.Load())
	}))
	t.Cleanup(platform.Close)
	made := b.register(t, owner, platform.URL)
	stored, err := b.store.Partners.Integration(t.Context(), uuid.MustParse(made.ID))
	must(t, err)
	target := partner.Target{ID: stored.ID, BaseURL: stored.BaseURL, AuthKey: "partner-key"}
	for _, c := range []struct {
		status   int
		body     string
		call     func() partner.Outcome
		outcome  string
		endpoint string
		words    string
	}{
		{200, `[]`, func() partner.Outcome { _ = b.Partners.Probe(t.Context(), target); return partner.Outcome{} }, "ok", "products", ""},
		{400, `{"message":"Ana Souza is too young"}`, b.reserve(t, target), "refused", "reserve", "the partner answered POST /bookings/reserve with 400"},
		{400, `no message`, b.reserve(t, target), "failed", "reserve", "with 400"},
		{500, `{"message":"Ana Souza"}`, b.reserve(t, target), "failed", "reserve", "with 500"},
		{200, `{"reservationConfirmationCode":"H","expiresAt":"Ana Souza"}`, b.reserve(t, target), "failed", "reserve", "expiresAt: expected"},
		{404, ``, func() partner.Outcome {
			return b.Partners.Cancel(t.Context(), partner.SendBy{}, target, "B-secret-code", "")
		}, "refused", "cancel", "the partner answered cancel with 404"},
		{404, ``, func() partner.Outcome {
			return b.Partners.Release(t.Context(), partner.SendBy{}, target, "H-secret-code")
		}, "failed", "release", "the partner answered release with 404"},
		{503, ``, func() partner.Outcome { _ = b.Partners.Probe(t.Context(), target); return partner.Outcome{} }, "failed", "products", "with 503"},
	} {
		status.Store(int64(c.status))
		body.Store(c.body)
		b.ahead.Add(int64(time.Second))
		c.call()
		list, text := b.entries(t, owner, made.ID+"/calls")
		if got := list[0]; got.Outcome != c.outcome || got.Endpoint != c.endpoint || !strings.Contains(got.Error, c.words) || got.Status != c.status {
			t.Errorf("%s %d: want %s %q, got %+v", c.endpoint, c.status, c.outcome, c.words, got)
		}
		if strings.Contains(text, "Souza") || strings.Contains(text, "secret-code") || strings.Contains(text, "partner-key") {
			t.Errorf("want no guest, code or key, got %s", text)
		}
	}
	if failed, _ := b.entries(t, owner, made.ID+"/calls?failed=true"); len(failed) != 5 {
		t.Errorf("want the five that failed, got %+v", failed)
	}
	if others, _ := b.entries(t, owner, made.ID+"/calls?failed=false&limit=2"); len(others) != 2 || others[0].Endpoint != "cancel" {
		t.Errorf("want the first two of the others, got %+v", others)
	}
	wantProblem(t, b.do(t, "GET", integrationsPath+made.ID+"/calls?failed=perhaps", "", owner), 400, "failed: expected one of true, false")
}

func TestTheCallsOfAnIntegrationAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.signIn(t, domain.Partner)
	made := b.register(t, owner, "https://partner.example")
	id := uuid.MustParse(made.ID)
	for round := range 8 {
		var calls []partner.CallEntry
		for i := range 40 {
			seen := partner.Observation{At: b.now().Add(time.Duration(round*40+i) * time.Second), Result: partner.ResultOK, Status: 200, Endpoint: "products"}
			if i%2 == 0 {
				seen.Result, seen.Wrong = partner.ResultTimeout, "late"
			}
			calls = append(calls, seen.Entry(id))
		}
		must(t, b.store.Partners.AddCalls(t.Context(), append(calls, partner.Observation{Result: partner.ResultOK, Endpoint: "products"}.Entry(uuid.New()))))
	}
	for _, query := range []string{"?failed=true", "?failed=false"} {
		list, text := b.entries(t, owner, made.ID+"/calls"+query+"&limit=100")
		if len(list) != partner.KeptEntries || !strings.Contains(text, fmt.Sprintf(`"totalCount":%d,`, partner.KeptEntries)) {
			t.Errorf("%s: want the last %d, got %d", query, partner.KeptEntries, len(list))
		}
	}
}

func TestReceivedWebhooksAreListedWithTheReasonOfARefusal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, address := aPartner(t)
	owner := b.signIn(t, domain.Partner)
	made := b.register(t, owner, address)
	b.trigger(t, made)
	b.notify(t, registered{made.ID, "a wrong secret"}, `{}`)
	b.notify(t, made, `{"productId":7}`)
	b.do(t, "POST", integrationsPath+made.ID+"/sync/trigger", "")
	b.do(t, "POST", integrationsPath+uuid.NewString()+"/sync/trigger", "", header{"x-webhook-secret", made.Secret})
	list, text := b.entries(t, owner, made.ID+"/webhook-deliveries")
	want := []entry{
		{Webhook: "sync_trigger", Status: 400, Reason: "the header x-webhook-secret is missing"},
		{Webhook: "availability_notify", Status: 400, Reason: "productId"},
		{Webhook: "availability_notify", Status: 401, Reason: "unauthorized access"},
		{Webhook: "sync_trigger", Status: 200},
	}
	if len(list) != len(want) {
		t.Fatalf("want %d, got %s", len(want), text)
	}
	for i, w := range want {
		if got := list[i]; got.Webhook != w.Webhook || got.Status != w.Status || !strings.Contains(got.Reason, w.Reason) || (w.Reason == "") != (got.Reason == "") {
			t.Errorf("want %+v, got %+v", w, got)
		}
	}
	if strings.Contains(text, made.Secret) || strings.Contains(text, "a wrong secret") {
		t.Errorf("want no secret, got %s", text)
	}
	if refused, _ := b.entries(t, owner, made.ID+"/webhook-deliveries?failed=true"); len(refused) != 3 {
		t.Errorf("want the three refused ones, got %+v", refused)
	}
}

func TestAPartnerSeesItsBookingsWithoutGuestsAndPrices(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	first := s.book(t)
	s.ahead.Add(int64(time.Second))
	second := s.book(t)
	owner := s.signIn(t, domain.Partner)
	var own []registered
	s.do(t, "GET", "/api/v1/partner-integrations", "", owner).data(t, &own)
	path := integrationsPath + own[0].ID + "/bookings"
	type booking struct {
		ID     string `json:"booking_id"`
		Option string `json:"option_id"`
		Code   string `json:"reservation_code"`
	}
	var list []booking
	a := s.do(t, "GET", path+"?limit=1", "", owner)
	a.data(t, &list)
	if len(list) != 1 || list[0].ID != second.ID || list[0].Option != "breakfast" || list[0].Code == "" {
		t.Errorf("want the newest one first, got %s", a.body)
	}
	for _, hidden := range []string{"Ana Sousa", "ana@example.com", `"total"`, "price", s.accounts[domain.Reseller].ID.String(), s.accounts[domain.Affiliate].ID.String()} {
		if strings.Contains(string(a.body), hidden) {
			t.Errorf("want no %q, got %s", hidden, a.body)
		}
	}
	var page struct {
		Pagination client.Pagination `json:"pagination"`
	}
	must(t, json.Unmarshal(a.body, &page))
	s.do(t, "GET", path+"?limit=1&cursor="+page.Pagination.NextCursor, "", owner).data(t, &list)
	if len(list) != 1 || list[0].ID != first.ID {
		t.Errorf("want the other one on the next page, got %+v", list)
	}
	s.do(t, "GET", path+"?status=CONFIRMED", "", owner).data(t, &list)
	if len(list) != 0 {
		t.Errorf("want none confirmed, got %+v", list)
	}
}
