package console_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/connection/connectiontest"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	control "partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/mocktest"
)

func TestEmptyPagesSayWhatToDo(t *testing.T) {
	t.Parallel()
	v := open(t).operator()
	v.shows(v.get("/console/"), 200, "No integrations yet, so", "Paid bookings are confirmed")
	v.shows(v.get("/console/integrations"), 200, "No integrations yet")
	v.shows(v.get("/console/bookings"), 200, "No bookings yet")
	v.shows(v.get("/console/bookings?attention=true"), 200, "No booking matches")
	v.shows(v.get("/console/activities"), 200, "No activities yet. Sync an")
	v.shows(v.get("/console/accounts?q=unknown"), 200, "No account matches")
}

func TestAnIntegrationIsSyncedAndDeletedAfterAQuestion(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.register("Old Town Walks")
	v := s.operator()
	v.shows(v.get("/console/"), 200, "Old Town Walks", "Never synced")
	at := "/console/integrations/" + made.ID
	v.shows(v.get(at), 200, "The catalog was never pulled", "has not called the platform yet")
	v.shows(v.sync(at, "full"), 200, "products: ", "by operator", "Slots load within minutes after a sync.")
	v.shows(v.post(at+"/approve"), 200, "No sync of this integration waits for approval")
	s.arm(`{match: {endpoint: products}, times: 1, status: 503}`)
	v.shows(v.sync(at, "incremental"), 200, `<span class="pill bad">failed</span>`, "503")
	v.shows(v.get(at+"/delete"), 200, "Go back", "leave the list immediately")
	v.shows(v.post(at+"/delete"), 200, "Integration deleted", "No integrations yet")
	v.shows(v.get(at), 404, "Integration not found")
}

func TestAnOperatorReadsWhyActivitiesAreWithheld(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.register("Old Town Walks")
	v, at := s.operator(), "/console/integrations/"+made.ID
	const title = "Its activities are not listed"
	if p := v.get(at); strings.Contains(p.text, title) {
		t.Error("Expected no word of certificates where none is required")
	}
	errtest.Check(s.t, s.store.Runs.Govern(t.Context(), conformance.Rules{Default: conformance.Require}))
	v.shows(v.get(at), 200, title, "The partner has none yet")
	const certificate = `INSERT INTO conformance_certificates (integration_id, run_id, base_url, auth_type, handles_ticket_delivery, jws, issued_at, valid_until, ended_at, ended_by)
		SELECT id, gen_random_uuid(), base_url, auth_type, handles_ticket_delivery, 'x', now(), now() + interval '90 days', now(), gen_random_uuid() FROM integrations`
	pgtest.Exec(t, s.store, certificate)
	v.shows(v.get(at), 200, title, "A conformance run found a breach")
	pgtest.Exec(t, s.store, `UPDATE conformance_certificates SET ended_at = NULL, ended_by = NULL`)
	if p := v.get(at); strings.Contains(p.text, title) {
		t.Error("Expected activities listed with a certificate")
	}
}

func TestTheOverviewSaysHowOldTheExchangeRatesAre(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := s.operator()
	pgtest.Exec(t, s.store, `UPDATE pricing_terms SET rates_as_of = '2026-06-30'`)
	v.shows(v.get("/console/"), 200, "2026-06-30")
	pgtest.Exec(t, s.store, `UPDATE pricing_terms SET rates_as_of = '2026-06-01'`)
	v.shows(v.get("/console/"), 200, "Old exchange rates", "2026-06-01", "--rates-url")
}

func TestAPartnerIsRegisteredAndItsSecretShownOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := s.operator()
	p := v.post("/console/integrations", "name", "Walks", "base_url", "ftp://x", "auth_type", "bearer", "auth_key", "partner-key")
	if v.shows(p, 422, "http or https", `value="ftp://x"`); strings.Contains(p.text, "partner-key") {
		t.Error("want no key sent back")
	}
	p = v.post("/console/integrations", "name", "Walks", "base_url", s.base, "auth_type", "bearer", "auth_key", "partner-key")
	v.shows(p, 200, "Registered", "x-webhook-secret", "The catalog was never pulled")
	if secret := regexp.MustCompile(`<code id="secret">([0-9a-f]{64})</code>`).FindStringSubmatch(p.text); secret == nil || strings.Contains(v.get(p.address).text, secret[1]) {
		t.Error("want the secret shown once")
	}
	v.shows(v.sync(p.address, "full"), 200, "products: ")
	v.shows(v.post("/console/integrations", "name", "Walks", "base_url", s.base, "auth_type", "bearer", "auth_key", "partner-key"), 422, `role="alert"`)
}

