package console

import (
	"net/http"
	"net/url"
	"time"

	"partnerkit.dev/marketplace/client"
)

// webhookView is a reseller's webhook with its last deliveries.
type webhookView struct {
	ID           string    `json:"_id"`
	URL          string    `json:"url"` // "": its events are only in the feed
	Events       []string  `json:"events"`
	CreatedAt    time.Time `json:"created_at"`
	FailingSince time.Time `json:"failing_since"`
	Disabled     *struct {
		At     time.Time `json:"at"`
		Reason string    `json:"reason"`
	} `json:"disabled"`
	Deliveries []deliveryView `json:"-"`
}

type deliveryView struct {
	Event    string    `json:"event_id"`
	Type     string    `json:"type"`
	State    string    `json:"state"`
	Attempts int       `json:"attempts"`
	Created  time.Time `json:"created_at"`
	Next     time.Time `json:"next_attempt_at"`
	Last     struct {
		At    time.Time `json:"at"`
		Error string    `json:"error"`
	} `json:"last_attempt"`
}

type webhooksPage struct {
	frame
	Account client.AccountDetail
	List    []webhookView
	State   string // of the listed deliveries; "": all
}

// showWebhooks shows a reseller's webhooks and their last deliveries.
func showWebhooks(x *exchange) error {
	account, _, err := read[client.AccountDetail](x, "/operator/accounts/"+x.id(), nil)
	if err != nil {
		return err
	}
	path := "/operator/accounts/" + x.id() + "/webhooks"
	list, _, err := read[[]webhookView](x, path, nil)
	if err != nil {
		return err
	}
	asked := url.Values{"limit": {"50"}}
	state := x.r.URL.Query().Get("state")
	if state != "" {
		asked.Set("state", state)
	}
	for i := range list {
		if list[i].Deliveries, _, err = read[[]deliveryView](x, path+"/"+list[i].ID+"/deliveries", asked); err != nil {
			return err
		}
	}
	return x.show(http.StatusOK, "webhooks.html", &webhooksPage{frame{Page: "Webhooks of " + account.Email, Section: "accounts"}, account, list, state})
}
