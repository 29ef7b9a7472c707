package api_test

import (
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
)

// scripted is a partner that answers every pull with the products that were set last.
type scripted struct {
	address string
	body    atomic.Value // string
	since   atomic.Value // string: the updated_since of the last pull
}

func aScriptedPartner(t testing.TB) *scripted {
	t.Helper()
	p := &scripted{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.since.Store(r.URL.Query().Get("updated_since"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, p.body.Load())
	}))
	t.Cleanup(server.Close)
	p.address = server.URL
	return p
}

// sells sets the products of the next pulls, by id.
func (p *scripted) sells(ids ...string) {
	var products []string
	for _, id := range ids {
		products = append(products, fmt.Sprintf(`{"id":%q,"internalName":"Walk %s","locale":"en","timeZone":"Europe/Lisbon","instantConfirmation":true,
			"options":[{"id":"morning","internalName":"Morning","availabilityType":"START_TIME","cancellationCutoff":"24 hours","units":[
				{"id":"unit-adult","internalName":"Adult","type":"ADULT","pricingFrom":[{"original":2250,"retail":2500,"net":1800,"currency":"EUR"}]}]}]}`, id, id))
	}
	p.body.Store("[" + strings.Join(products, ",") + "]")
}

func TestAnOperatorSyncsAndReadsTheHistory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := b.signIn(t, domain.Operator)
	partner := aScriptedPartner(t)
	made := b.register(t, b.signIn(t, domain.Partner), partner.address)
	path := "/api/v1/operator/integrations/" + made.ID
	order := func(body string) (got client.Sync) {
		t.Helper()
		b.ahead.Add(int64(time.Second))
		b.do(t, "POST", path+"/sync", body, operator).data(t, &got)
		return got
	}
	partner.sells("a", "b")
	if got := order(`{"mode":"full"}`); got.Mode != "full" || got.Cause != "operator" || got.Created != 2 || got.Skipped {
		t.Errorf("want two made, got %+v", got)
	}
	if got := order(""); !got.Skipped || got.Synced != 2 {
		t.Errorf("want it skipped, got %+v", got)
	}
	partner.body.Store(`[{"id":"c"}]`)
	if got := order(`{"mode":"incremental"}`); got.Mode != "incremental" || got.Deactivated != 0 || len(got.SetAside) != 1 || got.SetAside[0].ProductID != "c" {
		t.Errorf("want a delta that sets one aside and deactivates none, got %+v", got)
	}
	if partner.since.Load() != "2026-07-01T09:00:01Z" {
		t.Errorf("want what changed since the last stored pull asked for, got %q", partner.since.Load())
	}
	wantProblem(t, b.do(t, "POST", path+"/sync", `{"mode":"both"}`, operator), 400, "mode: expected one of full, incremental")

	history := func(query string) (list []client.Sync, body string) {
		t.Helper()
		a := b.do(t, "GET", path+"/syncs"+query, "", operator)
		a.data(t, &list)
		return list, string(a.body)
	}
	if list, body := history(""); len(list) != 2 || list[0].Mode != "incremental" || list[1].Created != 2 || !strings.Contains(body, `"pagination":{"pageSize":20,"page":1,"totalCount":2,"next_cursor":`) {
		t.Errorf("want the two stored syncs, the newest first, got %s", body)
	} else if strings.Contains(body, `"skipped":true`) {
		t.Errorf("want no skipped sync in the history, got %s", body)
	}
	if list, body := history("?page=2&limit=1"); len(list) != 1 || list[0].Mode != "full" || !strings.Contains(body, `"pagination":{"pageSize":1,"page":2,"totalCount":2,"next_cursor":`) {
		t.Errorf("want the second page, got %s", body)
	}
	if list, body := history("?page=3"); len(list) != 0 || !strings.Contains(body, `"data":[]`) {
		t.Errorf("want nothing past the end, got %s", body)
	}
	wantProblem(t, b.do(t, "GET", path+"/syncs?page=0&limit=101", "", operator), 400, "page: expected a whole number from 1", "limit: expected a whole number from 1 to 100")
	nobodys := "/api/v1/operator/integrations/" + uuid.NewString()
	wantProblem(t, b.do(t, "GET", nobodys+"/syncs", "", operator), 404, "integration not found")
	wantProblem(t, b.do(t, "POST", nobodys+"/sync", "", operator), 404, "integration not found")
}

func TestAnOperatorApprovesWhatTheGuardHoldsBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator := b.signIn(t, domain.Operator)
	partner := aScriptedPartner(t)
	made := b.register(t, b.signIn(t, domain.Partner), partner.address)
	path := "/api/v1/operator/integrations/" + made.ID
	approve := func() answer { return b.do(t, "POST", path+"/sync/approve", "", operator) }
	wantProblem(t, approve(), 409, "no sync of this integration waits for approval")
	partner.sells("a", "b", "c", "d", "e", "f")
	b.trigger(t, made)
	b.ahead.Add(int64(time.Second))
	partner.sells("a")
	var held, done client.Sync
	b.do(t, "POST", path+"/sync", "", operator).data(t, &held)
	if held.Guard == nil || held.Guard.WouldDeactivate != 5 || held.Guard.Of != 6 || held.Deactivated != 0 {
		t.Fatalf("want five of six held back, got %+v", held)
	}
	b.ahead.Add(int64(time.Second))
	approve().data(t, &done)
	if done.Guard != nil || done.Deactivated != 5 {
		t.Errorf("want five deactivated, got %+v", done)
	}
	wantProblem(t, approve(), 409)
}