func TestProductsThatWereSetAsideAreShownWithTheirPlace(t *testing.T) {
	t.Parallel()
	s := open(t)
	errtest.Check(t, s.control.Defects.Apply(t.Context(), "age-limit-is-text"))
	made := s.registerStocked()
	v := s.operator()
	v.shows(v.get("/console/integrations/"+made.ID), 200, "set aside", "/restrictions/minAge", "expected an age in years, an integer")
	v.shows(v.get("/console/integrations"), 200, "Old Town Walks", s.base)
}

func TestAnIntegrationsPageShowsWhatItsCallsBreach(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	at := s.now().UTC()
	_, err := s.store.Partners.KeepBreaches(t.Context(), []conformance.Breach{{
		Integration: uuid.MustParse(made.ID), Rule: "reserve.json", Clause: "RSV-2", Level: "MUST", Endpoint: "reserve", Title: "a reserve answers with JSON",
		Message: "Expected JSON, received HTML.", Fix: "Answer with JSON.", Count: 1_200, FirstSeen: at, LastSeen: at, Evidence: []byte("[]"),
	}})
	errtest.Check(t, err)
	for path, v := range map[string]*visitor{"/console": s.operator(), "/partners": s.enter("/partners", "partner@example.com", password)} {
		v.shows(v.get(path+"/integrations/"+made.ID), 200, "Breaches of the contract", "A reserve answers with JSON", "1,200 times since", "Answer with JSON.")
	}
}

func TestAnIntegrationsPageStartsWithWhatItsReadersNeedFirst(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	operator, ana := s.operator(), s.enter("/partners", "partner@example.com", password)
	for page, want := range map[string][]string{
		operator.get("/console/integrations/" + made.ID).text: {"health-title", "syncs-title", "runs-title", "admission-title", "received-title", "settings-title"},
		ana.get("/partners/integrations/" + made.ID).text:     {"steps-title", "runs-title", "health-title", "syncs-title"},
	} {
		at := 0
		for _, title := range want {
			next := strings.Index(page, `<h2 id="`+title)
			if next < at {
				t.Errorf("Expected the titles in the order %q, received %s before its turn", want, title)
			}
			at = next
		}
	}
}

func TestABookingIsFoundByItsNamesAndItsReseller(t *testing.T) {
	t.Parallel()
	s := open(t)
	id := s.bookUnconfirmed(s.order(s.registerStocked()))
	v := s.operator()
	for _, query := range []string{"q=" + id, "q=R-1017", "status=PAID", "attention=true", "reseller=reseller%40example.com", "reseller=" + s.accounts[domain.Reseller].ID.String()} {
		v.shows(v.get("/console/bookings?"+query), 200, "/console/bookings/"+id, "Ana Sousa", "2 ADULT", "Paid, but the partner did not confirm")
	}
	for _, query := range []string{"q=R-1018", "status=HELD", "reseller=" + s.accounts[domain.Operator].ID.String()} {
		v.shows(v.get("/console/bookings?"+query), 200, "No booking matches")
	}
	v.shows(v.get("/console/bookings?reseller=unknown%40example.com"), 422, "No reseller has this address")
	v.shows(v.get("/console/bookings?reseller=17"), 422, "No reseller has this address", `value="17"`)
	v.shows(v.get("/console/bookings/"+id), 200, "The hold is gone.", "Confirm again", "reseller@example.com", "Old Town Walks", "R-1017", "RESERVING", "answered with 409")
}

