package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/event"
)

// eventHandler serves resellers' subscriptions and feed, and operators' view of them.
type eventHandler struct{ service *event.Service }

// subscriptionView is a subscription as its reseller, and operators, see it.
type subscriptionView struct {
	ID           uuid.UUID                     `json:"_id"`
	Mode         domain.Mode                   `json:"mode"`
	URL          *string                       `json:"url"`
	Events       domain.List[domain.EventType] `json:"events"`
	CreatedAt    time.Time                     `json:"created_at"`
	FailingSince *time.Time                    `json:"failing_since"`
	Disabled     *disabledView                 `json:"disabled"`
	Previous     *time.Time                    `json:"previous_secret_until"` // null: only one secret signs
	Secret       *string                       `json:"secret"`                // null except when it is created or rotated
}

type disabledView struct {
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
}

func viewSubscription(s event.Subscription) subscriptionView {
	view := subscriptionView{ID: s.ID, Mode: s.Mode, URL: orNull(s.URL), Events: s.Events, CreatedAt: s.CreatedAt, FailingSince: s.FailingSince, Previous: s.PreviousUntil}
	if s.DisabledAt != nil {
		view.Disabled = &disabledView{*s.DisabledAt, *s.DisabledReason}
	}
	return view
}

// deliveryView is the state of an event's delivery to an address.
type deliveryView struct {
	Event       uuid.UUID        `json:"event_id"`
	Type        domain.EventType `json:"type"`
	State       event.State      `json:"state"`
	Attempts    int              `json:"attempts"`
	CreatedAt   time.Time        `json:"created_at"`
	NextAttempt *time.Time       `json:"next_attempt_at"`
	Last        *attemptView     `json:"last_attempt"`
}

type attemptView struct {
	At     time.Time `json:"at"`
	Status *int      `json:"status"`
	Error  *string   `json:"error"`
}

func viewDelivery(d event.Delivery) deliveryView {
	view := deliveryView{Event: d.Event, Type: d.Type, State: d.State, Attempts: d.Attempts, CreatedAt: d.OwedAt}
	if d.State == event.Pending {
		view.NextAttempt = &d.DueAt
	}
	if d.LastAt != nil {
		view.Last = &attemptView{*d.LastAt, d.LastCode, d.LastError}
	}
	return view
}

// views converts a list for answers: [] if it is empty.
func views[T, V any](list []T, err error, view func(T) V) ([]V, error) {
	shown := make([]V, len(list))
	for i, one := range list {
		shown[i] = view(one)
	}
	return shown, err
}

func (h eventHandler) subscribe(r *http.Request, body event.Request) (any, error) {
	made, secret, err := h.service.Subscribe(r.Context(), scope(r), body)
	view := viewSubscription(made)
	view.Secret = orNull(secret)
	return view, err
}

func (h eventHandler) change(r *http.Request, id uuid.UUID, body event.Change) (any, error) {
	changed, err := h.service.Change(r.Context(), scope(r), id, body)
	return viewSubscription(changed), err
}

func (h eventHandler) rotate(r *http.Request, id uuid.UUID) (any, error) {
	rotated, secret, err := h.service.RotateSecret(r.Context(), scope(r), id)
	view := viewSubscription(rotated)
	view.Secret = &secret
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
	return views(list, err, viewSubscription)
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
	return views(list, err, viewDelivery)
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
