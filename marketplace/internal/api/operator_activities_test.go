package api_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
)

// sellProducts returns the activities of a partner that sells those products.
func (b *bench) sellProducts(t *testing.T, partner *scripted, ids ...string) (registered, []client.OperatorActivity) {
	t.Helper()
	made := b.register(t, b.signIn(t, domain.Partner), partner.address)
	partner.sells(ids...)
	b.trigger(t, made)
	return made, b.operatorActivities(t, "")
}

func (b *bench) operatorActivities(t *testing.T, query string) (list []client.OperatorActivity) {
	t.Helper()
	b.do(t, "GET", "/api/v1/operator/activities"+query, "", b.signIn(t, domain.Operator)).data(t, &list)
	return list
}

func TestResellersReadAnOperatorsEditsAndNoSyncOverwritesThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := aScriptedPartner(t)
	made, list := b.sellProducts(t, partner, "a", "b")
	operator, reseller := b.signIn(t, domain.Operator), b.signIn(t, domain.Reseller)
	a := list[0]
	var edited client.OperatorActivity
	b.do(t, "PATCH", "/api/v1/operator/activities/"+a.ID, fmt.Sprintf(`{"activity_title":"Stroll","description":"By the river.","admin_price_percentage":10,
		"variations":[{"_id":%q,"title":"Dawn","notes":"Good shoes."}]}`, a.Variations[0].ID), operator).data(t, &edited)
	if edited.Title != "Stroll" || edited.Description != "By the river." || edited.Variations[0].Title != "Dawn" || edited.Variations[0].Notes != "Good shoes." {
		t.Errorf("want it edited, got %+v", edited)
	}
	if price := edited.Variations[0].Pricing.Units[0].Prices[0]; price.Original != "22.5" || price.Retail != "25" || price.Net != "18" {
		t.Errorf("want the partner's own prices, got %v", price)
	}
	b.ahead.Add(int64(time.Second))
	partner.body.Store(strings.NewReplacer("Walk a", "Walk A", "Morning", "Early", "2250", "3000").Replace(partner.body.Load().(string)))
	b.trigger(t, made)
	read := string(b.do(t, "GET", "/api/v1/resellers/activities", "", reseller).body)
	for _, want := range []string{`"activity_title":"Stroll"`, `"description":"By the river."`, `"title":"Dawn"`, `"notes":"Good shoes."`, `"price":33`} {
		if !strings.Contains(read, want) {
			t.Errorf("want %s, got %s", want, read)
		}
	}
}

// The answer equals what is expected, so it has no further field either: slots are read elsewhere.
func TestResellersReadEveryFieldAsOperatorsAndThePartnerSetIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := aScriptedPartner(t)
	partner.body.Store(`[{"id":"a","internalName":"Walk","reference":"W-1","locale":"en","timeZone":"Europe/Lisbon","instantConfirmation":true,"allowFreesale":true,"options":[
		{"id":"morning","internalName":"Morning","availabilityType":"OPENING_HOURS","cancellationCutoff":"24 hours","restrictions":{"minUnits":2,"maxUnits":9},"units":[
			{"id":"unit-child","internalName":"Young guest","type":"CHILD","restrictions":{"minAge":4,"maxAge":17},"pricingFrom":[{"original":22500,"retail":25000,"net":18000,"currency":"EUR","currencyPrecision":3}]}]}]}]`)
	b.trigger(t, b.register(t, b.signIn(t, domain.Partner), partner.address))
	activity := b.operatorActivities(t, "")[0]
	edits := fmt.Sprintf(`{"activity_title":"Stroll","activity_type":{"name":"Tour"},"main_promo_title":"No rain","short_description":"By the river.","description":"We meet at the cathedral.","address":"Largo da Sé",
		"one_time_activity":true,"admin_price_percentage":10,"admin_discount_percentage":50,"location":{"country":{"id":"PT","name":"Portugal"},"city":"Lisbon","region":"Lisboa"},"categories":["Walks","Food"],"tags":["old"],
		"media":[{"imageUrl":"https://images.example/a.jpg"}],"partner_details":{"partner_category":"Operator","companyDetails":{"vat":"PT1"},"profileImage":"https://images.example/p.jpg"},
		"translation":{"pt":{"activity_title":"Passeio","mood":["calmo"]}},"variations":[{"_id":%q,"title":"Dawn","sort":7,"language":["en","pt-BR"],"description":"Slow.","max_no_booking":8,"duration":{"hours":2.5,"days":1},
		"itinerary":[{"title":"Cathedral","description":"The cloister."}],"includes":{"transportation_methods":["Tram"],"food":["Pastry"],"drinks":["Wine"],"including":["Guide"],"excluding":["Tips"]},
		"cut_off_time":"2 hours before","media":{"imageUrl":"https://images.example/v.jpg"},"tourGuides":[{"tour_guide_id":"g-7","name":"Inês"}],"notes":"Good shoes.",
		"pickup":{"type":"hotel","pick_up_address":{"address":"Rossio","lat":38.71,"lng":-9.13},"drop_off_address":{"address":"Belém","lat":38.69,"lng":-9.21}}}]}`, activity.Variations[0].ID)
	b.do(t, "PATCH", "/api/v1/operator/activities/"+activity.ID, edits, b.signIn(t, domain.Operator))
	var want map[string]any
	for _, text := range []string{edits, fmt.Sprintf(`{"_id":%q,"status":"Active","currency":"EUR","serviceFee":0}`, activity.ID)} {
		must(t, json.Unmarshal([]byte(text), &want))
	}
	want["partner_details"].(map[string]any)["name"] = "Old Town Walks"
	variation := want["variations"].([]any)[0].(map[string]any)
	must(t, json.Unmarshal([]byte(`{"availability_type":"OPENING_HOURS","capacity":0,"instant_confirmation":true,"cancellation_policy":"24 hours","restrictions":{"min_units":2,"max_units":9},"external_sync":{"external_option_id":"morning"},"pricing":{
		"group_price":null,"discount_percentage":50,"units":[{"unit_id":"unit-child","type":"CHILD","label":"Young guest","min_age":4,"max_age":17,"price":12.38}]}}`), &variation))
	var read []map[string]any
	if b.do(t, "GET", "/api/v1/resellers/activities", "", b.signIn(t, domain.Reseller)).data(t, &read); !reflect.DeepEqual(read, []map[string]any{want}) {
		t.Errorf("want\n%s\ngot\n%s", asJSON(t, want), asJSON(t, read))
	}
}