// Without scripts a button shows the prices, and keeps what was typed.
func TestAnOperatorSeesWhatTheCustomerPaysBeforeAnythingIsSaved(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.registerStocked()
	v := s.operator()
	found := call[[]client.OperatorActivity](s, domain.Operator, "GET", "/operator/activities?q=lisbon-walk", "")[0]
	call[any](s, domain.Operator, "PUT", "/operator/pricing", `{"service_fee":1.5,"service_fee_currency":"EUR","commission_percentage":20}`)
	at := "/console/activities/" + found.ID
	v.shows(v.get(at), 200, "What the customer pays", "28.50 EUR", "a commission of 20 %", "a service fee of 1.50 EUR")
	typed := v.post(at+"?language=pt", "part", "prices", "was:admin_price_percentage", "", "admin_price_percentage", "100", "admin_discount_percentage", "", "was:translation.pt.activity_title", "", "translation.pt.activity_title", "Passeio")
	v.shows(typed, 200, "28.50 EUR", "55.50 EUR", `value="100"`, `value="Passeio"`, "?language=pt")
	v.shows(v.get(at+"?part=prices&admin_price_percentage=100&admin_discount_percentage=50"), 200, "<table", "28.50 EUR")
	v.shows(v.post(at, "part", "prices", "admin_price_percentage", "much", "admin_discount_percentage", "101"), 422, "Expected a percentage from -100 to 1000", "Expected a percentage from 0 to 100", `href="#f-admin_discount_percentage"`)
	v.shows(v.get(at+"?part=prices&admin_price_percentage=much"), 200, "Expected a percentage from -100 to 1000")
	one := at + "/variations/" + found.Variations[0].ID
	v.shows(v.get(one), 200, "What the customer pays", "28.50 EUR", "a commission of 20 %")
	v.shows(v.post(one, "part", "prices", "was:pricing.group_price", "", "pricing.group_price", "100", "was:notes", "", "notes", "Bring water"), 200, "28.50 EUR", "121.50 EUR", "a group", `value="100"`, "Bring water</textarea>")
	v.shows(v.get(one+"?part=prices&pricing.group_price=100&pricing.currency=XPF"), 200, "<table", "no exchange rate")
	v.shows(v.post(one, "part", "prices", "pricing.group_price", "-1", "pricing.currency", "EURO"), 422, "Expected an amount from 0", "Expected an ISO 4217 code", `href="#f-pricing-group_price"`)
	v.shows(v.get(one+"?part=prices&pricing.currency=EUR"), 200, "Currency of the group price: Requires a group price.")
	v.shows(v.get(at+"/variations/"+found.ID+"?part=prices"), 400, "variation_id: unknown variation")
	if got := call[client.OperatorActivity](s, domain.Operator, "GET", "/operator/activities/"+found.ID, ""); got.AdminPricePercentage != "" || got.Translation["pt"] != nil || got.Variations[0].Pricing.GroupPrice != "" || got.Variations[0].Notes != "" {
		t.Errorf("Expected nothing saved, received %+v", got)
	}
}

