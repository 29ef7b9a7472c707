package traffic

import (
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/schemas/partnerapi"
)

// sold is the catalog as the recording has shown it.
type sold struct {
	products map[string]discover.Product
	pulled   time.Time // when the last complete catalog was requested
	partial  bool      // the history lacks some of the caller's calls
}

// mostProducts is the maximum number of products that are remembered. The windows of a product that
// was forgotten are not compared until the catalog shows it again.
const mostProducts = 100_000

// agreeing is the time in which two answers must show the same products and slots. Later, some may have been added,
// removed or hidden.
const agreeing = time.Minute

// show remembers a product that the catalog shows.
func (s *sold) show(p discover.Product) {
	if len(s.products) == mostProducts {
		clear(s.products)
	}
	s.products[p.ID] = p
}

// isCurrent reports whether the last catalog shows what the partner sells at the time of c. In a
// partial history, a newer catalog may be missing.
func (s *sold) isCurrent(c *call) bool {
	return !s.partial || !s.pulled.IsZero() && c.StartedAt.Sub(s.pulled) <= agreeing
}

// question returns what was requested, with the catalog that the recording has shown so far. It
// returns false if the recording has not shown the option.
func (s *sold) question(asked partnerapi.AvailabilityRequest) (q scenario.Question, known bool) {
	q.Window = discover.Window{From: asked.LocalDateStart, To: asked.LocalDateEnd}
	product, known := s.products[asked.ProductID]
	at := slices.IndexFunc(product.Options, func(o discover.Option) bool { return o.ID == asked.OptionID })
	if !known || at < 0 {
		q.Product = discover.Product{ID: asked.ProductID, Zone: time.UTC, AllowFreesale: true} // its seats may not be counted
		q.Option = discover.Option{ID: asked.OptionID}
		return q, false
	}
	q.Product, q.Option = product, product.Options[at]
	return q, true
}

// size returns the number of products and options that the recording has shown.
func (s *sold) size() (products, options int) {
	for _, product := range s.products {
		options += len(product.Options)
	}
	return len(s.products), options
}
