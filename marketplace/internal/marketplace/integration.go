package marketplace

import (
	"net/url"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/schemas/partnerapi"
)

// Integration is a partner's platform as its account has registered it.
type Integration struct {
	ID                    uuid.UUID
	AccountID             uuid.UUID
	Name                  string
	BaseURL               *url.URL // http or https; the endpoints lie below it
	AuthType              partnerapi.AuthType
	AuthKey               []byte // sealed for the integration's id
	WebhookSecretHash     []byte // SHA-256
	HandlesTicketDelivery bool
	CreatedAt             time.Time
	DeletedAt             time.Time // zero: it is live
	LastSyncAt            time.Time // when the last pull that was stored was sent; zero: there is none
}