func TestAnActivityIsEditedByWhatHasChangedAlone(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.registerStocked()
	v := s.operator()
	found := call[[]client.OperatorActivity](s, domain.Operator, "GET", "/operator/activities?q=tokyo-market", "")[0]
	at := "/console/activities/" + found.ID
	v.shows(v.get("/console/activities?q=tokyo-market"), 200, at, "tokyo-market")
	v.shows(v.get(at), 200, "From the partner", found.ExternalSync.InternalName, "Operators' edits")
	v.shows(v.post(at, "was:activity_title", found.Title, "activity_title", "Market at dawn", "was:categories", "", "categories", "Food\r\n\r\nWalks", "was:admin_price_percentage", "", "admin_price_percentage", "12.5",
		"was:translation.pt.activity_title", "", "translation.pt.activity_title", "Mercado", "was:translation.pt.description", "", "translation.pt.description", "", "was:description", "stale", "description", "stale", "was:location.city", "", "location.city", "Tokyo", "status", "Active", "was:status", "Active"), 200,
		"Changed: 5 fields", "Market at dawn", "Food\nWalks", "12.5", "Mercado", `value="Tokyo"`)
	read := func() client.OperatorActivity {
		return call[client.OperatorActivity](s, domain.Operator, "GET", "/operator/activities/"+found.ID, "")
	}
	if got := read(); got.Description != "" || got.Location.City != "Tokyo" || len(got.Categories) != 2 || got.AdminPricePercentage != "12.5" {
		t.Errorf("want what was changed and no more, got %+v", got)
	}
	// The error is shown at its field, and the input is kept.
	v.shows(v.post(at, "was:activity_title", "Market at dawn", "activity_title", "Another", "was:admin_discount_percentage", "", "admin_discount_percentage", "101", "was:media", "", "media", "javascript:alert(1)", "was:admin_price_percentage", "12.5", "admin_price_percentage", "much"), 422,
		"Expected a number such as 12.5.", `value="Another"`, `value="101"`, "javascript:alert(1)</textarea>", "Nothing was saved")
	v.shows(v.post(at, "was:admin_discount_percentage", "", "admin_discount_percentage", "101", "was:media", "", "media", "javascript:alert(1)"), 422,
		"Expected a percentage from 0 to 100", `aria-invalid="true"`, "Entry 1: expected an http or https URL", `href="#f-media"`)
	v.shows(v.post(at, "was:activity_title", "Market at dawn", "activity_title", "", "was:translation.pt", "", "translation.pt", "true", "was:translation.de.activity_title", "", "translation.de.activity_title", "Markt",
		"was:status", "Active", "status", "Inactive"), 200, "Changed: 4 fields", "Inactive")
	if got := read(); got.Title != found.ExternalSync.InternalName || got.Translation["pt"] != nil || got.Translation["de"] == nil || got.OperatorStatus != client.Inactive {
		t.Errorf("want the title cleared and one translation for the other, got %+v", got)
	}
	v.shows(v.post(at, "was:address", "", "address", ""), 200, "Nothing changed")

	// The partner's company has a field for each text, and names what has none.
	call[any](s, domain.Operator, "PATCH", "/operator/activities/"+found.ID, `{"partner_details":{"companyDetails":{"vatNumber":"PT1","slogan":"Walk","seats":[1]}}}`)
	v.shows(v.get(at), 200, "Legal name", `value="PT1"`, ">slogan<", "It also has these fields, which the API changes: seats.")
	const company = "partner_details.companyDetails."
	v.shows(v.post(at, "was:"+company+"vatNumber", "PT1", company+"vatNumber", "", "was:"+company+"legalName", "", company+"legalName", "Boats Lda", "was:"+company+"slogan", "Walk", company+"slogan", "Walk"), 200, "Changed: 2 fields", `value="Boats Lda"`)
	if got := fmt.Sprint(read().PartnerDetails.CompanyDetails); got != "map[legalName:Boats Lda seats:[1] slogan:Walk]" {
		t.Errorf("Expected one field changed, one cleared and the others kept, received %s", got)
	}

	// A translation has fields for each language, and for each variation.
	first := found.Variations[0].ID
	v.shows(v.get(at), 200, "German (de)", `name="translation.de.activity_title" value="Markt"`, "Title of "+found.Variations[0].Title, "Delete this translation")
	v.shows(v.get(at+"?language=pt-br"), 200, "Brazilian Portuguese (pt-BR)", `name="translation.pt-BR.variations.`+first+`.title"`)
	v.shows(v.get(at+"?language=en_US"), 200, "Expected a language&#39;s code", `value="en_US"`)
	call[any](s, domain.Operator, "PATCH", "/operator/activities/"+found.ID, `{"translation":{"de":{"address":"Hafen"}}}`)
	v.shows(v.post(at, "was:translation.de.variations."+first+".title", "", "translation.de.variations."+first+".title", "Morgens"), 200, "Changed: 1 field", `value="Morgens"`, "which the API changes: address")
	v.shows(v.post(at, "was:translation.en_US.activity_title", "", "translation.en_US.activity_title", "Market"), 422, `role="alert"`, "en_US")

	one := at + "/variations/" + found.Variations[0].ID
	v.shows(v.get(one), 200, "From the partner", "ADULT", found.Variations[0].ExternalSync.ExternalOptionID)
	pgtest.Exec(t, s.store, `UPDATE variations SET option = option || '{"restrictions": {"minUnits": 2, "maxUnits": 9}}'`)
	v.shows(v.get(one), 200, "2 or more, 9 at most")
	v.shows(v.post(one, "was:pricing.group_price", "", "pricing.group_price", "180.5", "was:pricing.currency", "", "pricing.currency", "EUR", "was:language", "", "language", "en\npt-BR", "was:sort", "1", "sort", "4",
		"was:itinerary", "", "itinerary", "Old market | We taste cheese\r\nHarbour"), 200, "Changed: 5 fields", `value="180.5"`, "Old market | We taste cheese\nHarbour</textarea>")
	if got := read().Variations[0].Itinerary; len(got) != 2 || got[0].Title != "Old market" || got[0].Description != "We taste cheese" || got[1].Title != "Harbour" {
		t.Errorf("want two stops, got %+v", got)
	}
	v.shows(v.post(one, "was:language", "", "language", "en_US", "was:sort", "4", "sort", "-1"), 422, "Entry 1: expected a language", "Expected an integer from 0", `value="-1"`)
	v.shows(v.get(at+"/variations/"+found.ID), 404, "Variation not found")

	// The API answers 0 where nothing is given. A 0 next to another number is given.
	const pickup, dropOff = "pickup.pick_up_address.", "pickup.drop_off_address."
	measure := func(name, value string) string { return `name="` + name + `" value="` + value + `"` }
	v.shows(v.get(one), 200, measure("duration.days", ""), measure("duration.hours", ""), measure(pickup+"lat", ""), measure(pickup+"lng", ""), measure(dropOff+"lat", ""), measure("max_no_booking", "0"))
	v.shows(v.post(one, "was:duration.hours", "", "duration.hours", "2.5", "was:"+pickup+"lng", "", pickup+"lng", "-78.5", "was:"+pickup+"lat", "", pickup+"lat", "", "was:pricing.group_price", "180.5", "pricing.group_price", "0"), 200, "Changed: 3 fields",
		measure("duration.days", "0"), measure("duration.hours", "2.5"), measure(pickup+"lat", "0"), measure(pickup+"lng", "-78.5"), measure(dropOff+"lng", ""), measure("pricing.group_price", "0"))
}

