package api

import (
	"net/http"

	"github.com/google/uuid"
	"github.com/gorilla/mux"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/marketplace"
)

// webhookRoutes are for partners' platforms, which present their webhook secret.
func (a *API) webhookRoutes() []route {
	return []route{
		{http.MethodPost, "/api/v1/partner-integrations/{integration}/sync/trigger", anybody, a.triggerSync},
		{http.MethodPost, "/api/v1/partner-integrations/{integration}/availability/notify", anybody, a.notifySlot},
	}
}

const webhookHeader = "X-Webhook-Secret"

var errNoSecret = &marketplace.Error{Code: marketplace.Invalid, Message: "the header x-webhook-secret is missing"}

// webhook returns the integration that calls (WHK-4). What is wrong with the id, or the
// secret, is not said.
func (a *API) webhook(r *http.Request) (marketplace.Integration, error) {
	given := r.Header.Get(webhookHeader)
	if given == "" {
		return marketplace.Integration{}, errNoSecret
	}
	// An id of the wrong form is looked for like any other that nobody has.
	id, err := uuid.Parse(mux.Vars(r)["integration"])
	if err != nil {
		id = uuid.Nil
	}
	i, err := a.integrations.ByWebhook(r.Context(), id, given)
	if err != nil {
		return i, err
	}
	return i, a.allow(exchangeOf(r.Context()), "webhook:"+i.ID.String())
}

// triggerSync pulls the whole catalog at once (WHK-1).
func (a *API) triggerSync(w http.ResponseWriter, r *http.Request) error {
	i, err := a.webhook(r)
	if err != nil {
		return err
	}
	target, err := a.integrations.Target(i)
	if err != nil {
		return err
	}
	made, err := a.syncer.Sync(r.Context(), catalog.Order{Target: target, Mode: catalog.Full, Cause: catalog.ByPartner})
	if err != nil {
		return err
	}
	if !made.Skipped {
		a.caughtUp(r)
	}
	return writeData(w, http.StatusOK, map[string]any{"synced": made.Synced, "skipped": made.Skipped})
}

// notifySlot stores news of one slot (WHK-2). Whether it was known is not told (WHK-3).
func (a *API) notifySlot(w http.ResponseWriter, r *http.Request) error {
	i, err := a.webhook(r)
	if err != nil {
		return err
	}
	at := a.now()
	body, err := bodyOf(r)
	if err != nil {
		return err
	}
	news, err := catalog.ReadNotification(body, at)
	if err != nil {
		return err
	}
	if err := a.notifier.Notify(r.Context(), i.ID, news); err != nil {
		return err
	}
	return writeData(w, http.StatusOK, map[string]any{"updated": true})
}
