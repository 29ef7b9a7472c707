package console

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"partnerkit.dev/marketplace/client"
)

// integrationView is an integration with its page.
type integrationView struct{ client.Integration }

// Address is the integration's page.
func (i integrationView) Address() string { return root + "/integrations/" + i.ID }

func registrationForm(given url.Values) *form {
	return newForm(given,
		field{Name: "name", Label: "Name", Required: true, Hint: "Of the partner, for people."},
		field{Name: "base_url", Label: "Base URL", Kind: "url", Required: true, Hint: "The partner's endpoints lie below it, such as https://api.example.com/partner."},
		field{Name: "auth_type", Label: "How the key is sent", Kind: "choice", Choices: []choice{{"bearer", "bearer: Bearer and the key"}, {"api_key", "api_key: the key alone"}}},
		field{Name: "auth_key", Label: "Key", Kind: "password", Required: true, Complete: "off", Hint: "The partner's, for the marketplace. It is kept sealed and never shown."},
		field{Name: "handles_ticket_delivery", Label: "The partner delivers its own tickets", Kind: "checkbox"},
	)
}

func listIntegrations(x *exchange) error {
	return x.showIntegrations(http.StatusOK, registrationForm(nil))
}

func register(x *exchange) error {
	body := map[string]any{"handles_ticket_delivery": x.given.Get("handles_ticket_delivery") == "true"}
	for name, text := range texts(x.given, "name", "base_url", "auth_type", "auth_key") {
		body[name] = text
	}
	made, err := send[struct {
		ID     string `json:"integration_id"`
		Secret string `json:"webhook_secret"`
	}](x, http.MethodPost, "/partner-integrations", body)
	if err != nil {
		return refusedForm(err, registrationForm(x.given), x.showIntegrations)
	}
	if err := x.say(note{Words: "Registered: start a full sync. The partner's platform sends this secret as x-webhook-secret; it is shown this once:", Secret: made.Secret}); err != nil {
		return err
	}
	return x.goTo(root + "/integrations/" + made.ID)
}

func (x *exchange) showIntegrations(status int, f *form) error {
	query := x.asked()
	list, part, err := read[[]integrationView](x, "/partner-integrations", query)
	if err != nil {
		return err
	}
	return x.show(status, "integrations.html", &listPage[integrationView]{
		frame: frame{Page: "Integrations", Section: "integrations"}, List: list, Pager: newPager(part, root+"/integrations", query), Form: f,
	})
}

type integrationPage struct {
	frame
	integrationView
	Timeline timeline
	Syncs    []client.Sync
	Pager    pager
}

// syncsShown is how many syncs a page has.
const syncsShown = "10"

func showIntegration(x *exchange) error {
	found, _, err := read[integrationView](x, "/partner-integrations/"+x.id(), nil)
	if err != nil {
		return err
	}
	query := x.asked()
	asked := maps.Clone(query)
	asked.Set("limit", syncsShown)
	syncs, part, err := read[[]client.Sync](x, "/operator/integrations/"+x.id()+"/syncs", asked)
	if err != nil {
		return err
	}
	pages := newPager(part, found.Address(), query)
	pages.Newest = true
	return x.show(http.StatusOK, "integration.html", &integrationPage{
		frame{Page: found.Name, Section: "integrations"}, found, newTimeline(found, x.Now()), syncs, pages,
	})
}

func syncIntegration(x *exchange) error {
	return x.sync("/sync", map[string]string{"mode": x.given.Get("mode")})
}

func approveSync(x *exchange) error { return x.sync("/sync/approve", struct{}{}) }

// sync has the API make a sync, and says what came of it.
func (x *exchange) sync(call string, body any) error {
	return x.act(root+"/integrations/"+x.id(), func() (string, error) {
		made, err := send[client.Sync](x, http.MethodPost, "/operator/integrations/"+x.id()+call, body)
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

func askToDelete(x *exchange) error {
	found, _, err := read[integrationView](x, "/partner-integrations/"+x.id(), nil)
	if err != nil {
		return err
	}
	return x.confirm("Delete "+found.Name, "integrations", confirmPage{
		Back: found.Address(), Do: "Delete the integration", Action: found.Address() + "/delete",
		Says: []string{
			"Its activities leave the list at once, and its holds are given back.",
			"Confirmed bookings stay, and can be called off; the partner's key is forgotten once no booking needs it.",
			"Whoever registers the same address again, from the same account, gets the activities back.",
		},
	})
}

func deleteIntegration(x *exchange) error {
	return x.act(root+"/integrations", func() (string, error) {
		_, err := send[struct{}](x, http.MethodDelete, "/partner-integrations/"+x.id(), nil)
		return "The integration is deleted.", err
	})
}