func TestRatesAndFeesAreChangedAndMistakesAreSaidAtTheirFields(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := s.operator()
	v.shows(v.post("/console/terms/rates", "currency", "usd", "rate", "1.25"), 200, "Saved: USD.", `<label for="f-rates-USD">USD</label>`, `name="rates.USD" value="1.25"`, s.now().Format(time.DateOnly))
	v.shows(v.post("/console/terms/rates", "currency", "USD", "rate", "0"), 422, "Expected a decimal above 0", `name="rate" value="0"`)
	v.shows(v.post("/console/terms/rates", "currency", "XXY", "rate", "2"), 422, "Expected an ISO 4217 code", `value="XXY"`)
	v.shows(v.post("/console/terms/rates", "currency", "EUR", "rate", "2"), 422, "Is the base")
	v.shows(v.post("/console/terms/rates", "currency", "", "rate", "2"), 422, "Expected an ISO 4217 code")
	v.shows(v.post("/console/terms/rates", "was:rates.USD", "1.25", "rates.USD", "1.25"), 200, "Nothing was changed.")
	v.shows(v.post("/console/terms/rates", "was:rates.USD", "1.25", "rates.USD", "1.2"), 200, "Saved: USD.", `title="The rate before was 1.25">-4.00 %`)
	v.shows(v.post("/console/terms/rates", "was:rates.USD", "1.2", "rates.USD", "12", "currency", "JPY", "rate", "160"), 422, "12 is more than twice the rate in force, 1.2", `name="rates.USD" value="12"`, `value="JPY"`)
	v.shows(v.post("/console/terms/rates", "was:rates.USD", "1.2", "rates.USD", "12", "currency", "JPY", "rate", "160", "force", "true"), 200, "Saved: JPY, USD.", `class="number poor"`, "&#43;900.00 %")
	if p := v.post("/console/terms/rates", "was:rates.USD", "12", "rates.USD", ""); strings.Contains(p.text, "rates.USD") {
		t.Error("want the rate removed")
	}
	v.shows(v.post("/console/terms/fees", "service_fee", "1.5", "service_fee_currency", "eur", "commission_percentage", "20"), 200, "Fees changed", `value="1.5"`, `value="20"`)
	v.shows(v.post("/console/terms/fees", "service_fee", "-1", "service_fee_currency", "XXY", "commission_percentage", "20"), 422, "Expected an ISO 4217 code", `value="-1"`)
	v.shows(v.post("/console/terms/fees", "service_fee", "-1", "service_fee_currency", "EUR", "commission_percentage", "1001"), 422, "Expected 0 to 1000000", "Expected 0 to 1000,")
}

func TestAFileOfRatesIsPastedAndThePageNamesWhatItLacks(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := s.operator()
	s.registerStocked()
	pgtest.Exec(t, s.store, `UPDATE variations SET option = jsonb_set(option, '{units,0,pricingFrom,0,currency}', '"XPF"')`)
	file := func(daysAgo int, rates string) string {
		return `<Envelope><Cube><Cube time="` + s.now().AddDate(0, 0, -daysAgo).Format(time.DateOnly) + `">` + "\n" + rates + `</Cube></Cube></Envelope>`
	}
	const dollars, yens = `<Cube currency="USD" rate="1.25"/>`, `<Cube currency="JPY" rate="160"/>`
	v.shows(v.post("/console/terms/rates/import", "file", "no file"), 422, "the European Central Bank", ">\nno file</textarea>", `id="f-import-file-error"`)
	v.shows(v.post("/console/terms/rates/import", "file", file(5, dollars+yens)), 200, "Imported the rates of")
	p := v.post("/console/terms/rates/import", "file", file(2, dollars))
	v.shows(p, 200, "Not in the file: JPY keeps its rate of", "The newest file lacks it.", "have prices in it.")
	if missing, known := strings.Index(p.text, `name="rates.XPF"`), strings.Index(p.text, `name="rates.JPY"`); missing < 0 || missing > known {
		t.Error("Expected the missing currency first")
	}
	v.shows(v.get("/console/"), 200, "Currencies that the newest exchange rates lack", "<b>JPY</b>")
	v.shows(v.post("/console/terms/rates/import", "file", file(3, `<Cube currency="USD" rate="12"/>`)), 422, "force the import if they are right", "the date of the table in force", "Rates.USD (line 2): 12 is more than twice", "12&#34;")
	v.shows(v.post("/console/terms/rates/import", "file", file(3, `<Cube currency="USD" rate="12"/>`), "force", "true"), 200, "Imported the rates of")
	errtest.Check(t, s.store.Storefront.RefuseRates(t.Context(), "date: 2026-07-02 is in the future"))
	v.shows(v.get("/console/"), 200, "Refused exchange rates", "Date: 2026-07-02 is in the future")
}

