// Package offer translates what an OCTO supplier offers into the partner contract: products and their
// options, units and prices, slots, and tickets.
//
// What the contract cannot say is set aside, with a note that names it.
package offer

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// Offer is a supplier's catalog in the contract's form. It is immutable.
type Offer struct {
	Products []partnerapi.Product
	Notes    []Note

	options map[[2]string]*Option // by the ids of product and option
}

// Note is something that the contract cannot say.
type Note struct {
	Product, Option, Unit string // ids; empty if it concerns all of them
	SetAside              bool   // it is not sold; otherwise it is sold, with this limit
	Text                  string
}

func (n Note) String() string {
	var where []string
	for _, part := range [][2]string{{"product", n.Product}, {"option", n.Option}, {"unit", n.Unit}} {
		if part[1] != "" {
			where = append(where, part[0]+" "+part[1])
		}
	}
	text := strings.Join(where, ", ") + ": "
	if n.SetAside {
		text += "set aside: "
	}
	return text + n.Text
}

// Option is one option that is sold: what a call about it needs.
type Option struct {
	Zone   *time.Location
	Limits partnerapi.PartyLimits

	units map[string]unit   // by the contract's id
	ids   map[string]string // the contract's ids, by OCTO's
}

type unit struct {
	id   string // OCTO's
	kind partnerapi.UnitType
}

// Option returns the option with these ids, and reports whether it is sold.
func (o *Offer) Option(productID, optionID string) (*Option, bool) {
	option, ok := o.options[[2]string{productID, optionID}]
	return option, ok
}

// Translator translates a supplier's catalog, and again when it may have changed: products with the same
// text are translated and validated once. It is not safe for concurrent use.
type Translator struct {
	Units Units

	last map[string]*translation // of the last catalog, by the product's text
}

// Translate translates a supplier's products. Those that cannot be read are set aside.
func (a *Translator) Translate(products []json.RawMessage) *Offer {
	o := &Offer{Products: []partnerapi.Product{}, options: map[[2]string]*Option{}}
	read := make(map[string]*translation, len(products))
	for i, text := range products {
		t := a.last[string(text)]
		if t == nil {
			t = &translation{mapped: a.Units, options: map[string]*Option{}}
			if err := json.Unmarshal(text, &t.of); err != nil {
				o.Notes = append(o.Notes, Note{Product: fmt.Sprintf("number %d", i+1), SetAside: true, Text: "it is not as OCTO has it: " + err.Error()})
				continue
			}
			var err error
			if t.sold, err = t.product(); err != nil {
				t.note(Note{SetAside: true, Text: err.Error()})
				t.options = nil
			}
		}
		read[string(text)] = t
		if t.options != nil {
			o.Products = append(o.Products, t.sold)
		}
		for id, option := range t.options {
			o.options[[2]string{t.of.ID, id}] = option
		}
		o.Notes = append(o.Notes, t.notes...)
	}
	a.last = read
	return o
}

// translation translates one product.
type translation struct {
	of      octo.Product
	mapped  Units
	sold    partnerapi.Product
	options map[string]*Option // nil: it is not sold
	notes   []Note
}

func (t *translation) note(n Note) {
	n.Product = t.of.ID
	t.notes = append(t.notes, n)
}

// product returns the product in the contract's form. Its error says why it cannot be sold.
func (t *translation) product() (sold partnerapi.Product, err error) {
	zone, err := schemas.LoadZone(t.of.TimeZone)
	if err != nil {
		return sold, fmt.Errorf("its time zone is unknown: %.60q", t.of.TimeZone)
	}
	sold = partnerapi.Product{
		ID: t.of.ID, InternalName: t.of.InternalName, Locale: t.of.Locale, TimeZone: t.of.TimeZone, InstantConfirmation: t.of.InstantConfirmation,
	}
	if t.of.Reference != nil {
		sold.Reference = *t.of.Reference
	}
	for _, option := range t.of.Options {
		if shown, known := t.option(option, zone); known != nil {
			sold.Options, t.options[option.ID] = append(sold.Options, shown), known
		}
	}
	if len(sold.Options) == 0 {
		return sold, fmt.Errorf("none of its options can be sold")
	}
	text, err := json.Marshal(sold)
	if err != nil {
		return sold, err
	}
	if problems := schemas.Validate(schemas.Product, text); len(problems) > 0 {
		return sold, fmt.Errorf("%s", problems[0])
	}
	t.noteProduct()
	return sold, nil
}

