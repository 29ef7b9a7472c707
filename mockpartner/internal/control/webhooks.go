package control

import (
	"context"
	"errors"
	"net/http"
	"time"

	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
)

// showWebhooks shows how the sandbox's webhooks are set up, without the secret,
// and what became of those that were sent.
func showWebhooks(w http.ResponseWriter, r *http.Request) {
	query := query{values: r.URL.Query()}
	filter := webhooksOf(&query)
	limit := query.number("limit", defaultLimit)
	if query.refused(w, "kind", "state", "limit") {
		return
	}
	reply.JSON(w, http.StatusOK, sandboxOf(r).Webhooks().Status(filter, int(limit)))
}

func webhooksOf(q *query) webhook.Filter {
	return webhook.Filter{Kind: word(q, "kind", script.WebhookKinds()), State: word(q, "state", webhook.States())}
}

func (a *api) setWebhooks(w http.ResponseWriter, r *http.Request) {
	text, ok := reply.Whole(w, r, maxBody)
	if !ok {
		return
	}
	sender := sandboxOf(r).Webhooks()
	config, err := a.webhooksFor("body", text)
	if err == nil {
		err = sender.Configure(*config)
	}
	if refused(w, err) {
		return
	}
	reply.JSON(w, http.StatusOK, sender.Status(webhook.Filter{}, defaultLimit))
}

// webhooksFor reads webhooks that a caller of the control API may set up.
func (a *api) webhooksFor(name string, text []byte) (*webhook.Config, error) {
	config, err := script.ParseWebhooks(name, text)
	if err == nil {
		err = a.mayCall(config)
	}
	return &config, err
}

// mayCall keeps callers of the control API from what is for those who start the
// mock: to read its environment, and, where the API is open to all on the
// machine, to have other machines called.
func (a *api) mayCall(c webhook.Config) error {
	if c.SecretEnv != "" {
		return errors.New("secret_env: the mock's environment can be read in scenario files only; name the secret itself")
	}
	if a.Token == "" && !c.OnLoopback() {
		return errors.New("url: without a control token only loopback addresses can be set here: start the mock with --control-token, or with --webhook-url")
	}
	return nil
}

func unsetWebhooks(w http.ResponseWriter, r *http.Request) {
	sender := sandboxOf(r).Webhooks()
	sender.Off()
	reply.JSON(w, http.StatusOK, sender.Status(webhook.Filter{}, defaultLimit))
}

func sendTrigger(w http.ResponseWriter, r *http.Request) {
	sent(w)(sandboxOf(r).Webhooks().Trigger())
}

type notifyRequest struct {
	ProductID      string `json:"productId"`
	OptionID       string `json:"optionId"`
	AvailabilityID string `json:"availabilityId"`
}

func sendNotify(w http.ResponseWriter, r *http.Request) {
	var request notifyRequest
	if read(w, r, &request) {
		sent(w)(sandboxOf(r).Webhooks().Notify(request.ProductID, request.OptionID, request.AvailabilityID))
	}
}

func sent(w http.ResponseWriter) func(webhook.Delivery, error) {
	return func(delivery webhook.Delivery, err error) {
		switch {
		case errors.Is(err, webhook.ErrOff):
			reply.Message(w, http.StatusConflict, "%v: PUT %s/webhooks {\"url\": …, \"secret\": …} does it", err, Path)
		case err != nil:
			refuse(w, err)
		default:
			reply.JSON(w, http.StatusAccepted, delivery)
		}
	}
}

func waitForWebhooks(w http.ResponseWriter, r *http.Request) {
	query := query{values: r.URL.Query()}
	filter := webhooksOf(&query)
	count := query.number("count", 1)
	timeout := query.duration("timeout", defaultWait, maxWait)
	if query.refused(w, "kind", "state", "count", "timeout") {
		return
	}
	// Not every server can; then its own deadline holds.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeout + writeGrace))
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	seen := sandboxOf(r).Webhooks().Wait(ctx, filter, int(count))
	reply.JSON(w, http.StatusOK, waitAnswer{Met: uint64(seen) >= count, Count: seen})
}
