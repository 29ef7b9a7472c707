package console_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/browsertest"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/replica"
	"partnerkit.dev/marketplace/internal/replica/replicatest"
	"partnerkit.dev/marketplace/internal/waittest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/partnerapi"
)

// browser is the one of all tests.
var browser browsertest.Shared

func TestMain(m *testing.M) { pgtest.Main(m, browser.Close) }

const password = replicatest.Password

// shop is a service with its console, an account of each role, and a partner.
type shop struct {
	t        testing.TB
	store    *postgres.Store
	address  string
	accounts map[domain.Role]domain.Account
	partner  *mockpartner.Mock
	base     string // the partner's address
	control  *client.Client
	ahead    atomic.Int64
}

func (s *shop) now() time.Time {
	return time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(s.ahead.Load()))
}

func open(t testing.TB, change ...func(*replica.Config)) *shop {
	t.Helper()
	database := pgtest.URL(t)
	s := &shop{t: t, store: pgtest.OpenAt(t, database)}
	s.accounts = replicatest.Accounts(t, s.store, s.now())
	config := replicatest.Config(t, s.store, pgtest.OpenAt(t, database), s.now)
	config.RateLimit = 6000
	for _, c := range change {
		c(&config)
	}
	_, s.address = replicatest.Serve(t, config)
	mock := mocktest.Start(t, mockpartner.Options{AuthKey: "partner-key", Now: s.now(), Frozen: true, Seed: 1})
	s.partner, s.base, s.control = mock.Mock, mock.URL, mock.Control
	return s
}

