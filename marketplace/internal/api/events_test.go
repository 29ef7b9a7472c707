package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/event"
)

type webhook struct {
	ID     string `json:"_id"`
	URL    *string
	Events []string
	Secret *string

	Previous *time.Time `json:"previous_secret_until"`
	Disabled *struct{ Reason string }
}

const webhooks = "/api/v1/resellers/webhooks"

// feed publishes the stored events and reads them as a reseller, from a cursor.
func (b *bench) feed(t testing.TB, as header, after string) (events []event.Event, next string) {
	t.Helper()
	_, err := b.store.Events.Publish(t.Context())
	must(t, err)
	path := "/api/v1/resellers/events?limit=100"
	if after != "" {
		path += "&after=" + after
	}
	a := b.do(t, http.MethodGet, path, "", as)
	frame := struct {
		Data []event.Event `json:"data"`
		Next string        `json:"next_cursor"`
	}{}
	must(t, json.Unmarshal(a.body, &frame))
	return frame.Data, frame.Next
}

func kinds(events []event.Event) (list []domain.EventType) {
	for _, e := range events {
		list = append(list, e.Type)
	}
	return list
}

func TestAResellerReceivesEventsOfItsBookingsAndTheCatalogEventsItSubscribesTo(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	a := domain.Account{ID: uuid.New(), Email: "bo@example.com", Role: domain.Reseller, PasswordHash: s.accounts[domain.Reseller].PasswordHash, CreatedAt: s.now()}
	must(t, s.store.Accounts.CreateAccount(t.Context(), a))
	other := s.signInAs(t, a.Email)
	if a := s.do(t, http.MethodPost, webhooks, `{"events":["activity.changed","activity.removed","slot.changed"]}`, s.reseller); a.StatusCode != http.StatusCreated {
		t.Fatalf("want a webhook, got %s", a.body)
	}
	var made struct {
		ID         string    `json:"_id"`
		ActivityID string    `json:"activity_id"`
		Start      time.Time `json:"start"`
	}
	s.do(t, http.MethodPost, "/api/v1/resellers/bookings", s.order, s.reseller).data(t, &made)
	s.do(t, http.MethodPost, "/api/v1/resellers/bookings/"+made.ID+"/payment", `{"outcome":"succeeded","reference":"p1"}`, s.reseller)
	s.do(t, http.MethodPost, "/api/v1/resellers/bookings/"+made.ID+"/payment", `{"outcome":"succeeded","reference":"p2"}`, s.reseller)
	s.do(t, http.MethodPost, "/api/v1/resellers/bookings/"+made.ID+"/cancel", `{}`, s.reseller)
	mine, next := s.feed(t, s.reseller, "")
	of := slices.DeleteFunc(slices.Clone(mine), func(e event.Event) bool { return !strings.HasPrefix(string(e.Type), "booking.") })
	if want := []domain.EventType{domain.BookingConfirmed, domain.BookingAttention, domain.BookingCancelled}; !slices.Equal(kinds(of), want) {
		t.Errorf("want %v, got %v", want, kinds(of))
	}
	if !slices.Contains(kinds(mine), domain.SlotChanged) {
		t.Errorf("Expected an event for the slot that the booking takes seats of, received %v", kinds(mine))
	}
	for _, e := range mine {
		if text := string(e.Data); strings.Contains(text, "@") || strings.Contains(text, "fullName") {
			t.Errorf("want nothing of the guest, got %s", text)
		}
	}
	operator, activity := s.signIn(t, domain.Operator), "/api/v1/operator/activities/"+made.ActivityID
	s.do(t, http.MethodPatch, activity, `{"activity_title":"Another title"}`, operator)
	s.do(t, http.MethodPatch, activity, `{"status":"Inactive"}`, operator)
	s.do(t, http.MethodPatch, activity, `{"status":"Active"}`, operator)
	later, end := s.feed(t, s.reseller, next)
	if want := []domain.EventType{domain.ActivityChanged, domain.ActivityRemoved, domain.ActivityChanged}; !slices.Equal(kinds(later), want) {
		t.Errorf("want %v, got %v", want, kinds(later))
	}
	if rest, again := s.feed(t, s.reseller, end); len(rest) > 0 || again != end {
		t.Errorf("want the end of the feed, got %v and %s after %s", rest, again, end)
	}
	if reported, _ := s.feed(t, other, ""); len(reported) > 0 {
		t.Errorf("Expected no event for another reseller, received %v", kinds(reported))
	}
}

