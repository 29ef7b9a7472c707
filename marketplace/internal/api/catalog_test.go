package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/replica"
	"partnerkit.dev/schemas"
)

// page is the answer to a list.
type page struct {
	Data       []client.AffiliateActivity
	Pagination client.Pagination
}

const (
	resellersList  = "/api/v1/resellers/activities"
	affiliatesList = "/api/v1/affiliates/activities"
)

// list reads a page and expects success.
func (b *bench) list(t *testing.T, path string, who header) (p page) {
	t.Helper()
	a := b.do(t, "GET", path, "", who)
	for _, problem := range schemas.Validate(schemas.ActivitiesAnswer, a.body) {
		t.Errorf("%s: %s", path, problem)
	}
	if err := json.Unmarshal(a.body, &p); err != nil || a.StatusCode != 200 {
		t.Fatalf("%s: want a page, got %d %s", path, a.StatusCode, a.body)
	}
	return p
}

// newStockedBench is a service that has pulled the mock partner's catalog: 8 activities, priced
// in EUR and JPY. There are rates for USD and JPY, but not for CHF.
func newStockedBench(t *testing.T, change ...func(*replica.Config)) (*bench, registered) {
	t.Helper()
	b := setup(t, change...)
	operator := b.signIn(t, domain.Operator)
	if a := b.do(t, "PUT", "/api/v1/operator/rates", `{"base":"EUR","rates":{"USD":"1.25","JPY":"160"}}`, operator); a.StatusCode != http.StatusOK {
		t.Fatalf("want the rates taken, got %d %s", a.StatusCode, a.body)
	}
	_, address := aPartner(t)
	made := b.register(t, b.signIn(t, domain.Partner), address)
	if a := b.trigger(t, made); a.StatusCode != http.StatusOK {
		t.Fatalf("want the catalog synced, got %d %s", a.StatusCode, a.body)
	}
	return b, made
}

func TestTheListHasPagesInOneOrder(t *testing.T) {
	t.Parallel()
	b, _ := newStockedBench(t)
	reseller := b.signIn(t, domain.Reseller)
	all := b.list(t, resellersList, reseller)
	if len(all.Data) != 8 || all.Pagination.PageSize != 20 || all.Pagination.Page != 1 || all.Pagination.TotalCount != 8 {
		t.Fatalf("want 8 activities on one page of 20, got %d, %+v", len(all.Data), all.Pagination)
	}
	var ids []string
	for _, path := range []string{"?limit=3", "?limit=3&page=2", "?page=3&limit=3"} {
		for _, one := range b.list(t, resellersList+path, reseller).Data {
			ids = append(ids, one.ID)
		}
	}
	for i, one := range all.Data {
		if len(ids) != 8 || ids[i] != one.ID {
			t.Fatalf("want the pages one after another to be the list, got %v", ids)
		}
	}
	for _, beyond := range []string{"?page=2", "?page=2147483648&limit=100"} {
		if past := b.list(t, resellersList+beyond, reseller); len(past.Data) != 0 || past.Pagination.TotalCount != 8 {
			t.Errorf("%s: want nothing of 8, got %d of %d", beyond, len(past.Data), past.Pagination.TotalCount)
		}
	}
}

func TestAnAffiliateReadsTheListWithItsOwnLinks(t *testing.T) {
	t.Parallel()
	b, _ := newStockedBench(t)
	p := b.list(t, affiliatesList, b.signIn(t, domain.Affiliate))
	if len(p.Data) != 8 {
		t.Fatalf("want 8 activities, got %d", len(p.Data))
	}
	for _, one := range p.Data {
		if want := "https://shop.example/" + one.ID + "?by=" + b.accounts[domain.Affiliate].ID.String(); one.AffiliateURL != want {
			t.Errorf("want %s, got %s", want, one.AffiliateURL)
		}
	}
	unset, _ := newStockedBench(t, func(c *replica.Config) { c.AffiliateURL = "" })
	if p := unset.do(t, "GET", affiliatesList, "", unset.signIn(t, domain.Affiliate)); strings.Count(string(p.body), `"affiliate_url":null`) != 8 {
		t.Errorf("want no links where no shop is configured, got %s", p.body)
	}
	if strings.Contains(string(b.do(t, "GET", resellersList, "", b.signIn(t, domain.Reseller)).body), "affiliate_url") {
		t.Error("want a reseller's list without links")
	}
}

func TestAPageThatTheCallerHasIsNotSentAgain(t *testing.T) {
	t.Parallel()
	b, _ := newStockedBench(t)
	reseller := b.signIn(t, domain.Reseller)
	first := b.do(t, "GET", resellersList, "", reseller)
	tag := first.Header.Get("ETag")
	if tag == "" || first.Header.Get("Cache-Control") != "private, no-cache" || first.Header.Get("Vary") != "Accept-Encoding" {
		t.Fatalf("want a tag, and who may keep the answer, got %v", first.Header)
	}
	for given, want := range map[string]int{
		tag: 304, strings.TrimPrefix(tag, "W/"): 304, `"a,b", ` + tag: 304, `W/"x",` + tag + `, "y"`: 304, "*": 304,
		`"x"`: 200, strings.Trim(tag, `W/"`): 200, `"`: 200, "": 200,
	} {
		a := b.do(t, "GET", resellersList, "", reseller, header{"If-None-Match", given})
		if a.StatusCode != want || want == 304 && (len(a.body) > 0 || a.Header.Get("ETag") != tag) {
			t.Errorf("%s: want %d, got %d with %d bytes", given, want, a.StatusCode, len(a.body))
		}
	}
}

