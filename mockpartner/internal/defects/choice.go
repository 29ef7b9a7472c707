package defects

import (
	"fmt"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/script"
)

// Choice is what a new sandbox is made of to have some defects and be of some
// variants.
type Choice struct {
	Parts   []script.Part    // variants first
	Catalog *catalog.Catalog // of the variant that brings one; nil: none does
}

// Choose finds defects and variants by name. Its error wraps ErrNoDefect or
// ErrNoVariant, or says which two cannot be had together.
func Choose(defects, variants []string) (c Choice, err error) {
	brings := ""
	for _, name := range variants {
		variant, err := FindVariant(name)
		if err != nil {
			return Choice{}, err
		}
		if sold := variant.scenario.Catalog; sold != nil {
			if c.Catalog != nil {
				return Choice{}, fmt.Errorf("the variants %s and %s bring a catalog each: want at most one of them", brings, name)
			}
			brings, c.Catalog = name, sold
		}
		c.Parts = append(c.Parts, variant.Part())
	}
	for _, name := range defects {
		defect, err := FindDefect(name)
		if err != nil {
			return Choice{}, err
		}
		c.Parts = append(c.Parts, defect.Part())
	}
	return c, nil
}
