package fault

import (
	"maps"
	"slices"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// margin is how far just-under and just-over lie from a limit: more than a
// network takes, less than anybody would notice.
const margin = 250 * time.Millisecond

// limits are the contract's (LIM-1), by the names that just-under and just-over
// know them by.
func limits() map[string]time.Duration {
	return map[string]time.Duration{
		"probe":            partnerapi.ProbeTimeout,
		"sync":             partnerapi.Products.Timeout(partnerapi.Healthy),
		"availability":     partnerapi.Availability.Timeout(partnerapi.Healthy),
		"availability-aim": partnerapi.AvailabilityAim,
		"reserve":          partnerapi.Reserve.Timeout(partnerapi.Healthy),
		"reserve-degraded": partnerapi.Reserve.Timeout(partnerapi.Degraded),
		"confirm":          partnerapi.Confirm.Timeout(partnerapi.Healthy),
		"confirm-degraded": partnerapi.Confirm.Timeout(partnerapi.Degraded),
		"release":          partnerapi.Release.Timeout(partnerapi.Healthy),
		"cancel":           partnerapi.Cancel.Timeout(partnerapi.Healthy),
	}
}

func limitNames() []string { return slices.Sorted(maps.Keys(limits())) }
