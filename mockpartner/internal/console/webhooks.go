package console

import (
	"fmt"
	"net/http"
	"time"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/webhook"
)

// webhooksPanel lists the webhooks that the sandbox sends, the newest first.
type webhooksPanel struct {
	webhook.Status
	Newest  []deliveryView
	More    more
	Setup   call
	Trigger call
	Off     call
}

type deliveryView struct{ client.Delivery }

func (b *builder) webhooks() webhooksPanel {
	panel := webhooksPanel{Status: b.box.Webhooks().Status(webhook.Filter{}, maxListed)}
	for _, d := range newestMatching(panel.Deliveries, b.choice.limit("webhooks", fewListed, maxListed), matchAll) {
		panel.Newest = append(panel.Newest, deliveryView{d})
	}
	panel.More = b.choice.more("webhooks", len(panel.Newest), len(panel.Deliveries))
	panel.Setup = b.call(call{
		ID: "webhooks-set", Label: "Set up", Of: "webhooks", Method: http.MethodPut, Path: "/webhooks",
		Fields: []field{
			{Kind: textField, Name: "url", Label: "Address of the integration", Hint: "http://127.0.0.1:8080/api/v1/partner-integrations/…"},
			{Kind: secretField, Name: "secret", Label: "Secret"},
		},
	})
	panel.Trigger = b.call(call{ID: "webhooks-trigger", Label: "Send sync/trigger", Method: http.MethodPost, Path: "/webhooks/trigger"})
	panel.Off = b.call(call{ID: "webhooks-off", Label: "Turn off", Of: "webhooks", Method: http.MethodDelete, Path: "/webhooks"})
	return panel
}

// Class returns the state as a CSS class.
func (d deliveryView) Class() string {
	switch d.State {
	case webhook.Delivered:
		return "good"
	case webhook.Failed:
		return "failed"
	case webhook.Dropped:
		return "refused"
	default:
		return "open"
	}
}

// Last describes the outcome of the last attempt.
func (d deliveryView) Last() string {
	if len(d.Attempts) == 0 {
		return d.Reason
	}
	last := d.Attempts[len(d.Attempts)-1]
	words := fmt.Sprintf("%s, %s", plural.Count(len(d.Attempts), "attempt"), durationWords(time.Duration(last.DurationMS)*time.Millisecond))
	if last.Status != 0 {
		return fmt.Sprintf("%d %s after %s", last.Status, http.StatusText(last.Status), words)
	}
	return last.Error + " after " + words
}
