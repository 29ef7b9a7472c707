package console

import (
	"net/http"
	"net/url"

	"partnerkit.dev/marketplace/client"
)

// webhookView is a reseller's webhook with its last deliveries.
type webhookView struct {
	client.EventWebhook
	Deliveries []client.EventDelivery
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
		if list[i].Deliveries, _, err = read[[]client.EventDelivery](x, path+"/"+list[i].ID+"/deliveries", asked); err != nil {
			return err
		}
	}
	return x.show(http.StatusOK, "webhooks.html", &webhooksPage{frame{Page: "Webhooks of " + account.Email, Section: "accounts"}, account, list, state})
}
