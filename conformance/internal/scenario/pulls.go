package scenario

import (
	"bytes"
	"net/http"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas"
)

const (
	// mostUnlike is the maximum number of pulls that are kept because they differ from the first.
	mostUnlike = 3
	// mostCompared is the maximum number of pulls whose ids are compared while the run continues. The
	// largest catalogs take a quarter of a second each.
	mostCompared = 60
	// largestCompared is the maximum size of such a pull, in bytes.
	largestCompared = 1 << 20
)

// pulls compares each full pull of the catalog with the first one, whatever was called in between.
type pulls struct {
	first    []byte
	ids      []string
	fits     bool // the first one conforms to the schema
	compared int
	unlike   []*probe.Answer // the ones with another status, with other ids, or that alone do not conform
}

// note compares a pull. Texts and prices may change at any time, ids may not (PRD-10), nor may they
// stop conforming to the schema.
func (p *pulls) note(answer *probe.Answer) {
	switch {
	case p.first == nil:
		p.first = answer.Raw
		return
	case answer.Failure != nil || partner.IsBusy(answer) || len(p.unlike) == mostUnlike || bytes.Equal(p.first, answer.Raw):
		return
	case answer.HasStatus(http.StatusOK):
		if p.compared++; p.compared > mostCompared || len(p.first) > largestCompared || len(answer.Raw) > largestCompared {
			return
		}
		if p.ids == nil {
			p.ids, p.fits = catalogIDs(p.first)
		}
		if ids, fits := catalogIDs(answer.Raw); slices.Equal(p.ids, ids) && (fits || !p.fits) {
			return
		}
	}
	p.unlike = append(p.unlike, answer)
}

// catalogIDs returns the ids in a catalog, in an order that does not depend on its own, and whether
// its products conform to the schema.
func catalogIDs(raw []byte) (all []string, fits bool) {
	elements, err := discover.Products(raw)
	if err != nil {
		return nil, false
	}
	fits = true
	for _, element := range elements {
		value, err := discover.DecodeElement(element)
		if err != nil {
			return nil, false
		}
		fits = fits && len(schemas.ValidateValue(schemas.Product, value)) == 0
		product := discover.ReadProduct(value)
		all = append(all, product.ID)
		for _, option := range product.Options {
			all = append(all, discover.OptionKey(product, option))
			for _, unit := range option.Units {
				all = append(all, discover.OptionKey(product, option)+"\x00"+unit.ID)
			}
		}
	}
	slices.Sort(all)
	return all, fits
}
