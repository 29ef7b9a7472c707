package suite

import (
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/report"
)

// coverage counts what the run looked at and what it reserved, of how much.
func (r *run) coverage() report.Coverage {
	c := report.Coverage{Calls: len(r.client.Exchanges()), Bookings: r.player.Bookings()}
	if survey := r.player.Surveyed(); survey != nil {
		c.Products, c.OptionsAsked, c.Slots = len(survey.Products), len(survey.Answers), survey.Slots
		for _, product := range survey.Products {
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
	for _, entry := range r.config.Ledger.Entries() {
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
