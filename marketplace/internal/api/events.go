package api

import (
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/event"
)

// eventHandler serves resellers' subscriptions and feed, and operators' view of them.
type eventHandler struct{ service *event.Service }

func viewSubscription(s event.Subscription) client.EventWebhook {
	view := client.EventWebhook{
		ID: s.ID.String(), Mode: string(s.Mode), URL: s.URL, Events: viewList(s.Events, func(e domain.EventType) client.EventType { return client.EventType(e) }),
		CreatedAt: s.CreatedAt, FailingSince: valueOf(s.FailingSince), PreviousSecretUntil: valueOf(s.PreviousUntil),
	}
	if s.DisabledAt != nil {
		view.Disabled = &client.Disabled{At: *s.DisabledAt, Reason: *s.DisabledReason}
	}
	return view
}

func viewDelivery(d event.Delivery) client.EventDelivery {
	view := client.EventDelivery{EventID: d.Event.String(), Type: client.EventType(d.Type), State: string(d.State), Attempts: d.Attempts, CreatedAt: d.OwedAt}
	if d.State == event.Pending {
		view.NextAttempt = d.DueAt
	}
	if d.LastAt != nil {
		view.Last = &client.DeliveryAttempt{At: *d.LastAt, Status: valueOf(d.LastCode), Error: valueOf(d.LastError)}
	}
	return view
}

// viewList converts a list for answers: [] if it is empty.
func viewList[T, V any](list []T, view func(T) V) []V {
	shown := make([]V, len(list))
	for i, one := range list {
		shown[i] = view(one)
	}
	return shown
}

func (h eventHandler) subscribe(r *http.Request, body event.Request) (any, error) {
	made, secret, err := h.service.Subscribe(r.Context(), scope(r), body)
	view := viewSubscription(made)
	view.Secret = client.Secret(secret)
	return view, err
}

func (h eventHandler) change(r *http.Request, id uuid.UUID, body event.Change) (any, error) {
	changed, err := h.service.Change(r.Context(), scope(r), id, body)
	return viewSubscription(changed), err
}

func (h eventHandler) rotate(r *http.Request, id uuid.UUID) (any, error) {
	rotated, secret, err := h.service.RotateSecret(r.Context(), scope(r), id)
	view := viewSubscription(rotated)
	view.Secret = client.Secret(secret)
	return view, err
}

func (h eventHandler) subscriptions(r *http.Request) (any, error) {
	return h.subscriptionsIn(r, scope(r))
}

func (h eventHandler) subscriptionsOf(r *http.Request, account uuid.UUID) (any, error) {
	return h.subscriptionsIn(r, domain.Scope{Account: account})
}

func (h eventHandler) subscriptionsIn(r *http.Request, of domain.Scope) (any, error) {
	list, err := h.service.Subscriptions(r.Context(), of)
	return viewList(list, viewSubscription), err
}

func (h eventHandler) unsubscribe(r *http.Request, id uuid.UUID) (any, error) {
	return struct{}{}, h.service.Unsubscribe(r.Context(), scope(r), id)
}

func (h eventHandler) deliveries(r *http.Request, id uuid.UUID) (any, error) {
	return h.deliveriesOf(r, scope(r), id)
}

// anyDeliveries lists the deliveries of any account's subscription, for operators.
func (h eventHandler) anyDeliveries(r *http.Request, account uuid.UUID) (any, error) {
	id, err := pathID(r, "webhook")
	if err != nil {
		return nil, err
	}
	return h.deliveriesOf(r, domain.Scope{Account: account}, id)
}

func (h eventHandler) deliveriesOf(r *http.Request, of domain.Scope, id uuid.UUID) (any, error) {
	q := readQuery(r)
	state, most := event.State(q.validated("state", "oneof=pending delivered failed")), q.number("limit", usualOnPage, mostOnPage)
	if err := q.check(); err != nil {
		return nil, err
	}
	list, err := h.service.Deliveries(r.Context(), of, id, state, most)
	return viewList(list, viewDelivery), err
}

func (h eventHandler) retry(r *http.Request, id uuid.UUID) (any, error) {
	eventID, err := pathID(r, "event")
	if err != nil {
		return nil, err
	}
	d, err := h.service.Retry(r.Context(), scope(r), id, eventID)
	return viewDelivery(d), err
}

// feedView is a section of the feed.
type feedView struct {
	Success int           `json:"success"` // 1
	Data    []event.Event `json:"data"`
	Next    string        `json:"next_cursor"`
}

// feed answers with the events after a cursor, which is an event's position.
func (h eventHandler) feed(w http.ResponseWriter, r *http.Request) error {
	q := readQuery(r)
	after, most := int64(0), q.number("limit", usualOnPage, mostOnPage)
	if text, given := q.one("after"); given {
		var err error
		if after, err = strconv.ParseInt(text, 10, 64); err != nil || after < 0 {
			q.refuse("after", "use the next_cursor of an earlier answer")
		}
	}
	if err := q.check(); err != nil {
		return err
	}
	found, err := h.service.Feed(r.Context(), scope(r), after, most)
	if err != nil {
		return err
	}
	if found.Expired {
		return httpError(domain.CursorExpired, "events after this cursor were deleted: omit after to read the oldest stored events")
	}
	return writeJSON(w, http.StatusOK, feedView{1, found.Events, strconv.FormatInt(found.Next, 10)})
}
