package mockpartner

import "partnerkit.dev/mockpartner/internal/catalog"

type (
	// Catalog is what a mock sells, as a catalog file has it.
	Catalog = catalog.Catalog
	// Schedule says when an option takes place, and with how many seats.
	Schedule = catalog.Schedule
	// Seats are from how many to how many seats a slot has.
	Seats = catalog.Seats
)

const (
	// PricingEmpty is a Schedule's UnitPricing of slots whose prices are an empty list.
	PricingEmpty = catalog.PricingEmpty
	// AwkwardCodes are the Policy's Codes of a partner whose codes are hard to escape.
	AwkwardCodes = catalog.AwkwardCodes
)

// DefaultCatalog returns eight products with a bit of everything that the contract
// allows.
func DefaultCatalog() *Catalog { return catalog.Default() }

// GenerateCatalog draws a catalog from the seed. Its error names the number that is
// out of bounds.
func GenerateCatalog(seed uint64, products, options int) (*Catalog, error) {
	return catalog.Generate(seed, products, options)
}