func TestAnOperatorsStatusIsKeptApartFromThePartners(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := aScriptedPartner(t)
	made, list := b.sellProducts(t, partner, "a", "b")
	operator := b.signIn(t, domain.Operator)
	path := "/api/v1/operator/activities/" + list[0].ID
	want := func(status, partners, operators client.ActivityStatus) {
		t.Helper()
		var got client.OperatorActivity
		b.do(t, "GET", path, "", operator).data(t, &got)
		if got.Status != status || got.PartnerStatus != partners || got.OperatorStatus != operators {
			t.Errorf("want %s (partner %s, operator %s), got %+v", status, partners, operators, got)
		}
	}
	sync := func(ids ...string) {
		t.Helper()
		b.ahead.Add(int64(time.Second))
		partner.sells(ids...)
		b.trigger(t, made)
	}
	want("Active", "Active", "Active")
	b.do(t, "PATCH", path, `{"status":"Inactive"}`, operator)
	want("Inactive", "Active", "Inactive")
	sync("b")
	want("Inactive", "Inactive", "Inactive")
	sync("a", "b")
	want("Inactive", "Active", "Inactive") // no sync reverts an operator's change
	b.do(t, "PATCH", path, `{"status":null}`, operator)
	want("Active", "Active", "Active")
	if list := b.operatorActivities(t, "?status=Inactive"); len(list) != 0 {
		t.Errorf("want none inactive, got %+v", list)
	}
}

func TestOperatorsFindActivitiesListedOrNot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, list := b.sellProducts(t, aScriptedPartner(t), "a", "b", "c%_")
	operator := b.signIn(t, domain.Operator)
	b.do(t, "PATCH", "/api/v1/operator/activities/"+list[1].ID, `{"status":"Inactive"}`, operator)
	for query, want := range map[string]int{
		"": 3, "?status=Active": 2, "?status=Inactive": 1, "?q=WALK": 3, "?q=walk%20b": 1, "?q=c%25_": 1, "?q=%25": 1, "?q=nothing": 0,
		"?integration=" + made.ID: 3, "?integration=00000000-0000-7000-8000-000000000000": 0, "?limit=2&page=2": 1,
	} {
		if got := b.operatorActivities(t, query); len(got) != want {
			t.Errorf("%s: want %d, got %+v", query, want, got)
		}
	}
	wantProblem(t, b.do(t, "GET", "/api/v1/operator/activities?status=Gone&integration=17&page=0", "", operator), 400, "status: expected one of Active, Inactive", "integration: expected an id", "page: expected")
}

