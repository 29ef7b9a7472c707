package console

import (
	"fmt"
	"net/http"
	"net/url"

	"partnerkit.dev/marketplace/client"
)

// integrationView is an integration with its page.
type integrationView struct{ client.Integration }

// Address is the integration's page.
func (i integrationView) Address() string { return Path + "/integrations/" + i.ID }

type integrationsPage struct {
	frame
	List  []integrationView
	Pager pager
	Form  *form // for a new one
}

func registrationForm(given url.Values) *form {
	return newForm(given,
		field{Name: "name", Label: "Name", Required: true, Hint: "Of the partner, for people."},
		field{Name: "base_url", Label: "Base URL", Kind: "url", Required: true, Hint: "The partner's endpoints lie below it, such as https://api.example.com/partner."},
		field{Name: "auth_type", Label: "How the key is sent", Kind: "choice", Choices: []choice{{"bearer", "bearer: Bearer and the key"}, {"api_key", "api_key: the key alone"}}},
		field{Name: "auth_key", Label: "Key", Kind: "password", Required: true, Complete: "off", Hint: "The partner's, for the marketplace. It is kept sealed and never shown."},
		field{Name: "handles_ticket_delivery", Label: "The partner delivers its own tickets", Kind: "checkbox"},
	)
}

func listIntegrations(v *visit) error {
	return v.showIntegrations(http.StatusOK, registrationForm(nil))
}

func register(v *visit) error {
	given, err := v.form()
	if err != nil {
		return err
	}
	body := map[string]any{"handles_ticket_delivery": given.Get("handles_ticket_delivery") == "true"}
	for name, text := range texts(given, "name", "base_url", "auth_type", "auth_key") {
		body[name] = text
	}
	made, err := send[struct {
		ID     string `json:"integration_id"`
		Secret string `json:"webhook_secret"`
	}](v, http.MethodPost, "/partner-integrations", body)
	if said := refused(err); said != nil && (said.Status == http.StatusBadRequest || said.Status == http.StatusConflict) {
		f := registrationForm(given)
		f.refuse(said)
		return v.showIntegrations(http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	if err := v.say(note{Words: "Registered: start a full sync. The partner's platform sends this secret as x-webhook-secret; it is shown this once:", Secret: made.Secret}); err != nil {
		return err
	}
	return v.goTo(Path + "/integrations/" + made.ID)
}

func (v *visit) showIntegrations(status int, f *form) error {
	query := v.asked()
	list, part, err := get[[]integrationView](v, "/partner-integrations", query)
	if err != nil {
		return err
	}
	return v.show(status, "integrations.html", &integrationsPage{
		frame{Page: "Integrations", Section: "integrations"}, list, newPager(part, Path+"/integrations", query), f,
	})
}

type integrationPage struct {
	frame
	integrationView
	Band  band
	Syncs []client.Sync
	Pager pager
}

// syncsShown is how many syncs a page has.
const syncsShown = "10"

func showIntegration(v *visit) error {
	found, _, err := get[integrationView](v, "/partner-integrations/"+v.id(), nil)
	if err != nil {
		return err
	}
	query := v.asked()
	syncs, part, err := get[[]client.Sync](v, "/operator/integrations/"+v.id()+"/syncs", url.Values{"page": query["page"], "limit": {syncsShown}})
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "integration.html", &integrationPage{
		frame{Page: found.Name, Section: "integrations"}, found, newBand(found, v.Now()), syncs, newPager(part, found.Address(), query),
	})
}

func syncIntegration(v *visit) error {
	given, err := v.form()
	if err != nil {
		return err
	}
	return v.sync("/sync", map[string]string{"mode": given.Get("mode")})
}

func approveSync(v *visit) error { return v.sync("/sync/approve", struct{}{}) }

// sync has the API make a sync, and says what came of it.
func (v *visit) sync(call string, body any) error {
	return v.act(Path+"/integrations/"+v.id(), func() (string, error) {
		made, err := send[client.Sync](v, http.MethodPost, "/operator/integrations/"+v.id()+call, body)
		return cameOf(made), err
	})
}

// cameOf says what a sync has done.
func cameOf(made client.Sync) string {
	switch {
	case made.Skipped:
		return "Synced: the catalog is the last one's, nothing has changed."
	case made.Guard != nil:
		return fmt.Sprintf("Synced, but for %d of %d activities that it would take away: they wait for your approval.", made.Guard.WouldDeactivate, made.Guard.Of)
	}
	words := fmt.Sprintf("Synced: %s, %d created, %d updated, %d deactivated", plural(made.Synced, "product", "products"), made.Created, made.Updated, made.Deactivated)
	if aside := len(made.SetAside); aside > 0 {
		words += ", " + plural(aside, "product set aside", "products set aside")
	}
	return words + "."
}

func askToDelete(v *visit) error {
	found, _, err := get[integrationView](v, "/partner-integrations/"+v.id(), nil)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "sure.html", &surePage{
		frame: frame{Page: "Delete " + found.Name, Section: "integrations"}, Back: found.Address(), Do: "Delete the integration", Action: found.Address() + "/delete",
		Says: []string{
			"Its activities leave the list at once, and its holds are given back.",
			"Confirmed bookings stay, and can be called off; the partner's key is forgotten once no booking needs it.",
			"Whoever registers the same address again, from the same account, gets the activities back.",
		},
	})
}

func deleteIntegration(v *visit) error {
	return v.act(Path+"/integrations", func() (string, error) {
		_, err := send[struct{}](v, http.MethodDelete, "/partner-integrations/"+v.id(), nil)
		return "The integration is deleted.", err
	})
}
