package domain

import (
	"net/url"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/schemas/partnerapi"
)

// Integration is a partner's platform as registered.
type Integration struct {
	ID                uuid.UUID
	AccountID         uuid.UUID
	Name              string
	Mode              Mode     // never changes
	BaseURL           *url.URL // http or https; the endpoints are below it
	AuthType          partnerapi.AuthType
	AuthKey           []byte // encrypted for the integration's id
	ClientIdentity    []byte // the client certificate and its private key, encrypted like AuthKey; empty: none
	ClientCertificate *ClientCertificate
	WebhookSecretHash []byte // SHA-256
	// PreviousWebhookSecretHash is the hash of the secret before the last rotation. It is accepted
	// until PreviousWebhookSecretUntil. Both are zero if no earlier secret is accepted.
	PreviousWebhookSecretHash  []byte
	PreviousWebhookSecretUntil time.Time
	HandlesTicketDelivery      bool
	InRegistry                 bool // its certificate is shown in the public registry
	CreatedAt                  time.Time
	DeletedAt                  time.Time // zero: live
	LastSyncAt                 time.Time // when the last stored pull was sent; zero before the first
}

// ClientCertificate is what is shown of the certificate with which the marketplace identifies itself to
// a partner.
type ClientCertificate struct {
	Fingerprint string    `json:"fingerprint"` // SHA-256, in hexadecimal digits
	ExpiresAt   time.Time `json:"expires_at"`
}

// Origin returns the scheme, host and port that the integration's key was given for. The key is sent
// nowhere else: a caller who can change the address must not receive it.
func (i Integration) Origin() string { return i.BaseURL.Scheme + "://" + i.BaseURL.Host }

// MoveTo returns the integration with another base URL. The error is Unprocessable if the URL has
// another origin and no key is given for it.
func (i Integration) MoveTo(base *url.URL, keyGiven bool) (Integration, error) {
	moved := i
	moved.BaseURL = base
	if origin := i.Origin(); !keyGiven && moved.Origin() != origin {
		return i, &Error{
			Code: Unprocessable, Reason: KeyRequired, Message: "the key is required for another origin; send auth_key in the same request",
			Details: []string{"auth_key: required, because base_url has another scheme, host or port than the stored key was given for (" + origin + ")"},
		}
	}
	return moved, nil
}

// JudgedSettings are the settings of an integration that a conformance run and an operator judge. A
// certificate, an approval to go live and an integration's own policy hold for these alone.
type JudgedSettings struct {
	BaseURL               string              `json:"base_url"`
	AuthType              partnerapi.AuthType `json:"auth_type"`
	HandlesTicketDelivery bool                `json:"handles_ticket_delivery"`
}

// JudgedSettings returns the integration's settings that are judged.
func (i Integration) JudgedSettings() JudgedSettings {
	return JudgedSettings{i.BaseURL.String(), i.AuthType, i.HandlesTicketDelivery}
}

// SalesDays is how many days the overview shows.
const SalesDays = 14

// CertificateSoon is how long before its end a certificate needs attention.
const CertificateSoon = 7 * 24 * time.Hour

// SlotsLateAfter is the normal maximum age of an option's slots: they are pulled every night, which
// may take two hours.
const SlotsLateAfter = 26 * time.Hour
