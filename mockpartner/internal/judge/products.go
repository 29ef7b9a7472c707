package judge

import (
	"net/url"

	"partnerkit.dev/schemas/partnerapi"
)

func catalogRules() []check {
	return []check{
		{Rule{"products.form", "The catalog is asked for whole, by updated_since, or with exactly ?limit=1 as the health probe", "PRD-13, PRD-14",
			"A partner tells a probe by limit=1; any other query may get a part of the catalog, which looks as if the rest were gone."},
			"GET /products was not called", productsForm},
		{Rule{"catalog.known", "Calls name products and options of the catalog", "PRD-10, PRD-11",
			"Ids are permanent: one that the partner does not know has been made up or mixed up."},
			"no call names a product", catalogKnown},
	}
}

const probe = "limit=1"

func productsForm(s *story, b *bench) {
	for c := range s.of(partnerapi.Products) {
		query, err := url.ParseQuery(c.query)
		since := query["updated_since"]
		switch {
		case c.query == "" || c.query == probe:
			b.kept()
		case err != nil:
			b.broken([]*call{c}, "The query %.100q is not well escaped.", c.query)
		case len(query) > 1 || len(since) != 1:
			b.broken([]*call{c}, "GET /products?%.100s: want no query, ?updated_since=, or exactly ?%s.", c.query, probe)
		default:
			if _, err := partnerapi.ParseDateTime(since[0]); err != nil {
				b.broken([]*call{c}, "updated_since: %v; a + is to be escaped as %%2B.", err)
				continue
			}
			b.kept()
		}
	}
}

func catalogKnown(s *story, b *bench) {
	for _, c := range s.calls {
		productID, optionID := "", ""
		switch {
		case c.asks != nil:
			productID, optionID = c.asks.ProductID, c.asks.OptionID
		case c.reserves != nil:
			productID, optionID = c.reserves.ProductID, c.reserves.OptionID
		case c.endpoint == partnerapi.Availability || c.endpoint == partnerapi.Reserve:
			b.cannot(unreadable)
			continue
		default:
			continue
		}
		if _, ok := s.option(productID, optionID); ok || c.taken() {
			b.kept()
			continue
		}
		b.broken([]*call{c}, "There is no product %.60q with an option %.60q.", productID, optionID)
	}
}

// taken reports whether the partner itself took the call: what it names was
// known to it, whatever the catalog says by now.
func (c *call) taken() bool { return c.succeeded() && len(c.Faults) == 0 }