func TestEventsWithoutASubscriberAreNotStored(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	var stored int
	must(t, s.store.Pool().QueryRow(t.Context(), `SELECT count(*) FROM event_outbox`).Scan(&stored))
	if stored > 0 {
		t.Errorf("want no event of a catalog and its slots, got %d", stored)
	}
}

func TestAWebhookIsItsResellersAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reseller, operator := b.signIn(t, domain.Reseller), b.signIn(t, domain.Operator)
	a := domain.Account{ID: uuid.New(), Email: "bo@example.com", Role: domain.Reseller, PasswordHash: b.accounts[domain.Reseller].PasswordHash, CreatedAt: b.now()}
	must(t, b.store.Accounts.CreateAccount(t.Context(), a))
	other := b.signInAs(t, a.Email)
	var made, listed webhook
	b.do(t, http.MethodPost, webhooks, `{"url":"https://shop.example/hooks?key=1","events":["booking.confirmed","booking.confirmed"]}`, reseller).data(t, &made)
	if made.Secret == nil || !strings.HasPrefix(*made.Secret, "whsec_") || len(made.Events) != 1 {
		t.Errorf("want a secret, and the event once, got %+v", made)
	}
	list := []webhook{}
	b.do(t, http.MethodGet, webhooks, "", reseller).data(t, &list)
	if listed = list[0]; len(list) != 1 || listed.ID != made.ID || listed.Secret != nil {
		t.Errorf("want it listed without its secret, got %+v", list)
	}
	var sealed []byte
	must(t, b.store.Pool().QueryRow(t.Context(), `SELECT secret FROM event_subscriptions`).Scan(&sealed))
	if strings.Contains(string(sealed), *made.Secret) {
		t.Error("want the secret stored sealed")
	}
	one := webhooks + "/" + made.ID
	retry := one + "/deliveries/" + uuid.NewString() + "/retry"
	for _, path := range []string{one + "/deliveries"} {
		wantProblem(t, b.do(t, http.MethodGet, path, "", other), http.StatusNotFound)
	}
	wantProblem(t, b.do(t, http.MethodDelete, one, "", other), http.StatusNotFound)
	wantProblem(t, b.do(t, http.MethodPost, retry, "", other), http.StatusNotFound)
	wantProblem(t, b.do(t, http.MethodPost, retry, "", reseller), http.StatusNotFound)
	wantProblem(t, b.do(t, http.MethodGet, webhooks, "", b.signIn(t, domain.Affiliate)), http.StatusForbidden)
	account := "/api/v1/operator/accounts/" + b.accounts[domain.Reseller].ID.String() + "/webhooks"
	list = nil
	b.do(t, http.MethodGet, account, "", operator).data(t, &list)
	if len(list) != 1 || list[0].Secret != nil {
		t.Errorf("want operators to see it without its secret, got %+v", list)
	}
	if a := b.do(t, http.MethodGet, account+"/"+made.ID+"/deliveries?state=failed", "", operator); a.StatusCode != http.StatusOK {
		t.Errorf("want its deliveries, got %s", a.body)
	}
	if a := b.do(t, http.MethodDelete, one, "", reseller); a.StatusCode != http.StatusOK {
		t.Errorf("want it deleted, got %s", a.body)
	}
	for range 10 {
		b.do(t, http.MethodPost, webhooks, `{"events":["slot.changed"]}`, reseller)
	}
	wantProblem(t, b.do(t, http.MethodPost, webhooks, `{"events":["slot.changed"]}`, reseller), http.StatusConflict, "10 webhooks")
}