// noteProduct notes what the contract cannot say about a product that is sold.
func (t *translation) noteProduct() {
	if !t.of.InstantConfirmation {
		t.note(Note{Text: "bookings wait for the supplier: confirm answers with the status PENDING, and the decision is not passed on"})
	}
	if !t.of.InstantDelivery {
		t.note(Note{Text: "tickets may come after the confirmation: those are not passed on"})
	}
	for _, format := range t.of.DeliveryFormats {
		if _, ok := deliveryFormat(format); !ok {
			t.note(Note{Text: fmt.Sprintf("tickets in the format %q are left out", format)})
		}
	}
}

// option returns an option in the contract's form. It returns nil if none of its units can be sold.
func (t *translation) option(o octo.Option, zone *time.Location) (shown partnerapi.Option, known *Option) {
	limits := partnerapi.PartyLimits{MinUnits: value(o.Restrictions.MinUnits), MaxUnits: value(o.Restrictions.MaxUnits)}.Usable()
	known = &Option{Zone: zone, Limits: limits, units: map[string]unit{}, ids: map[string]string{}}
	shown = partnerapi.Option{
		ID: o.ID, InternalName: o.InternalName, AvailabilityType: partnerapi.AvailabilityType(t.of.AvailabilityType), CancellationCutoff: o.CancellationCutoff,
		Restrictions: limits,
	}
	for _, one := range o.Units {
		sold, err := t.unit(o, one, known)
		switch {
		case err != nil:
			t.note(Note{Option: o.ID, Unit: one.ID, SetAside: true, Text: err.Error()})
		case sold.ID != "":
			shown.Units = append(shown.Units, sold)
		}
	}
	if len(shown.Units) == 0 {
		t.note(Note{Option: o.ID, SetAside: true, Text: "none of its units can be sold"})
		return shown, nil
	}
	t.noteLimits(o, known)
	return shown, known
}

// noteLimits notes the limits of an option that the contract has no field for.
func (t *translation) noteLimits(o octo.Option, known *Option) {
	limit := func(unit, format string, args ...any) {
		t.note(Note{Option: o.ID, Unit: unit, Text: fmt.Sprintf(format, args...)})
	}
	if missing := missingFields(o.RequiredContactFields); len(missing) > 0 {
		limit("", "the supplier requires of the guest what the contract does not have, and may refuse: %s", strings.Join(missing, ", "))
	}
	for _, unit := range o.Units {
		if _, sold := known.ids[unit.ID]; !sold {
			continue
		}
		r := unit.Restrictions
		if value(r.MinQuantity) > 1 {
			limit(unit.ID, "the supplier refuses fewer than %d of it in a booking", *r.MinQuantity)
		}
		if r.MaxQuantity != nil {
			limit(unit.ID, "the supplier refuses more than %d of it in a booking", *r.MaxQuantity)
		}
		if len(r.AccompaniedBy) > 0 {
			limit(unit.ID, "the supplier refuses it without one of %s", strings.Join(r.AccompaniedBy, ", "))
		}
		if len(unit.RequiredContactFields) > 0 {
			limit(unit.ID, "the supplier requires of each guest what the contract does not have, and may refuse: %s", strings.Join(unit.RequiredContactFields, ", "))
		}
	}
}

// missingFields returns the required contact fields that a caller of the contract cannot send.
func missingFields(required []string) (missing []string) {
	for _, field := range required {
		switch field {
		case "fullName", "firstName", "lastName", "emailAddress", "phoneNumber":
		default:
			missing = append(missing, field)
		}
	}
	return missing
}

func value(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}