func TestAccountsAreMadeLockedAndGivenTokensThatAreShownOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := s.operator()
	p := v.post("/console/accounts", "email", "shop@example.com", "name", "The shop", "role", "reseller", "password", "long enough to be one")
	v.shows(p, 200, "Account created", "shop@example.com", "No tokens yet")
	at := p.address
	v.shows(v.post("/console/accounts", "email", "shop@example.com", "role", "reseller", "password", "long enough to be one"), 422, "An account with this email exists", `value="shop@example.com"`)
	p = v.post("/console/accounts", "email", "shop", "name", "Kept", "role", "partner", "password", "short")
	if v.shows(p, 422, "Expected an address such as", "Expected at least 10 letters", `value="Kept"`, `<option value="partner" selected>`); strings.Contains(p.text, "short") {
		t.Error("want no password sent back")
	}
	p = v.post(at+"/tokens", "token", "web shop")
	v.shows(p, 200, "shown only once", "web shop")
	token := regexp.MustCompile(`<code id="secret">(pk_live_[0-9a-f]{64})</code>`).FindStringSubmatch(p.text)
	if token == nil {
		t.Fatalf("want the token, got %s", p.text)
	}
	call[any](s, "", "GET", "/resellers/activities", "", "X-Api-Token", token[1])
	if p := v.get(at); strings.Contains(p.text, token[1]) || !strings.Contains(p.text, "web shop") {
		t.Error("want the token shown once, and listed")
	}
	v.shows(v.post(at+"/tokens", "token", ""), 422, "Is required", `href="#f-token"`)
	revoke := regexp.MustCompile(at + `/tokens/[^/]+/revoke`).FindString(v.get(at).text)
	v.shows(v.get(revoke), 200, "Revoke the token web shop", "refused immediately")
	v.shows(v.post(revoke), 200, "Token revoked")
	v.shows(v.post(at+"/name", "name", strings.Repeat("x", 201)), 422, "Expected at most 200 letters")
	v.shows(v.post(at+"/name", "name", "The <b>shop</b>"), 200, "Name changed", `value="The &lt;b&gt;shop&lt;/b&gt;"`)
	v.shows(v.post(at+"/password", "password", "short"), 422, "Expected at least 10 letters")
	v.shows(v.post(at+"/password", "password", "another long one"), 200, "Password changed")
	v.shows(v.get(at+"/lock"), 200, "Disable shop@example.com")
	v.shows(v.post(at+"/lock"), 200, "Account disabled", "Enable account")
	v.shows(v.post(at+"/unlock"), 200, "Account enabled")
	own := "/console/accounts/" + s.accounts[domain.Operator].ID.String()
	v.shows(v.get(own), 200, "This is your own account")
	v.shows(v.post(own+"/lock"), 200, `role="alert"`, "You cannot disable your own account")
}

func TestListsHavePages(t *testing.T) {
	t.Parallel()
	s := open(t)
	for i := range 25 {
		a := s.accounts[domain.Reseller]
		a.ID, a.Email = [16]byte{15: byte(i)}, fmt.Sprintf("shop-%02d@example.com", i)
		errtest.Check(s.t, s.store.Accounts.CreateAccount(t.Context(), a))
	}
	v := s.operator()
	first := v.get("/console/accounts?q=shop-&role=reseller")
	v.shows(first, 200, "25 in all", "shop-19@")
	next := regexp.MustCompile(`rel="next" href="([^"]*)"`).FindStringSubmatch(first.text)
	if len(next) != 2 {
		t.Fatal("want a link to the next page")
	}
	last := v.get(html.UnescapeString(next[1]))
	v.shows(last, 200, "shop-24@", `rel="first" href="/console/accounts?q=shop-&amp;role=reseller"`)
	if strings.Contains(last.text, `rel="next"`) || strings.Contains(last.text, "shop-19@") {
		t.Error("want the last page")
	}
	v.shows(v.get("/console/accounts?page=9&q=shop-"), 200, "No account matches")
}

