package console

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/booking"
	"partnerkit.dev/marketplace/catalog"
	"partnerkit.dev/marketplace/health"
	"partnerkit.dev/schemas/partnerapi"
)

// integrationView is an integration as the API shows it to operators.
type integrationView struct {
	ID                    uuid.UUID           `json:"integration_id"`
	Name                  string              `json:"name"`
	BaseURL               string              `json:"base_url"`
	AuthType              partnerapi.AuthType `json:"auth_type"`
	HandlesTicketDelivery bool                `json:"handles_ticket_delivery"`
	CreatedAt             time.Time           `json:"created_at"`
	LastSyncAt            *time.Time          `json:"last_sync_at"`
	Health                healthView          `json:"health"`
	LastSync              *catalog.Sync       `json:"last_sync"`
	AwaitsApproval        bool                `json:"awaits_approval"`
	Slots                 catalog.SlotsKnown  `json:"slots"`
	Breaches              []booking.Breach    `json:"breaches"`
}

type healthView struct {
	State        partnerapi.Health `json:"state"`
	FailureCount int64             `json:"failure_count"`
	LastOKAt     *time.Time        `json:"last_ok_at"`
	Changes      []health.Change   `json:"changes"`
}

// Address is the integration's page.
func (i integrationView) Address() string { return Path + "/integrations/" + i.ID.String() }

type integrationsPage struct {
	frame
	List  []integrationView
	Pager pager
}

func listIntegrations(v *visit) error {
	query := v.asked()
	list, part, err := get[[]integrationView](v, "/partner-integrations", query)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "integrations.html", &integrationsPage{
		frame{Title: "Integrations", Section: "integrations"}, list, newPager(part, Path+"/integrations", query),
	})
}

type integrationPage struct {
	frame
	integrationView
	Band  band
	Syncs []catalog.Sync
	Pager pager
	Now   time.Time
}

// syncsShown is how many syncs a page has.
const syncsShown = "10"

func showIntegration(v *visit) error {
	found, _, err := get[integrationView](v, "/partner-integrations/"+v.id(), nil)
	if err != nil {
		return err
	}
	query := v.asked()
	syncs, part, err := get[[]catalog.Sync](v, "/operator/integrations/"+v.id()+"/syncs", url.Values{"page": query["page"], "limit": {syncsShown}})
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "integration.html", &integrationPage{
		frame{Title: found.Name, Section: "integrations"}, found, newBand(found, v.Now()), syncs, newPager(part, found.Address(), query), v.Now(),
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
		made, err := send[catalog.Sync](v, http.MethodPost, "/operator/integrations/"+v.id()+call, body)
		return cameOf(made), err
	})
}

// cameOf says what a sync has done.
func cameOf(made catalog.Sync) string {
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
		frame: frame{Title: "Delete " + found.Name, Section: "integrations"}, Back: found.Address(), Do: "Delete the integration", Action: found.Address() + "/delete",
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
