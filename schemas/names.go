package schemas

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// The names of the schemas, by the side that sends the body.
const (
	// The catalog, GET /products.
	ProductsAnswer = "partner/products-answer"
	Product        = "partner/product"
	Option         = "partner/option"
	Unit           = "partner/unit"
	Restrictions   = "partner/restrictions"
	PricingEntry   = "partner/pricing-entry"

	// Slots, POST /availability.
	AvailabilityRequest = "partner/availability-request"
	AvailabilityAnswer  = "partner/availability-answer"
	Slot                = "partner/slot"
	UnitPricing         = "partner/unit-pricing"
	UnitQuantity        = "partner/unit-quantity"

	// Holds and bookings.
	ReserveRequest           = "partner/reserve-request"
	ReserveAnswer            = "partner/reserve-answer"
	ConfirmRequest           = "partner/confirm-request"
	ConfirmAnswer            = "partner/confirm-answer"
	ConfirmAnswerWithTickets = "partner/confirm-answer-with-tickets"
	Contact                  = "partner/contact"
	Ticket                   = "partner/ticket"
	DeliveryOption           = "partner/delivery-option"
	ReleaseRequest           = "partner/release-request"
	ReleaseAnswer            = "partner/release-answer"
	CancelRequest            = "partner/cancel-request"
	CancelAnswer             = "partner/cancel-answer"
	Refusal                  = "partner/refusal"

	// Webhooks, from partner to marketplace.
	SyncTriggerAnswer         = "webhook/sync-trigger-answer"
	AvailabilityNotifyRequest = "webhook/availability-notify-request"
	AvailabilityNotifyAnswer  = "webhook/availability-notify-answer"
	WebhookError              = "webhook/error"

	// What resellers read of the marketplace.
	ActivitiesAnswer       = "reseller/activities-answer"
	ActivityAnswer         = "reseller/activity-answer"
	Activity               = "reseller/activity"
	ActivityVariation      = "reseller/activity-variation"
	PublicVariationPricing = "reseller/public-variation-pricing"
	PricingUnit            = "reseller/pricing-unit"
	Pagination             = "reseller/pagination"
	CalendarAnswer         = "reseller/calendar-answer"
	CalendarDay            = "reseller/calendar-day"
	SlotsAnswer            = "reseller/slots-answer"
	ResellerSlot           = "reseller/slot"
	ResellerError          = "reseller/error"

	// What affiliates read beside.
	AffiliateActivitiesAnswer = "reseller/affiliate-activities-answer"
	AffiliateActivity         = "reseller/affiliate-activity"

	// How a partner is registered with the marketplace.
	Integration         = "integration/integration"
	IntegrationHealth   = "integration/health"
	CatalogSync         = "integration/sync"
	IntegrationSlots    = "integration/slots"
	IntegrationAnswer   = "integration/integration-answer"
	IntegrationsAnswer  = "integration/integrations-answer"
	SyncAnswer          = "integration/sync-answer"
	SyncsAnswer         = "integration/syncs-answer"
	RegistrationRequest = "integration/registration-request"
	RegistrationAnswer  = "integration/registration-answer"

	// Who signs in to the marketplace.
	LoginRequest   = "auth/login-request"
	RefreshRequest = "auth/refresh-request"
	TokensAnswer   = "auth/tokens-answer"

	// How operators run the marketplace.
	OverviewAnswer           = "operator/overview-answer"
	Account                  = "operator/account"
	AccountsAnswer           = "operator/accounts-answer"
	AccountDetailAnswer      = "operator/account-detail-answer"
	AccountChangeRequest     = "operator/account-change-request"
	OperatorActivity         = "operator/operator-activity"
	OperatorVariation        = "operator/operator-variation"
	OperatorActivityAnswer   = "operator/operator-activity-answer"
	OperatorActivitiesAnswer = "operator/operator-activities-answer"
	ActivityChangeRequest    = "operator/activity-change-request"
	AccountRequest           = "operator/account-request"
	AccountAnswer            = "operator/account-answer"
	APITokenRequest          = "operator/api-token-request"
	APITokenAnswer           = "operator/api-token-answer"
	RatesRequest             = "operator/rates-request"
	RatesAnswer              = "operator/rates-answer"
	PricingRequest           = "operator/pricing-request"
	PricingAnswer            = "operator/pricing-answer"
	SyncRequest              = "operator/sync-request"

	// What resellers book.
	Booking           = "booking/booking"
	BookingRequest    = "booking/booking-request"
	BookingAnswer     = "booking/booking-answer"
	BookingsAnswer    = "booking/bookings-answer"
	PaymentRequest    = "booking/payment-request"
	CancelBooking     = "booking/cancel-request"
	CommissionsAnswer = "booking/commissions-answer"

	// What every surface answers.
	DoneAnswer   = "service/done-answer"
	StatusAnswer = "service/status-answer"
)

const suffix = ".schema.json"

//go:embed partner/*.schema.json webhook/*.schema.json reseller/*.schema.json integration/*.schema.json
//go:embed booking/*.schema.json auth/*.schema.json operator/*.schema.json service/*.schema.json openapi/*.yaml
var files embed.FS

// Files returns the schemas and the OpenAPI documents, at the paths by which
// they refer to each other.
func Files() fs.FS { return files }

// Names returns the names of all schemas, sorted. partner/definitions is among
// them: values that the others share, no body of its own.
func Names() []string {
	var names []string
	paths, _ := fs.Glob(files, "*/*"+suffix) // the pattern is constant and well-formed
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(path, suffix))
	}
	slices.Sort(names)
	return names
}

// Source returns the text of the schema of that name.
func Source(name string) ([]byte, error) {
	text, err := files.ReadFile(name + suffix)
	if err != nil {
		return nil, fmt.Errorf("there is no schema %q: schemas.Names lists all", name)
	}
	return text, nil
}
