package plan

import (
	"fmt"
	"slices"
	"strings"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// Dimension is a property over which a rule must hold: the contract holds for every value, not only
// for the one that is easiest to try.
type Dimension string

// The dimensions.
const (
	Product    Dimension = "product"
	Option     Dimension = "option"
	Day        Dimension = "day"
	Slot       Dimension = "slot" // its place in its day
	UnitType   Dimension = "unit_type"
	Quantity   Dimension = "quantity"           // guests of one unit
	Party      Dimension = "party"              // number of units
	Alone      Dimension = "guests_alone"       // the type of guests without guests of other types
	Same       Dimension = "guests_of_one_type" // the number of guests without guests of other types
	Repeat     Dimension = "repeat"
	Order      Dimension = "order" // what is called between the calls of a lifecycle
	Connection Dimension = "connection"
	Body       Dimension = "body"      // with or without optional fields
	Delay      Dimension = "delay"     // age of a hold or a booking
	CodeForm   Dimension = "code_form" // of unknown codes and booking ids
	KeyForm    Dimension = "key_form"  // of wrong keys
)

// Instance is the dimensions and values that one judged value was an instance of.
type Instance map[Dimension]string

// BetweenCalls is what is called between the calls of a lifecycle.
type BetweenCalls string

// The values of BetweenCalls.
const (
	Nothing     BetweenCalls = "nothing"
	SameSlot    BetweenCalls = "another hold of the slot"
	CatalogPull BetweenCalls = "a catalog pull"
	WholeWindow BetweenCalls = "the slots of the next 60 days"
)

func allBetweenCalls() []BetweenCalls {
	return []BetweenCalls{Nothing, SameSlot, CatalogPull, WholeWindow}
}

// Case is an instance on which the lifecycles of holds and bookings are played.
type Case struct {
	Number   int  // from 1
	HoldOnly bool // its hold is not booked
	Brief    bool // only its calls that show most are made
	Offer    discover.Offer
	Units    []partnerapi.UnitQuantity
	Infants  int64 // among the guests; they may take no seat (RSV-9)
	Fresh    bool  // each call uses a new connection
	Body     partner.Body
	Between  BetweenCalls

	values []dimensioned // the day last
	ids    []int         // their numbers
}

type dimensioned struct {
	Dimension
	value string
}

// Guests returns the number of guests, including infants.
func (c *Case) Guests() int64 { return discover.GuestsIn(c.Units) }

// Lead reports whether all guests are of the option's lead unit.
func (c *Case) Lead() bool { return len(c.Units) == 1 && c.Units[0].ID == c.Offer.Option.Lead() }

// order describes what is called between the calls of the case, and whether that is before a confirm.
func (c *Case) order() string {
	if c.HoldOnly {
		return string(c.Between)
	}
	return string(c.Between) + ", before a confirm"
}

// Values returns the values of each dimension in the case.
func (c *Case) Values() map[Dimension][]string {
	values := map[Dimension][]string{}
	for _, of := range c.values {
		values[of.Dimension] = append(values[of.Dimension], of.value)
	}
	return values
}

func (c *Case) String() string {
	var party []string
	for _, unit := range c.Units {
		party = append(party, fmt.Sprintf("%d %s", unit.Quantity, unit.ID))
	}
	text := fmt.Sprintf("product %q, option %q, slot %s, %s", c.Offer.Product.ID, c.Offer.Option.ID, c.Offer.Slot.StartText, strings.Join(party, " and "))
	if c.Between != Nothing {
		text += fmt.Sprintf(", with %s between the calls", c.Between)
	}
	if c.Fresh {
		text += ", each call on a connection of its own"
	}
	if c.Body != partner.FullBody {
		text += ", " + c.Body.String()
	}
	return text
}

// SimplerCases returns cases like this one that are easier to understand, the simplest first. If one of
// them shows the same breach, that one is reported.
func (c *Case) SimplerCases() (all []Case) {
	guests := func(c *Case, quantity int) {
		c.Units, c.Infants = []partnerapi.UnitQuantity{{ID: c.Offer.Option.Lead(), Quantity: quantity}}, 0
	}
	plainly := func(c *Case) { c.Between, c.Fresh, c.Body = Nothing, false, partner.FullBody }
	changes := []func(*Case){
		func(c *Case) { guests(c, 1); plainly(c) },
		func(c *Case) { guests(c, max(1, int(c.Guests()-c.Infants))); plainly(c) },
		plainly,
		func(c *Case) { c.Between = Nothing }, func(c *Case) { c.Fresh = false }, func(c *Case) { c.Body = partner.FullBody },
		func(c *Case) { guests(c, 1) },
	}
	for _, change := range changes {
		one := Case{Number: c.Number, HoldOnly: c.HoldOnly, Offer: c.Offer, Units: c.Units, Infants: c.Infants, Fresh: c.Fresh, Body: c.Body, Between: c.Between}
		change(&one)
		if one.String() != c.String() && !slices.ContainsFunc(all, func(known Case) bool { return known.String() == one.String() }) {
			all = append(all, one)
		}
	}
	return all
}

// Parts returns the small parties with the guest types of the case. A large party may be refused;
// these show whether one of its types is refused.
func (c *Case) Parts() (all []Case) {
	lead := c.Offer.Option.Lead()
	for _, unit := range c.Units {
		one := partnerapi.UnitQuantity{ID: unit.ID, Quantity: 1}
		parties := [][]partnerapi.UnitQuantity{{one}}
		if unit.ID != lead {
			parties = append(parties, []partnerapi.UnitQuantity{{ID: lead, Quantity: 1}, one})
		}
		for _, party := range parties {
			part := Case{Number: c.Number, Offer: c.Offer, Units: party, Between: Nothing}
			if c.Offer.Option.Unit(unit.ID).Type == partnerapi.Infant {
				part.Infants = 1
			}
			if part.IsSmall() && part.String() != c.String() {
				all = append(all, part)
			}
		}
	}
	return all
}

// hasRoom reports whether the slot shows it if the guests' seats are taken twice.
func (c *Case) hasRoom() bool {
	seats := c.Offer.Slot.Seats(c.Offer.Product)
	return seats.Counted && seats.Left >= 2*c.Guests()
}

// IsSmall reports whether no partner may refuse the party for its size, or because it has no adult
// (RSV-5). The partner decides which guests without an adult's ticket count as adults.
func (c *Case) IsSmall() bool {
	adult := slices.ContainsFunc(c.Units, func(unit partnerapi.UnitQuantity) bool {
		return unit.ID == c.Offer.Option.Lead() || c.Offer.Option.Unit(unit.ID).Type == partnerapi.Adult
	})
	return adult && c.Guests() <= 2
}

// WithDistinctSlots returns the cases that have different slots, so that the seats of one case show nothing of
// another.
func WithDistinctSlots(cases []Case) (apart []Case) {
	taken := map[string]bool{}
	for _, c := range cases {
		if key := c.Offer.Key(); !taken[key] {
			taken[key] = true
			apart = append(apart, c)
		}
	}
	return apart
}

// ByParty returns the same cases, with those first whose party is the first with as many guest types and
// guests, so that few cases show parties of all kinds.
func ByParty(cases []Case) []Case {
	type kind struct {
		types  int
		guests int64
	}
	var first, others []Case
	seen := map[kind]bool{}
	for _, c := range cases {
		if of := (kind{len(c.Units), min(c.Guests(), mostAlike)}); seen[of] {
			others = append(others, c)
		} else {
			seen[of] = true
			first = append(first, c)
		}
	}
	return slices.Concat(first, others)
}

// mostAlike is the number of guests from which on parties are of the same kind.
const mostAlike = 3
