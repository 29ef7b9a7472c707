package api

import (
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
)

// webhookHandler serves partners' webhooks, which are authenticated by the webhook secret.
type webhookHandler struct {
	guard        *guard
	integrations integrationHandler
	notifier     *catalog.Notifier
	journal      *partner.Journal[partner.WebhookEntry]
	now          func() time.Time
}

var errNoSecret = &domain.Error{Code: domain.Invalid, Message: "the header x-webhook-secret is missing"}

// caller returns the calling integration (WHK-4). The error does not say whether the id or the
// secret is wrong.
func (h webhookHandler) caller(r *http.Request) (domain.Integration, error) {
	given := r.Header.Get("X-Webhook-Secret")
	// An invalid id is looked up like any unknown one.
	id, err := uuid.Parse(mux.Vars(r)["integration"])
	if err != nil {
		id = uuid.Nil
	}
	i, err := h.integrations.service.ByWebhook(r.Context(), id, given)
	exchangeOf(r.Context()).integration = i.ID
	switch {
	case given == "":
		return i, errNoSecret
	case err != nil:
		return i, h.guard.refuse(r, err)
	}
	return i, h.guard.allow(exchangeOf(r.Context()), "webhook:"+i.ID.String())
}

// recordWebhook records a webhook's answer in the integration's journal. The answer does not wait for it.
func (h webhookHandler) recordWebhook(webhook partner.Webhook, f read) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		began := h.now()
		data, err := f(r)
		status, reason := http.StatusOK, ""
		if err != nil {
			p := problemOf(err)
			status, reason = p.Code, strings.Join(p.Error, "; ")
		}
		if id := exchangeOf(r.Context()).integration; id != uuid.Nil {
			ended := h.now()
			h.journal.Add(id, err != nil, partner.NewWebhookEntry(id, webhook, began, ended.Sub(began), status, reason))
		}
		return respondOK(func(*http.Request) (any, error) { return data, err })(w, r)
	}
}

// trigger pulls the whole catalog (WHK-1).
func (h webhookHandler) trigger(r *http.Request) (any, error) {
	i, err := h.caller(r)
	if err != nil {
		return nil, err
	}
	made, err := h.integrations.syncNow(r, i, catalog.Order{Mode: catalog.Full, Cause: catalog.ByPartner})
	return client.Pull{Skipped: made.Skipped, Synced: made.Synced}, err
}

// notify stores a notification of one slot (WHK-2). The answer does not say whether the slot was
// known (WHK-3).
func (h webhookHandler) notify(r *http.Request) (any, error) {
	i, err := h.caller(r)
	if err != nil {
		return nil, err
	}
	at := h.now()
	body, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	notification, err := catalog.ReadNotification(body, at)
	if err != nil {
		return nil, err
	}
	if err := h.notifier.Notify(r.Context(), i.ID, notification); err != nil {
		return nil, err
	}
	h.integrations.caughtUp(r.Context()) // lists by date show the slot
	return map[string]any{"updated": true}, nil
}