func TestAMistakenEditIsNamedInAllItsPartsAndNothingOfItIsStored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, list := b.sellProducts(t, aScriptedPartner(t), "a", "b")
	operator := b.signIn(t, domain.Operator)
	path := "/api/v1/operator/activities/" + list[0].ID
	before := b.do(t, "GET", path, "", operator)
	for body, words := range map[string][]string{
		`{"description":"x","activity_titel":"y","admin_discount_percentage":-1}`: {"activity_titel: unknown field", "admin_discount_percentage: expected a percentage"},
		fmt.Sprintf(`{"description":"x","variations":[{"_id":%q,"title":"y"},{"_id":%q,"title":"z"}]}`, list[0].Variations[0].ID, list[1].Variations[0].ID): {
			"variations[1]._id: unknown variation of this activity"},
		"":      {"expected JSON, received nothing"},
		`[{}]`:  {"expected an object"},
		"{\xff": {"UTF-8"},
	} {
		wantProblem(t, b.do(t, "PATCH", path, body, operator), 400, words...)
	}
	if after := b.do(t, "GET", path, "", operator); string(after.body) != string(before.body) {
		t.Errorf("want nothing stored\nbefore %s\nafter  %s", before.body, after.body)
	}
	for _, id := range []string{"17", "00000000-0000-7000-8000-000000000000"} {
		wantProblem(t, b.do(t, "PATCH", "/api/v1/operator/activities/"+id, "{}", operator), 404, "activity not found")
		wantProblem(t, b.do(t, "GET", "/api/v1/operator/activities/"+id, "", operator), 404, "activity not found")
	}
	wantProblem(t, b.do(t, "PATCH", path, "{}", operator, header{"Content-Type", "text/plain"}), 415)
}

func TestEditsAtTheSameTimeAllSurvive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, list := b.sellProducts(t, aScriptedPartner(t), "a")
	operator := b.signIn(t, domain.Operator)
	path, variation := "/api/v1/operator/activities/"+list[0].ID, list[0].Variations[0].ID
	var all sync.WaitGroup
	for _, body := range []string{
		`{"description":"x"}`, `{"address":"x"}`, `{"activity_title":"x"}`, `{"location":{"city":"x"}}`, `{"location":{"region":"x"}}`, `{"translation":{"pt":{"address":"x"}}}`, `{"translation":{"de":{"address":"x"}}}`,
		`{"variations":[{"_id":"` + variation + `","notes":"x"}]}`, `{"variations":[{"_id":"` + variation + `","cut_off_time":"x"}]}`, `{"variations":[{"_id":"` + variation + `","description":"x"}]}`,
	} {
		all.Go(func() {
			if a := b.do(t, "PATCH", path, body, operator); a.StatusCode != 200 {
				t.Errorf("%s: want 200, got %d %s", body, a.StatusCode, a.body)
			}
		})
	}
	all.Wait()
	got := string(b.do(t, "GET", path, "", operator).body)
	if n := strings.Count(got, `"x"`); n != 10 {
		t.Errorf("want all ten edits, got %d: %s", n, got)
	}
}

func TestRegisteringAgainRestoresActivitiesWithTheirEdits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := aScriptedPartner(t)
	first, before := b.sellProducts(t, partner, "a", "b")
	owner, operator := b.signIn(t, domain.Partner), b.signIn(t, domain.Operator)
	b.do(t, "PATCH", "/api/v1/operator/activities/"+before[0].ID, `{"activity_title":"Stroll"}`, operator)
	b.do(t, "DELETE", "/api/v1/partner-integrations/"+first.ID, "", owner)
	if list := b.operatorActivities(t, "?status=Active"); len(list) != 0 {
		t.Errorf("want none active, got %+v", list)
	}
	b.ahead.Add(int64(time.Second))
	second := b.register(t, owner, partner.address)
	partner.sells("b", "a", "c")
	var made client.Sync
	b.do(t, "POST", "/api/v1/operator/integrations/"+second.ID+"/sync", "", operator).data(t, &made)
	if made.Created != 1 || made.Updated != 2 {
		t.Errorf("want one made and the two old ones updated, got %+v", made)
	}
	after := b.operatorActivities(t, "?status=Active&integration="+second.ID)
	if len(after) != 3 || after[0].ID != before[0].ID || after[0].Title != "Stroll" || after[1].ID != before[1].ID || after[0].Variations[0].ID != before[0].Variations[0].ID {
		t.Errorf("want the old ones back, and one more, got %+v", after)
	}
}