func TestAWebhookIsChangedAndItsSecretRotated(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	var made, changed, rotated webhook
	s.do(t, http.MethodPost, webhooks, `{"url":"https://shop.example/hooks","events":["slot.changed"]}`, s.reseller).data(t, &made)
	one := webhooks + "/" + made.ID
	s.do(t, http.MethodPatch, one, `{"events":["slot.changed","activity.changed","activity.changed"],"url":null}`, s.reseller).data(t, &changed)
	if len(changed.Events) != 2 || changed.URL == nil || *changed.URL != "https://shop.example/hooks" || changed.Secret != nil {
		t.Errorf("Expected other events and the same address, received %+v", changed)
	}
	s.do(t, http.MethodPost, one+"/secret", "", s.reseller).data(t, &rotated)
	if rotated.Secret == nil || *rotated.Secret == *made.Secret || rotated.Previous == nil {
		t.Errorf("Expected another secret beside the one before, received %+v", rotated)
	}
	s.do(t, http.MethodPatch, one, `{"enabled":false}`, s.reseller).data(t, &changed)
	if changed.Disabled == nil || changed.Disabled.Reason != "the reseller disabled it" || changed.Secret != nil {
		t.Errorf("Expected it to say that it is disabled, received %+v", changed)
	}
	var order struct {
		Activity string `json:"activity_id"`
	}
	must(t, json.Unmarshal([]byte(s.order), &order))
	activity := "/api/v1/operator/activities/" + order.Activity
	_, next := s.feed(t, s.reseller, "")
	s.do(t, http.MethodPatch, activity, `{"activity_title":"Another title"}`, s.signIn(t, domain.Operator))
	if read, _ := s.feed(t, s.reseller, next); !slices.Contains(kinds(read), domain.ActivityChanged) {
		t.Errorf("Expected the feed to have the events of a disabled webhook, received %v", kinds(read))
	}
	wantProblem(t, s.do(t, http.MethodPatch, one, `{"url":"ftp://shop.example","events":["slot.changed","nothing"]}`, s.reseller), http.StatusBadRequest, "url: ", "events[1]: ")
	wantProblem(t, s.do(t, http.MethodPatch, one, `{"events":[]}`, s.reseller), http.StatusBadRequest, "events: name at least one")
	s.do(t, http.MethodPatch, one, `{"enabled":true,"url":""}`, s.reseller).data(t, &changed)
	if changed.Disabled != nil || changed.URL != nil {
		t.Errorf("Expected it enabled without an address, received %+v", changed)
	}
	unknown := webhooks + "/" + uuid.NewString()
	wantProblem(t, s.do(t, http.MethodPatch, unknown, `{"enabled":true}`, s.reseller), http.StatusNotFound)
	wantProblem(t, s.do(t, http.MethodPost, unknown+"/secret", "", s.reseller), http.StatusNotFound)
	test := header{"X-Mode", "test"}
	wantProblem(t, s.do(t, http.MethodPatch, one, `{"enabled":false}`, s.reseller, test), http.StatusNotFound)
	wantProblem(t, s.do(t, http.MethodPost, one+"/secret", "", s.reseller, test), http.StatusNotFound)
}

func TestAnInvalidWebhookIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reseller := b.signIn(t, domain.Reseller)
	for body, words := range map[string]string{
		`{"url":"https://shop.example"}`:                                                "events: name at least one",
		`{"events":["booking.held"]}`:                                                   "events[0]: no such type",
		`{"url":"ftp://shop.example","events":["slot.changed"]}`:                        "url: must be",
		`{"url":"https://ana:pw@shop.example","events":["slot.changed"]}`:               "url: must be",
		`{"url":"https://shop.example/x#part","events":["slot.changed"]}`:               "url: must be",
		`{"url":"https://shop.example/\u0000","events":["slot.changed"]}`:               "url",
		`{"url":7,"events":["slot.changed"]}`:                                           "url",
		`{"url":"https://2130706433/x","events":["slot.changed"]}`:                      "url: must be",
		`{"url":"https://` + strings.Repeat("x", 2000) + `","events":["slot.changed"]}`: "url: must be",
	} {
		wantProblem(t, b.do(t, http.MethodPost, webhooks, body, reseller), http.StatusBadRequest, words)
	}
	wantProblem(t, b.do(t, http.MethodGet, "/api/v1/resellers/events?after=x", "", reseller), http.StatusBadRequest, "next_cursor")
	_, err := b.store.Pool().Exec(t.Context(), `UPDATE event_horizon SET dropped = 100`)
	must(t, err)
	wantProblem(t, b.do(t, http.MethodGet, "/api/v1/resellers/events?after=99", "", reseller), http.StatusGone, "cursor_expired")
}