// call calls the API as an account of the role, requires success, and returns the answer's data.
func call[T any](s *shop, role domain.Role, method, path, body string, headers ...string) (data T) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.address+"/api/v1"+path, strings.NewReader(body))
	errtest.Check(s.t, err)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if role != "" {
		tokens := call[auth.Tokens](s, "", "POST", "/auth/login", fmt.Sprintf(`{"email":%q,"password":%q}`, s.accounts[role].Email, password))
		request.Header.Set("Authorization", "Bearer "+tokens.AccessToken)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	errtest.Check(s.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	errtest.Check(s.t, err)
	frame := struct{ Data *T }{&data}
	if err := json.Unmarshal(text, &frame); err != nil || response.StatusCode >= 300 {
		s.t.Fatalf("%s %s was answered with %d: %s", method, path, response.StatusCode, text)
	}
	return data
}

// registered is the answer to a registration.
type registered struct {
	ID     string `json:"integration_id"`
	Secret string `json:"webhook_secret"`
}

// register registers the partner with a name.
func (s *shop) register(name string) registered {
	s.t.Helper()
	return call[registered](s, domain.Partner, "POST", "/partner-integrations", fmt.Sprintf(`{"name":%q,"base_url":%q,"auth_key":"partner-key"}`, name, s.base))
}

// registerStocked registers the partner and pulls its catalog.
func (s *shop) registerStocked() registered {
	s.t.Helper()
	made := s.register("Old Town Walks")
	call[json.RawMessage](s, domain.Operator, "POST", "/operator/integrations/"+made.ID+"/sync", `{}`)
	return made
}

// order returns the body of a checkout for a slot of the partner.
func (s *shop) order(of registered) string {
	s.t.Helper()
	const product, option = "tokyo-market", "breakfast"
	slots, err := s.partner.Default().Slots(product, option, s.now().AddDate(0, 0, 9), 20)
	errtest.Check(s.t, err)
	for _, slot := range slots {
		if slot.Status != partnerapi.StatusAvailable {
			continue
		}
		call[any](s, "", "POST", "/partner-integrations/"+of.ID+"/availability/notify", fmt.Sprintf(
			`{"productId":%q,"optionId":%q,"availabilityId":%q,"localDateTimeStart":%q,"localDateTimeEnd":%q,"status":"AVAILABLE","vacancies":6}`,
			product, option, slot.AvailabilityID, partnerapi.FormatDateTime(slot.Start), partnerapi.FormatDateTime(slot.End)), "x-webhook-secret", of.Secret)
		var activity, variation uuid.UUID
		errtest.Check(s.t, s.store.Pool().QueryRow(s.t.Context(), `SELECT v.activity_id, v.id FROM slots s JOIN variations v ON v.id = s.variation_id`).Scan(&activity, &variation))
		return fmt.Sprintf(`{"activity_id":%q,"variation_id":%q,"availability_id":%q,"units":[{"type":"ADULT","quantity":2}],"contact":{"fullName":"Ana Sousa","emailAddress":"ana@example.com"},"reseller_reference":"R-1017"}`,
			activity, variation, slot.AvailabilityID)
	}
	s.t.Fatal("no slot can be booked")
	return ""
}

// arm makes the partner fail.
func (s *shop) arm(fault string) {
	s.t.Helper()
	_, err := s.control.Faults.Arm(s.t.Context(), fault)
	errtest.Check(s.t, err)
}

// byHand reports to the partner's judge that an operator repeats the confirm, so that it does not
// count as a breach by the marketplace.
func (s *shop) byHand() {
	s.t.Helper()
	_, err := s.control.Journal.Testify(s.t.Context(), client.Testimony{ByHand: s.partner.Default().Holds()[0].Code})
	errtest.Check(s.t, err)
}

// booked contains the tested fields of a booking.
type booked struct {
	ID     string `json:"_id"`
	Status string
}

// bookUnconfirmed returns the id of a paid booking whose confirm the partner refused.
func (s *shop) bookUnconfirmed(order string) string {
	s.t.Helper()
	made := call[booked](s, domain.Reseller, "POST", "/resellers/bookings", order)
	s.arm(`{match: {endpoint: confirm}, times: 1, status: 409, body: '{"message":"The hold is gone."}'}`)
	if b := call[booked](s, domain.Reseller, "POST", "/resellers/bookings/"+made.ID+"/payment", `{"outcome":"succeeded","reference":"p-1"}`); b.Status != "PAID" {
		s.t.Fatalf("want it paid and not confirmed, got %s", b.Status)
	}
	return made.ID
}

// visitor is an HTTP client with cookies, like a browser.
type visitor struct {
	*shop
	client *http.Client
}

// page is a page that a visitor received.
type page struct {
	status  int
	header  http.Header
	address string // the address after all redirects
	text    string
}

func (s *shop) visitor() *visitor {
	jar, err := cookiejar.New(nil)
	errtest.Check(s.t, err)
	return &visitor{s, &http.Client{Jar: jar}}
}

// operator returns a visitor who is signed in to the console.
func (s *shop) operator() *visitor {
	s.t.Helper()
	return s.enter("/console", "operator@example.com", password)
}

// enter returns a visitor who is signed in to a site.
func (s *shop) enter(site, email, password string) *visitor {
	s.t.Helper()
	v := s.visitor()
	if p := v.post(site+"/signin", "email", email, "password", password); p.status != 200 || !strings.HasPrefix(p.address, site+"/") || strings.Contains(p.address, "signin") {
		s.t.Fatalf("Expected to be signed in, received %d at %s: %s", p.status, p.address, p.text)
	}
	return v
}

func (v *visitor) get(path string) page {
	v.t.Helper()
	request, err := http.NewRequestWithContext(v.t.Context(), "GET", v.address+path, nil)
	errtest.Check(v.t, err)
	return v.send(request)
}

// seen returns the fields of a form with the settings that an operator saw on its page.
func (s *shop) seen(fields ...string) []string {
	return append(fields, "base_url", s.base, "auth_type", "bearer", "handles_ticket_delivery", "false")
}

// firstChange returns the first event of a page that is followed.
func (v *visitor) firstChange(path string) string {
	v.t.Helper()
	ctx, cancel := context.WithCancel(v.t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", v.address+path, nil)
	errtest.Check(v.t, err)
	response, err := v.client.Do(request)
	errtest.Check(v.t, err)
	defer response.Body.Close()
	var event strings.Builder
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() && lines.Text() != "" {
		event.WriteString(lines.Text() + "\n")
	}
	return event.String()
}

// post sends a form, as a page of the same site does.
func (v *visitor) post(path string, fields ...string) page {
	v.t.Helper()
	return v.postFrom("same-origin", path, fields...)
}

func (v *visitor) postFrom(site, path string, fields ...string) page {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	request, err := http.NewRequestWithContext(v.t.Context(), "POST", v.address+path, strings.NewReader(form.Encode()))
	errtest.Check(v.t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", site)
	return v.send(request)
}

// sync syncs an integration from its page, and returns the page once the sync has ended.
func (v *visitor) sync(at, mode string) page {
	v.t.Helper()
	v.post(at+"/sync", "mode", mode)
	var p page
	waittest.Until(v.t, "the sync has ended", func() bool {
		p = v.get(at)
		return !strings.Contains(p.text, " sync runs, ")
	})
	return p
}

// ids matches the ids of a page's elements.
var ids = regexp.MustCompile(` id="([^"]*)"`)

// send returns the answer's page. It requires that every label and link leads to the right element.
func (v *visitor) send(request *http.Request) page {
	v.t.Helper()
	response, err := v.client.Do(request)
	errtest.Check(v.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	errtest.Check(v.t, err)
	if len(text) > largestPage && strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
		v.t.Errorf("%s: expected a page of at most %d bytes, received %d", request.URL.Path, largestPage, len(text))
	}
	seen := map[string]bool{}
	for _, id := range ids.FindAllSubmatch(text, -1) {
		if seen[string(id[1])] {
			v.t.Errorf("%s: expected each id once, two elements have %s", request.URL.Path, id[1])
		}
		seen[string(id[1])] = true
	}
	return page{response.StatusCode, response.Header, response.Request.URL.RequestURI(), string(text)}
}

// largestPage is the maximum size of a page, in bytes, before it is compressed.
const largestPage = 60_000

// shows requires a page with that status that contains these words.
func (v *visitor) shows(p page, status int, words ...string) {
	v.t.Helper()
	if p.status != status {
		v.t.Errorf("%s: want %d, got %d", p.address, status, p.status)
	}
	for _, word := range words {
		if !strings.Contains(p.text, word) {
			v.t.Errorf("%s: want %q on the page, got\n%s", p.address, word, p.text)
		}
	}
}
