package suite

import (
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/report"
)

// coverage counts what the run looked at and what it reserved, of how much.
func (s *session) coverage() report.Coverage {
	c := report.Coverage{Calls: len(s.client.Exchanges()), Bookings: s.bookings}
	if s.survey != nil {
		c.Products, c.OptionsAsked, c.Slots = len(s.survey.products), len(s.survey.answers), s.survey.slots
		for _, product := range s.survey.products {
			c.Options += len(product.Options)
			for _, option := range product.Options {
				c.Units += len(option.Units)
			}
		}
	}
	type option struct{ product, option string }
	type unit struct {
		option
		unit string
	}
	products, options, units, slots := map[string]bool{}, map[option]bool{}, map[unit]bool{}, map[ledger.Slot]bool{}
	for _, entry := range s.ledger.Entries() {
		if entry.Code == "" && entry.State != ledger.Unheard {
			continue
		}
		c.Holds++
		of := option{entry.ProductID, entry.OptionID}
		products[entry.ProductID], options[of], slots[entry.Slot] = true, true, true
		for _, guests := range entry.Units {
			units[unit{of, guests.ID}] = true
		}
	}
	c.ProductsReserved, c.OptionsReserved, c.UnitsReserved, c.SlotsReserved = len(products), len(options), len(units), len(slots)
	return c
}
