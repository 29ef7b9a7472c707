package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
)

// showWebhooks returns the configuration of the sandbox's webhooks, without the secret, and the
// deliveries.
func showWebhooks(c *call) (any, error) {
	query := c.query()
	filter := webhooksOf(query)
	limit := query.number("limit", defaultLimit)
	return c.box.Webhooks().Status(filter, int(limit)), query.check()
}

func webhooksOf(q *query) webhook.Filter {
	return webhook.Filter{
		Kind:  word(q, "kind", fmt.Sprintf("one of %v", script.WebhookKinds()), script.WebhookKinds()),
		State: word(q, "state", fmt.Sprintf("one of %v", webhook.States()), webhook.States()),
	}
}

func setWebhooks(c *call) (any, error) {
	sender := c.box.Webhooks()
	config, err := parseBody(c, maxBody, c.webhooksFor)
	if err == nil {
		err = sender.Configure(*config)
	}
	return sender.Status(webhook.Filter{}, defaultLimit), err
}

// webhooksFor parses webhooks and checks that a caller of the control API may configure them.
func (a *api) webhooksFor(name string, text []byte) (*webhook.Config, error) {
	config, err := script.ParseWebhooks(name, text)
	if err == nil {
		err = a.mayCall(config)
	}
	return &config, err
}

// mayCall refuses what only the person who starts the mock may do: read its environment and,
// without a token, send requests to other machines.
func (a *api) mayCall(c webhook.Config) error {
	if c.SecretEnv != "" {
		return errors.New("secret_env: the mock's environment can be read in scenario files only; name the secret itself")
	}
	if a.Token == "" && !c.OnLoopback() {
		return errors.New("url: without a control token only loopback addresses can be set here: start the mock with --control-token, or with --webhook-url")
	}
	return nil
}

func unsetWebhooks(c *call) (any, error) {
	sender := c.box.Webhooks()
	sender.TurnOff()
	return sender.Status(webhook.Filter{}, defaultLimit), nil
}

func sendTrigger(c *call) (any, error) { return sentAnswer(c.box.Webhooks().Trigger()) }

type notifyRequest struct {
	ProductID      string `json:"productId"`
	OptionID       string `json:"optionId"`
	AvailabilityID string `json:"availabilityId"`
}

func sendNotify(c *call) (any, error) {
	request, err := read[notifyRequest](c)
	if err != nil {
		return nil, err
	}
	return sentAnswer(c.box.Webhooks().Notify(request.ProductID, request.OptionID, request.AvailabilityID))
}

func sentAnswer(delivery client.Delivery, err error) (any, error) {
	if errors.Is(err, webhook.ErrOff) {
		err = fmt.Errorf("%w: PUT %s/webhooks {\"url\": …, \"secret\": …} does it", err, Path)
	}
	return answer{http.StatusAccepted, delivery}, aboutSlot(err)
}

func waitForWebhooks(c *call) (any, error) {
	query := c.query()
	filter := webhooksOf(query)
	return c.waitFor(query, func(ctx context.Context, count int) (waitAnswer, error) {
		seen := c.box.Webhooks().Wait(ctx, filter, count)
		return waitAnswer{Met: seen >= count, Count: seen}, nil
	})
}