func TestTextFromOthersIsEscaped(t *testing.T) {
	t.Parallel()
	s := open(t)
	const attack = `"><script>alert(1)</script><img src=x onerror=alert(2)>`
	made := s.register(`Walks ` + attack)
	call[any](s, domain.Operator, "POST", "/operator/integrations/"+made.ID+"/sync", `{}`)
	order := strings.NewReplacer("Ana Sousa", strings.ReplaceAll(attack, `"`, `\"`), "R-1017", strings.ReplaceAll(attack, `"`, `\"`)).Replace(s.order(made))
	booking := call[booked](s, domain.Reseller, "POST", "/resellers/bookings", order)
	s.arm(`{match: {endpoint: confirm}, times: 1, status: 409, body: '{"message":"<script>alert(3)</script> javascript:alert(4)"}'}`)
	call[booked](s, domain.Reseller, "POST", "/resellers/bookings/"+booking.ID+"/payment", `{"outcome":"succeeded","reference":"<script>alert(5)</script>"}`)
	activity := call[[]client.OperatorActivity](s, domain.Operator, "GET", "/operator/activities?q=tokyo-market", "")[0]
	v := s.operator()
	v.post("/console/activities/"+activity.ID, "was:activity_title", "", "activity_title", attack, "was:description", "", "description", "</textarea>"+attack)
	for _, path := range []string{"/console/", "/console/integrations", "/console/integrations/" + made.ID, "/console/integrations/" + made.ID + "/delete", "/console/bookings", "/console/bookings/" + booking.ID,
		"/console/activities", "/console/activities/" + activity.ID, "/console/bookings?q=" + `%22%3E%3Cscript%3E`, "/console/signin?to=javascript:alert(1)"} {
		p := v.get(path)
		for _, never := range []string{"<script>", "<img", `href="javascript:`} {
			if strings.Contains(p.text, never) {
				t.Errorf("%s: want text, got %s", path, never)
			}
		}
	}
	v.shows(v.get("/console/bookings/"+booking.ID), 200, "&lt;script&gt;alert(3)", "alert(5)")
	mocktest.AssertCallerKept(t, s.partner.Default())
}

func TestAnOperatorChangesTestsAndRotates(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	v := s.operator()
	at := "/console/integrations/" + made.ID
	settings := []string{"name", "Old Town Walks", "base_url", s.base, "auth_type", "bearer"}
	v.shows(v.post(at, append(settings, "do", "test", "auth_key", "")...), 200, "The partner works with these settings", "200 in 0 ms")
	v.shows(v.post(at, append(settings, "do", "test", "auth_key", "a-wrong-key")...), 200, "does not work with these settings", "The partner answered GET /products with 401")
	p := v.post(at, append(settings, "do", "save", "auth_key", "a-wrong-key")...)
	v.shows(p, 422, `role="alert"`, "the partner answered GET /products with 401")
	if strings.Contains(p.text, "a-wrong-key") {
		t.Error("want no key on the page")
	}
	moved := append([]string{"name", "Old Town Walks", "base_url", "https://moved.example", "auth_type", "bearer", "auth_key", ""}, "force", "true")
	for _, do := range []string{"test", "save"} {
		v.shows(v.post(at, append(moved, "do", do)...), 422, `role="alert"`, "Required, because base_url has another scheme, host or port")
	}
	settings[1] = "New Town Walks"
	v.shows(v.post(at, append(settings, "do", "save", "auth_key", "")...), 200, "Settings saved.", "New Town Walks")
	v.shows(v.get(at+"/rotate"), 200, "24 hours more")
	v.shows(v.post(at+"/rotate"), 200, "It is shown only once", "The previous webhook secret is accepted until")
	s.arm(`{match: {endpoint: products}, times: 1, status: 503}`)
	v.shows(v.sync(at, "full"), 200, "The partner answered GET /products with 503", "Webhooks received")
}