func TestAnAnswerIsCompressedForWhoTakesIt(t *testing.T) {
	t.Parallel()
	b, _ := newStockedBench(t)
	reseller := b.signIn(t, domain.Reseller)
	plain := b.do(t, "GET", resellersList, "", reseller, header{"Accept-Encoding", "identity"})
	for given, want := range map[string]bool{
		"gzip": true, "br, gzip;q=0.5": true, "*": true, "x-gzip": true, "deflate": false,
		"gzip;q=0": false, "gzip; q=0.0, *": false, "*;q=0": false, "identity": false,
	} {
		a := b.do(t, "GET", resellersList, "", reseller, header{"Accept-Encoding", given})
		if got := a.Header.Get("Content-Encoding") == "gzip"; got != want {
			t.Errorf("%s: want gzip %t, got %v", given, want, a.Header)
			continue
		}
		body := a.body
		if want {
			zip, err := gzip.NewReader(bytes.NewReader(a.body))
			must(t, err)
			body, err = io.ReadAll(zip)
			must(t, err)
		}
		if !bytes.Equal(body, plain.body) || a.Header.Get("ETag") != plain.Header.Get("ETag") {
			t.Errorf("%s: want the same answer", given)
		}
	}
}

func TestAResellersTokenReadsUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	b, _ := newStockedBench(t)
	operator := b.signIn(t, domain.Operator)
	tokens := "/api/v1/operator/accounts/" + b.accounts[domain.Reseller].ID.String() + "/api-tokens"
	var made client.MadeToken
	b.do(t, "POST", tokens, `{"name":"shop"}`, operator).data(t, &made)
	token := header{"X-Api-Token", string(made.Token)}
	if got := b.list(t, resellersList, token); len(got.Data) != 8 {
		t.Errorf("want 8 activities, got %d", len(got.Data))
	}
	wantProblem(t, b.do(t, "GET", affiliatesList, "", token), 401, "unauthorized access")
	b.do(t, "DELETE", tokens+"/"+made.ID, "", operator)
	wantProblem(t, b.do(t, "GET", resellersList, "", token), 401, "unauthorized access")
}

func TestAnOperatorsChangeIsInTheNextRead(t *testing.T) {
	t.Parallel()
	b, _ := newStockedBench(t)
	operator, reseller := b.signIn(t, domain.Operator), b.signIn(t, domain.Reseller)
	first := b.list(t, resellersList, reseller).Data[0]
	patch := func(body string) {
		t.Helper()
		if a := b.do(t, "PATCH", "/api/v1/operator/activities/"+first.ID, body, operator); a.StatusCode != 200 {
			t.Fatalf("want it taken, got %d %s", a.StatusCode, a.body)
		}
	}
	patch(`{"activity_title":"Old town","translation":{"pt":{"activity_title":"Cidade velha","short_description":"Pela calçada","categories":["Passeios"],"tags":["fado"],"location":{"region":"Estremadura"}}},"location":{"city":"Lisbon"}}`)
	for query, want := range map[string]string{"": "Old town", "language=pt-BR": "Cidade velha", "language=ja": "Old town", "language=x-shop": "Old town", "language=i-klingon": "Old town", "language=pt-Abcd-XX": "Cidade velha", "language=qqq": "Old town",
		"q=passeios": "Old town", "q=FADO": "Old town", "q=estrem": "Old town", "q=VELHA&city=lisbon": "Old town", "q=Cal%C3%A7ada": "Old town"} {
		if got := b.list(t, resellersList+"?"+query, reseller).Data; len(got) == 0 || got[0].Title != want {
			t.Errorf("%s: want %s, got %+v", query, want, got)
		}
	}
	patch(`{"status":"Inactive"}`)
	if got := b.list(t, resellersList, reseller); len(got.Data) != 7 || got.Data[0].ID == first.ID {
		t.Errorf("want the others, got %d", len(got.Data))
	}
	wantProblem(t, b.do(t, "GET", resellersList+"/"+first.ID, "", reseller), 404, "activity not found")
	patch(`{"status":"Active"}`)
	if got := b.list(t, resellersList, reseller); len(got.Data) != 8 || got.Data[0].ID != first.ID {
		t.Errorf("want it back in its place, got %d", len(got.Data))
	}
	before := first.Variations[0].Pricing.Units[0].Price
	b.do(t, "PUT", "/api/v1/operator/pricing", `{"service_fee":7}`, operator)
	if after := b.list(t, resellersList, reseller).Data[0].Variations[0].Pricing.Units[0].Price; after.Rat().Cmp(before.Rat()) <= 0 {
		t.Errorf("want the fee in the next price, got %s after %s", after, before)
	}
}
