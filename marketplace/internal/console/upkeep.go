package console

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"partnerkit.dev/marketplace/client"
)

// receivedWebhook is a webhook of a partner's platform.
type receivedWebhook struct{ client.ReceivedWebhook }

// Path returns the webhook's path below its integration, such as sync/trigger.
func (w receivedWebhook) Path() string { return strings.Replace(w.Webhook, "_", "/", 1) }

// Webhooks are shown one by one, and failed calls by their kind: more of them make no longer page.
const (
	webhooksShown = "10"
	failedRead    = "100"
)

// calls reads the last failed calls to a partner and its last webhooks.
func (i integrationCalls) calls() (failed []client.Call, received []receivedWebhook, err error) {
	if failed, _, err = read[[]client.Call](i, i.path()+"/calls", url.Values{"failed": {"true"}, "limit": {failedRead}}); err != nil {
		return nil, nil, err
	}
	received, _, err = read[[]receivedWebhook](i, i.path()+"/webhook-deliveries", url.Values{"limit": {webhooksShown}})
	return failed, received, err
}

// settingsForm is the form for an integration's settings, with the given or the stored values.
func (s *site) settingsForm(given url.Values, i client.Integration) *form {
	fields := []field{
		{Name: "name", Label: "Name", Required: true, Value: i.Name},
		{Name: "base_url", Label: "Base URL", Kind: "url", Required: true, Value: i.BaseURL},
		{Name: "auth_type", Label: "How the key is sent", Kind: "choice", Value: string(i.AuthType), Choices: []choice{{"bearer", "bearer: Bearer and the key"}, {"api_key", "api_key: the key alone"}}},
		{Name: "auth_key", Label: "New key", Kind: "password", Complete: "off", Hint: "Leave it empty to keep the stored key. Enter it if the scheme, host or port of the base URL changes: the stored key is sent nowhere else."},
		{Name: "handles_ticket_delivery", Label: s.ticketsLabel(), Kind: "checkbox", Value: word(i.HandlesTicketDelivery)},
	}
	fields = append(fields, certificateFields("Leave both empty to keep what is stored.")...)
	if i.ClientCertificate != nil {
		fields = append(fields, field{Name: removeCertificate, Label: "Remove the client certificate", Kind: "checkbox"})
	}
	return newForm(given, append(fields,
		field{Name: "force", Label: "Save without a test", Kind: "checkbox", Hint: "A new address, key or certificate is stored even if the partner does not work with it."},
	)...)
}

// certificateFields are the fields for a client certificate and its private key.
func certificateFields(hint string) []field {
	return []field{
		{Name: "client_certificate", Label: "Client certificate", Kind: "area", Rows: 4, Hint: "In PEM, if the platform requires one. " + hint},
		{Name: "client_key", Label: "Private key of the client certificate", Kind: "secret area", Rows: 4, Hint: "In PEM, without a password. It is stored encrypted and never shown."},
	}
}

// removeCertificate is the checkbox that removes the client certificate.
const removeCertificate = "remove_client_certificate"

// putCertificate adds a new client certificate to a body of the API, or its removal.
func putCertificate(body map[string]any, given url.Values) error {
	both := texts(given, "client_certificate", "client_key")
	remove := given.Get(removeCertificate) == "true"
	isNew := both["client_certificate"] != "" || both["client_key"] != ""
	if remove && isNew {
		return &refusal{Status: http.StatusUnprocessableEntity, Details: []string{removeCertificate + ": remove it, or replace it by another one"}}
	}
	if remove || isNew {
		for name, text := range both {
			body[name] = text
		}
	}
	return nil
}

// expiresSoon is how long before its end a client certificate is marked.
const expiresSoon = 30 * 24 * time.Hour

// ExpiryPill returns the mark of a client certificate, or "" if it needs none.
func (f *frame) ExpiryPill(at time.Time) string {
	switch left := at.Sub(f.now); {
	case left <= 0:
		return "expired"
	case left < expiresSoon:
		return "expires soon"
	}
	return ""
}

func (s *site) ticketsLabel() string {
	return choose(s.Operators, "The partner delivers its own tickets", "Your platform delivers its own tickets")
}

// word returns a checkbox's value: "" if it is not checked.
func word(ticked bool) string {
	if ticked {
		return "true"
	}
	return ""
}

// changeIntegration saves an integration's settings, or tests them.
func changeIntegration(x *exchange) error {
	found, err := x.integration()
	if err != nil {
		return err
	}
	body := map[string]any{}
	for name, text := range texts(x.given, "name", "base_url", "auth_type", "auth_key") {
		if name != "auth_key" || text != "" {
			body[name] = text
		}
	}
	f := x.site.settingsForm(x.given, found.Integration)
	refuse := func(err error) error {
		return refusedForm(err, f, func(status int, f *form) error { return x.showIntegrationWith(status, actionResult{Settings: f}) })
	}
	if err := putCertificate(body, x.given); err != nil {
		return refuse(err)
	}
	if x.given.Get("do") == "test" {
		delete(body, "name")
		trial, err := send[client.Trial](x, http.MethodPost, "/partner-integrations/"+x.id()+"/test", body)
		if err != nil {
			return refuse(err)
		}
		return x.showIntegrationWith(http.StatusOK, actionResult{Settings: f, Trial: &trial})
	}
	body["handles_ticket_delivery"], body["force"] = x.given.Get("handles_ticket_delivery") == "true", x.given.Get("force") == "true"
	if _, err := send[client.Integration](x, http.MethodPatch, "/partner-integrations/"+x.id(), body); err != nil {
		return refuse(err)
	}
	return x.done(found.Address(), "Settings saved.")
}

// testIntegration tests the stored settings.
func testIntegration(x *exchange) error {
	trial, err := send[client.Trial](x, http.MethodPost, "/partner-integrations/"+x.id()+"/test", struct{}{})
	if err != nil {
		return err
	}
	return x.showIntegrationWith(http.StatusOK, actionResult{Trial: &trial})
}

func askToRotate(x *exchange) error {
	found, err := x.integration()
	if err != nil {
		return err
	}
	says := []string{
		"You get a new secret, which is shown once. " + choose(x.site.Operators, "Give it to the partner.", "Set it on your platform."),
		"The present secret is accepted for 24 hours more, so that no webhook is refused meanwhile.",
	}
	if !found.PreviousSecretUntil.IsZero() {
		says = append(says, "The secret before it, from the last rotation, stops working immediately.")
	}
	return x.confirm("Rotate the webhook secret of "+found.Name, "integrations", confirmPage{
		Back: found.Address(), Do: "Rotate the secret", Action: found.Address() + "/rotate", Says: says,
	})
}

func rotateSecret(x *exchange) error {
	made, err := send[client.Registered](x, http.MethodPost, "/partner-integrations/"+x.id()+"/webhook-secret", struct{}{})
	if err != nil {
		return err
	}
	if err := x.say(note{Words: "The partner's platform sends this secret as x-webhook-secret. It is shown only once:", Secret: string(made.WebhookSecret)}); err != nil {
		return err
	}
	return x.goTo(x.site.Root + "/integrations/" + x.id())
}