func TestAClientCertificateIsGivenShownAndRemovedOnThePages(t *testing.T) {
	t.Parallel()
	s := open(t)
	lines := strings.NewReplacer("\n", "\r\n").Replace // as browsers send them
	for site, c := range map[string]struct {
		v     *visitor
		days  int // until the certificate expires
		state string
	}{"/console": {s.operator(), 10, "expires soon"}, "/partners": {s.enter("/partners", "partner@example.com", password), -1, "expired"}} {
		v := c.v
		ours, _ := connectiontest.NewCertificate(t, "marketplace.example", time.Until(s.now().AddDate(0, 0, c.days)))
		sum := sha256.Sum256(ours.Certificate[0])
		fingerprint := hex.EncodeToString(sum[:])
		cert, key := connectiontest.Encode(t, ours)
		secret := strings.Split(key, "\n")[1]
		address := "https://" + strings.Trim(site, "/") + ".example"
		given := []string{"name", "Walks", "base_url", address, "auth_type", "bearer", "auth_key", "partner-key"}
		p := v.post(site+"/integrations", append(given, "client_certificate", lines(cert), "client_key", "a-wrong-key")...)
		if v.shows(p, 422, "Expected a certificate and its private key", "BEGIN CERTIFICATE"); strings.Contains(p.text, "a-wrong-key") {
			t.Errorf("%s: Expected no private key on the page", site)
		}
		p = v.post(site+"/integrations", append(given, "client_certificate", lines(cert), "client_key", lines(key))...)
		v.shows(p, 200, "Registered", fingerprint, c.state, ours.Leaf.NotAfter.UTC().Format("2 Jan 2006"))
		at := p.address
		settings := []string{"name", "Walks", "base_url", address, "auth_type", "bearer", "do", "save", "force", "true"}
		v.shows(v.post(at, append(settings, "client_certificate", "", "client_key", "")...), 200, "Settings saved.", fingerprint)
		v.shows(v.post(at, append(settings, "client_certificate", lines(cert), "client_key", "")...), 422, "Expected a certificate and its private key")
		v.shows(v.post(at, append(settings, "client_certificate", lines(cert), "client_key", lines(key), "remove_client_certificate", "true")...), 422, "Remove it, or replace it", fingerprint)
		if p = v.get(at); strings.Contains(p.text, secret) {
			t.Errorf("%s: Expected no private key on the page", site)
		}
		p = v.post(at, append(settings, "client_certificate", "", "client_key", "", "remove_client_certificate", "true")...)
		if v.shows(p, 200, "Settings saved.", "sends no client certificate"); strings.Contains(p.text, fingerprint) || strings.Contains(p.text, "remove_client_certificate") {
			t.Errorf("%s: Expected the certificate to be removed, received %s", site, p.text)
		}
	}
}

func TestARescheduleInDoubtIsResolvedOnTheNewBookingsPage(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	old := call[booked](s, domain.Reseller, "POST", "/resellers/bookings", s.order(made))
	at := "/resellers/bookings/" + old.ID
	call[booked](s, domain.Reseller, "POST", at+"/payment", `{"outcome":"succeeded","reference":"p-1"}`)
	slots, err := s.partner.Default().Slots("tokyo-market", "breakfast", s.now().AddDate(0, 0, 14), 20)
	errtest.Check(t, err)
	slots = slices.DeleteFunc(slots, func(slot control.SlotState) bool { return slot.Vacancies < 2 })
	pgtest.Exec(t, s.store, `INSERT INTO slots (variation_id, availability_id, local_date, starts_at, ends_at, status, news_at)
		SELECT variation_id, $1, $2::timestamptz::date, $2, $2::timestamptz + interval '3 hours', 'AVAILABLE', now() FROM slots`, slots[0].AvailabilityID, slots[0].Start)
	s.arm(`{match: {endpoint: confirm}, times: 1, status: 500}`)
	to := call[booked](s, domain.Reseller, "POST", at+"/reschedule", fmt.Sprintf(`{"availability_id":%q,"reference":"p-2"}`, slots[0].AvailabilityID))

	v := s.operator()
	before, after := "/console/bookings/"+old.ID, "/console/bookings/"+to.ID
	if p := v.get(before); strings.Contains(p.text, "Cancel booking…") {
		t.Error("want a booking that is being rescheduled not to be cancelled")
	} else {
		v.shows(p, 200, "Being rescheduled to", `href="`+after+`"`)
	}
	if p := v.get(after); strings.Contains(p.text, "Cancel booking…") {
		t.Error("want a reschedule in doubt to be confirmed or resolved")
	} else {
		v.shows(p, 200, "Rescheduled from", `href="`+before+`"`, "it is unknown whether the partner has booked the new slot", "Confirm again", "Resolve")
	}
	v.shows(v.post(after+"/resolve"), 200, "The booking is now CANCELLED.")
	if p := v.get(before); strings.Contains(p.text, "Being rescheduled to") || !strings.Contains(p.text, "Cancel booking…") {
		t.Errorf("want the old booking as it was, got %s", p.text)
	}
}

// styleAddress matches the address of a page's style.
var styleAddress = regexp.MustCompile(`/console/style-[0-9a-f]+\.css`)
