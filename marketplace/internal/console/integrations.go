package console

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"time"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/console/chart"
)

// integrationView is an integration with its page's address.
type integrationView struct {
	client.Integration
	Root string `json:"-"` // of the site that shows it
}

// Address returns the integration's page.
func (i integrationView) Address() string { return i.Root + "/integrations/" + i.ID }

// IsCertified reports whether the integration has a valid certificate, whose file can be downloaded.
func (i integrationView) IsCertified() bool {
	return i.Certification != nil && i.Certification.State == "certified"
}

// SyncedAt returns when the last sync was, whether it stored anything or not.
func (i integrationView) SyncedAt() time.Time {
	if last := i.LastSync; last != nil && last.StartedAt.After(i.LastSyncAt) {
		return last.StartedAt
	}
	return i.LastSyncAt
}

// Calls returns the chart of the calls to an integration's partner.
func (f *frame) Calls(i integrationView) chart.Calls {
	return chart.NewCalls(i.Integration.Calls, f.now)
}

// Evidence returns the calls that show a breach.
func (i integrationView) Evidence(b client.Breach) *evidence { return judgedEvidence(b) }

// integration reads the integration in the path.
func (x *exchange) integration() (integrationView, error) {
	found, _, err := read[integrationView](x, "/partner-integrations/"+x.id(), nil)
	found.Root = x.site.Root
	return found, err
}

// integrationCalls reads what belongs to one integration.
type integrationCalls struct {
	*caller
	id string
}

func (i integrationCalls) path() string { return "/partner-integrations/" + i.id }

// parts reads what belongs to the integration in the path.
func (x *exchange) parts() integrationCalls { return integrationCalls{x.caller, x.id()} }

func (s *site) registrationForm(given url.Values) *form {
	whose := choose(s.Operators, "The partner's", "Your")
	fields := append([]field{
		{Name: "name", Label: "Name", Required: true, Hint: whose + " name, as people know it."},
		{Name: "mode", Label: "Mode", Kind: "choice", Choices: modes, Hint: "Only test tokens can see and book a test integration. It cannot be changed later."},
		{Name: "base_url", Label: "Base URL", Kind: "url", Required: true, Hint: whose + " endpoints are below it, for example https://api.example.com/partner."},
		{Name: "auth_type", Label: "How the key is sent", Kind: "choice", Choices: []choice{{"bearer", "bearer: Bearer and the key"}, {"api_key", "api_key: the key alone"}}},
		{Name: "auth_key", Label: "Key", Kind: "password", Required: true, Complete: "off", Hint: choose(s.Operators, "The partner's key for the marketplace.", "The key that the marketplace sends to you.") + " It is stored encrypted and never shown."},
		{Name: "handles_ticket_delivery", Label: s.ticketsLabel(), Kind: "checkbox"},
	}, certificateFields("")...)
	return newForm(given, fields...)
}

func listIntegrations(x *exchange) error {
	return x.showIntegrations(http.StatusOK, x.site.registrationForm(nil))
}

func register(x *exchange) error {
	body := map[string]any{"handles_ticket_delivery": x.given.Get("handles_ticket_delivery") == "true"}
	for name, text := range texts(x.given, "name", "mode", "base_url", "auth_type", "auth_key", "client_certificate", "client_key") {
		body[name] = text
	}
	made, err := send[client.Registered](x, http.MethodPost, "/partner-integrations", body)
	if err != nil {
		return refusedForm(err, x.site.registrationForm(x.given), x.showIntegrations)
	}
	words := "Registered. Your platform sends this secret as x-webhook-secret. It is shown only once:"
	if x.site.Operators {
		words = "Registered. Start a full sync next. The partner's platform sends this secret as x-webhook-secret. It is shown only once:"
	}
	if err := x.say(note{Words: words, Secret: string(made.WebhookSecret)}); err != nil {
		return err
	}
	return x.goTo(x.site.Root + "/integrations/" + made.IntegrationID)
}

func (x *exchange) showIntegrations(status int, f *form) error {
	query := x.queryValues("q", "mode")
	list, part, err := read[[]integrationView](x, "/partner-integrations", query)
	if err != nil {
		return err
	}
	for i := range list {
		list[i].Root = x.site.Root
	}
	return x.show(status, "integrations.html", &filteredPage[integrationView]{
		listPage: listPage[integrationView]{frame{Page: x.site.label("integrations"), Section: "integrations"}, list, x.newPager(part, x.site.Root+"/integrations", query), f, len(query) > 0, query},
		Filter:   newFilter(query, field{Name: "q", Label: "Name or address", Kind: "search"}, anyOf("mode", "Mode", "all", "live", "test")),
	})
}

