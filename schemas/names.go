package schemas

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// These are the names of the schemas that programs use. Names lists all schemas.
const (
	// The catalog, GET /products.
	ProductsAnswer = "partner/products-answer"
	Product        = "partner/product"

	// Slots, POST /availability.
	AvailabilityRequest = "partner/availability-request"
	AvailabilityAnswer  = "partner/availability-answer"
	Slot                = "partner/slot"

	// Holds and bookings.
	ReserveRequest           = "partner/reserve-request"
	ReserveAnswer            = "partner/reserve-answer"
	ConfirmRequest           = "partner/confirm-request"
	ConfirmAnswer            = "partner/confirm-answer"
	ConfirmAnswerWithTickets = "partner/confirm-answer-with-tickets"
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

	// Requests and answers of the marketplace.
	RegistrationAnswer     = "integration/registration-answer"
	ActivityChangeRequest  = "operator/activity-change-request"
	ActivitiesAnswer       = "reseller/activities-answer"
	ActivityAnswer         = "reseller/activity-answer"
	ActivityCalendarAnswer = "reseller/activity-calendar-answer"
	Activity               = "reseller/activity"
	CalendarAnswer         = "reseller/calendar-answer"
	SlotsAnswer            = "reseller/slots-answer"
	ResellerError          = "reseller/error"
)

const suffix = ".schema.json"

//go:embed partner/*.schema.json webhook/*.schema.json reseller/*.schema.json integration/*.schema.json
//go:embed booking/*.schema.json auth/*.schema.json operator/*.schema.json service/*.schema.json openapi/*.yaml
var files embed.FS

// Files returns the schemas and the OpenAPI documents, at the paths by which they refer to each
// other.
func Files() fs.FS { return files }

// Names returns the names of all schemas, sorted. They include partner/definitions and
// service/definitions, which contain values that other schemas share and describe no body.
func Names() []string {
	var names []string
	paths, _ := fs.Glob(files, "*/*"+suffix) // the pattern is constant and valid
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(path, suffix))
	}
	slices.Sort(names)
	return names
}

// Source returns the text of the schema with that name.
func Source(name string) ([]byte, error) {
	text, err := files.ReadFile(name + suffix)
	if err != nil {
		return nil, fmt.Errorf("there is no schema %q: schemas.Names lists all", name)
	}
	return text, nil
}

// ContractVersion identifies one state of the partner contract. It is the first twelve hexadecimal
// digits of a SHA-256 over the schemas of partners' bodies and webhooks. The files are ordered by
// name, each preceded by a line with its name and its length in bytes.
func ContractVersion() string { return contractVersion() }

var contractVersion = sync.OnceValue(func() string {
	sum := sha256.New()
	for _, name := range Names() {
		if !strings.HasPrefix(name, "partner/") && !strings.HasPrefix(name, "webhook/") {
			continue
		}
		text, err := Source(name)
		if err != nil {
			panic(err) // Names lists only embedded schemas
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
})