type integrationPage struct {
	frame
	integrationView
	actionResult
	Timeline timeline
	Suite    bool         // the service has the conformance command
	Runs     []client.Run // the last conformance runs
	Syncs    []client.Sync
	Pager    pager
	Failures []failure         // the last calls that failed
	Received []receivedWebhook // the last webhooks
	Bookings []partnersBooking // the last ones; for partners
	Steps    []step            // before going live; for partners
	Events   []eventView       // the last ones; for partners
	Policy   *form             // for operators
	Edited   bool              // the settings form was sent
	Webhook  *form
	Badge    string // the HTML of the badge in the public registry; "": it is not there
}

// CallsOf returns the chart of the calls to the page's partner.
func (p *integrationPage) CallsOf() chart.Calls { return p.Calls(p.integrationView) }

// actionResult is the result of an action for an integration's page.
type actionResult struct {
	Settings *form         // the settings that were sent; nil: not sent
	Trial    *client.Trial // of the settings; nil: not tested
	tried    *webhookTried // nil: not tried
}

// TriedWebhook returns the webhook that was tried.
func (s actionResult) TriedWebhook() *webhookTried { return s.tried }

// syncsShown is the number of syncs on a page.
const syncsShown = "10"

func showIntegration(x *exchange) error { return x.showIntegrationWith(http.StatusOK, actionResult{}) }

// showIntegrationWith shows an integration with the result of an action.
func (x *exchange) showIntegrationWith(status int, with actionResult) error {
	found, err := x.integration()
	if err != nil {
		return err
	}
	p := &integrationPage{frame: frame{Page: found.Name, Section: "integrations"}, integrationView: found, actionResult: with, Suite: x.Suite, Timeline: newTimeline(found, x.Now()), Edited: with.Settings != nil, Webhook: webhookForm(nil)}
	if found.Syncing != nil {
		p.Follow = found.Address() + "/changes"
	}
	if found.InRegistry {
		p.Badge = x.badge(found.Integration)
	}
	query := x.queryValues()
	asked := maps.Clone(query)
	asked.Set("limit", syncsShown)
	syncs, part, err := read[[]client.Sync](x, "/partner-integrations/"+x.id()+"/syncs", asked)
	if err != nil {
		return err
	}
	p.Syncs, p.Pager = syncs, x.newPager(part, found.Address(), query)
	p.Pager.Newest = true
	failed, received, err := x.parts().calls()
	if err != nil {
		return err
	}
	p.Failures, p.Received = failuresOf(failed), received
	if p.Runs, err = x.parts().runs(); err != nil {
		return err
	}
	if !x.site.Operators {
		if p.Bookings, _, err = x.parts().bookings(url.Values{"limit": {bookingsShown}}); err != nil {
			return err
		}
		if p.Events, err = x.parts().lastEvents(); err != nil {
			return err
		}
		p.Steps = stepsOf(p)
	} else {
		p.Policy = policyForm(found.Integration)
	}
	if !p.Edited {
		p.Settings = x.site.settingsForm(nil, found.Integration)
	}
	return x.show(status, "integration.html", p)
}

func syncIntegration(x *exchange) error {
	return x.sync("/sync", map[string]string{"mode": x.given.Get("mode")})
}

func approveSync(x *exchange) error { return x.sync("/sync/approve", struct{}{}) }

// sync starts a sync and shows the page once it runs, or was refused. It goes on after the answer: other
// pages see it, and its result is in the list of syncs.
func (x *exchange) sync(call string, body any) error {
	apart := *x.caller
	apart.context = context.WithoutCancel(x.caller.context)
	ended := make(chan error, 1)
	go func() {
		_, err := send[client.Sync](&apart, http.MethodPost, "/operator/integrations/"+x.id()+call, body)
		ended <- err
	}()
	page := x.site.Root + "/integrations/" + x.id() + "#syncs-title"
	err := x.untilSyncing(ended)
	if err == nil {
		return x.goTo(page)
	}
	return x.act(page, func() (string, error) { return "", err })
}

// syncLook is the pause between two looks at whether a sync runs.
const syncLook = 50 * time.Millisecond

// untilSyncing waits until a sync of the integration runs or the call has ended.
func (x *exchange) untilSyncing(ended <-chan error) error {
	for {
		select {
		case err := <-ended:
			return err
		case <-time.After(syncLook):
		}
		if found, err := x.integration(); err != nil || found.Syncing != nil {
			return err
		}
	}
}

func askToDelete(x *exchange) error {
	found, err := x.integration()
	if err != nil {
		return err
	}
	return x.confirm("Delete "+found.Name, "integrations", confirmPage{
		Back: found.Address(), Do: "Delete the integration", Action: found.Address() + "/delete",
		Says: []string{
			"Its activities leave the list immediately, and its holds are released.",
			"Confirmed bookings stay and can be cancelled. The partner's key is erased once no booking needs it.",
			"Registering the same address again from the same account restores the activities.",
		},
	})
}

func deleteIntegration(x *exchange) error {
	return x.act(x.site.Root+"/integrations", func() (string, error) {
		_, err := send[struct{}](x, http.MethodDelete, "/partner-integrations/"+x.id(), nil)
		return "Integration deleted.", err
	})
}
