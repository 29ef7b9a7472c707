package plan

import (
	"cmp"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// mostAll is the maximum number of seats that are taken when a case takes all seats left.
const mostAll = 12

// Cover returns at most n cases, the most valuable first. They cover every option, then every unit
// type, guests of each type alone and each number of guests of one type, then the values of each other
// dimension, and then as many pairs of values of two dimensions as possible. The offers can be booked
// and are in catalog order. The same offers give the same cases.
func Cover(offers []discover.Offer, n int) []Case {
	c := newCover(offers)
	var cases []Case
	for len(c.options) > 0 && len(cases) < n {
		c.holdOnly = (len(cases)+1)%bookedEvery > 0
		options := c.optionsToCover()
		best, worth := Case{}, 0
		for range candidatesEach {
			candidate := c.draw(options[c.random.IntN(len(options))])
			if w := c.worth(candidate); w > worth {
				best, worth = candidate, w
			}
		}
		if worth == 0 {
			return cases // everything is covered
		}
		best.Number = len(cases) + 1
		c.enter(best)
		cases = append(cases, best)
	}
	return cases
}

const (
	// candidatesEach is the number of cases that are drawn for each one that is taken.
	candidatesEach = 80
	// Each option is booked once; of the further cases, one in bookedEvery is.
	bookedEvery = 6
	// freshValue is the worth, in pairs, of a value that no case has yet. freshUnit is the worth of
	// a unit type, which partners keep in separate tables; half of it is still more than all pairs and
	// other values of a case. freshSame is the worth of guests of one type without others, of whom there
	// are few values: it is more than that of three unit types.
	freshValue, freshUnit, freshSame = 12, 1000, 4000
)

type cover struct {
	options []*optionSlots
	random  *rand.Rand
	numbers map[dimensioned]int // of the values
	fresh   []int               // what each value is worth while no case has it, by number
	seen    map[pair]bool
	used    map[string]int // slots, by offer key
	// holdOnly means that the next case is not booked, unless it is the first of its option.
	holdOnly bool
}

type optionSlots struct {
	key    string
	option discover.Option
	units  []string         // ids, the lead unit first
	slots  []discover.Offer // in the order of their starts
	days   map[string][]discover.Offer
}

func newOptionSlots(slots []discover.Offer) *optionSlots {
	option := slots[0].Option
	of := &optionSlots{key: slots[0].OptionKey(), option: option, units: []string{option.Lead()}, slots: slots, days: map[string][]discover.Offer{}}
	for _, offer := range slots {
		of.days[dayOf(offer)] = append(of.days[dayOf(offer)], offer)
	}
	for _, unit := range option.Units {
		if unit.ID != "" && !slices.Contains(of.units, unit.ID) {
			of.units = append(of.units, unit.ID)
		}
	}
	return of
}

// sale is a unit's value of the dimension UnitType.
func (of *optionSlots) sale(unit string) string { return of.key + "\x00" + unit }

// guest is a unit's value of the dimension Alone: the type of its guests.
func (of *optionSlots) guest(unit string) string {
	return cmp.Or(string(of.option.Unit(unit).Type), unit)
}

func newCover(offers []discover.Offer) *cover {
	c := &cover{random: rand.New(rand.NewPCG(1, 2)), numbers: map[dimensioned]int{}, seen: map[pair]bool{}, used: map[string]int{}}
	byStart := func(a, b discover.Offer) int {
		return cmp.Or(a.Slot.Start.Compare(b.Slot.Start), cmp.Compare(a.Slot.ID, b.Slot.ID))
	}
	for _, slots := range discover.ByOption(offers) {
		slices.SortStableFunc(slots, byStart)
		c.options = append(c.options, newOptionSlots(slots))
	}
	return c
}

func dayOf(offer discover.Offer) string {
	return offer.Slot.Start.In(offer.Product.Zone).Format(partnerapi.DateLayout)
}

// optionsToCover returns the options that the next case may have: those without a case; once there are none,
// those with a guest to be covered; and then all.
func (c *cover) optionsToCover() []*optionSlots {
	for _, lacks := range []func(*optionSlots) bool{
		func(of *optionSlots) bool { return !c.has(Option, of.key) },
		func(of *optionSlots) bool { return len(c.missingUnits(of)) > 0 },
	} {
		var wanted []*optionSlots
		for _, of := range c.options {
			if lacks(of) {
				wanted = append(wanted, of)
			}
		}
		if len(wanted) > 0 {
			return wanted
		}
	}
	return c.options
}

// missingUnits returns the ids of the units that no case of the option has. If there are none, it returns
// those for guests that no case has alone.
func (c *cover) missingUnits(of *optionSlots) (units []string) {
	for _, lacks := range []func(id string) bool{
		func(id string) bool { return !c.has(UnitType, of.sale(id)) },
		func(id string) bool { return !c.has(Alone, of.guest(id)) },
	} {
		for _, id := range of.units {
			if lacks(id) {
				units = append(units, id)
			}
		}
		if len(units) > 0 {
			break
		}
	}
	return units
}

// lackingSame returns the numbers of guests that no case has of one type.
func (c *cover) lackingSame() []string {
	return slices.DeleteFunc(quantities(), func(quantity string) bool { return c.has(Same, quantity) })
}

const allLeft = "all that is left"

// quantities returns how many guests of each unit a case has.
func quantities() []string { return []string{"1", "2", "3", allLeft} }

// draw draws a case of an option.
func (c *cover) draw(of *optionSlots) Case {
	drawn := Case{Offer: of.slot(c.random), Fresh: c.random.IntN(4) == 0, Body: c.body(), Between: allBetweenCalls()[c.random.IntN(len(allBetweenCalls()))], HoldOnly: c.holdOnly && c.has(Option, of.key)}
	quantity := c.party(&drawn, of)
	day := dayOf(drawn.Offer)
	drawn.values = append(make([]dimensioned, 0, 16), []dimensioned{
		{Product, drawn.Offer.Product.ID}, {Option, of.key}, {Slot, of.place(drawn.Offer, day)},
		{Quantity, quantity}, {Party, strconv.Itoa(len(drawn.Units))}, {Order, drawn.order()}, {Connection, connection(drawn.Fresh)}, {Body, drawn.Body.String()},
	}...)
	for _, unit := range drawn.Units {
		drawn.values = append(drawn.values, dimensioned{UnitType, of.sale(unit.ID)})
	}
	if len(drawn.Units) == 1 {
		drawn.values = append(drawn.values, dimensioned{Alone, of.guest(drawn.Units[0].ID)}, dimensioned{Same, quantity})
	}
	drawn.values = append(drawn.values, dimensioned{Day, day})
	c.number(&drawn)
	return drawn
}

// body draws a body: often the usual one, or one without optional fields.
func (c *cover) body() partner.Body {
	bodies := append([]partner.Body{partner.FullBody, partner.FullBody, partner.BareBody}, partner.Bodies()...)
	return bodies[c.random.IntN(len(bodies))]
}

func connection(fresh bool) string {
	if fresh {
		return "fresh"
	}
	return "kept"
}

// slot draws a slot: often the first or the last, otherwise any with equal probability.
func (of *optionSlots) slot(random *rand.Rand) discover.Offer {
	switch random.IntN(6) {
	case 0:
		return of.slots[0]
	case 1:
		return of.slots[len(of.slots)-1]
	default:
		return of.slots[random.IntN(len(of.slots))]
	}
}

// place returns the slot's place in its day: first, last or between.
func (of *optionSlots) place(offer discover.Offer, date string) string {
	day := of.days[date]
	switch {
	case day[0].Slot.ID == offer.Slot.ID:
		return "first"
	case day[len(day)-1].Slot.ID == offer.Slot.ID:
		return "last"
	default:
		return "between"
	}
}

// party draws the guests, and returns how many there are of each unit. Where the slot has no seats
// for them, the party is one guest.
func (c *cover) party(drawn *Case, of *optionSlots) (quantity string) {
	seats, units := drawn.Offer.Slot.Seats(drawn.Offer.Product), of.units
	quantity = append([]string{"1", "1"}, quantities()...)[c.random.IntN(6)]
	kinds := 1 + c.random.IntN(min(3, len(units)))
	if lacking := c.lackingSame(); kinds == 1 && len(lacking) > 0 && c.random.IntN(2) == 0 {
		quantity = lacking[c.random.IntN(len(lacking))]
	}
	each, _ := strconv.Atoi(quantity)
	if quantity == allLeft {
		kinds = 1
		if seats.Counted && seats.Left >= 2 && seats.Left <= mostAll {
			each = int(seats.Left)
		}
	}
	if each > 0 {
		quantity, each, kinds = withinLimits(drawn.Offer.Option, quantity, each, kinds)
	}
	room := int64(each * kinds)
	if drawn.Between == SameSlot && quantity != allLeft {
		room++
	}
	if each == 0 || seats.Counted && seats.Left < room {
		quantity, each, kinds = withinLimits(drawn.Offer.Option, "1", 1, 1)
		if seats.Counted && seats.Left < 2 && drawn.Between == SameSlot {
			drawn.Between = Nothing
		}
	}
	first := units[0] // include a guest whom no partner refuses
	if kinds == 1 && each == int(drawn.Offer.Option.Fit(1)) {
		single := units
		if lacking := c.missingUnits(of); len(lacking) > 0 {
			single = lacking
		}
		first = single[c.random.IntN(len(single))]
	}
	rest := slices.DeleteFunc(slices.Clone(units), func(id string) bool { return id == first })
	c.random.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	for _, id := range append([]string{first}, rest[:kinds-1]...) {
		drawn.Units = append(drawn.Units, partnerapi.UnitQuantity{ID: id, Quantity: each})
		if drawn.Offer.Option.Unit(id).Type == partnerapi.Infant {
			drawn.Infants += int64(each)
		}
	}
	c.random.Shuffle(len(drawn.Units), func(i, j int) { drawn.Units[i], drawn.Units[j] = drawn.Units[j], drawn.Units[i] })
	return quantity
}

// withinLimits returns a party that the option takes as it declares, as similar as possible to one of that many guests of each
// of several units.
func withinLimits(option discover.Option, quantity string, each, kinds int) (string, int, int) {
	guests := int(option.Fit(int64(each * kinds)))
	if guests == each*kinds {
		return quantity, each, kinds
	}
	kinds = min(kinds, guests)
	if each = guests / kinds; each*kinds < int(option.Least) {
		each++
	}
	if option.Limits.Max > 0 && each*kinds > int(option.Limits.Max) {
		each, kinds = guests, 1
	}
	return strconv.Itoa(min(each, mostAlike)), each, kinds // of more guests, each number is as good as the others
}

// worth returns what a case adds to those already taken.
func (c *cover) worth(candidate Case) int {
	worth := 0
	for _, value := range candidate.ids {
		if !c.seen[pairOf(value, value)] {
			worth += c.fresh[value]
		}
	}
	if !candidate.hasRoom() { // a breach may not show, and another case would have to cover the same
		worth /= 2
	}
	for both := range pairs(candidate) {
		if !c.seen[both] {
			worth++
		}
	}
	if worth == 0 {
		return 0
	}
	return max(1, worth-4*c.used[candidate.Offer.Key()])
}

func (c *cover) enter(taken Case) {
	for _, value := range taken.ids {
		c.seen[pairOf(value, value)] = true
	}
	for both := range pairs(taken) {
		c.seen[both] = true
	}
	c.used[taken.Offer.Key()]++
}

// has reports whether a case has the value.
func (c *cover) has(d Dimension, value string) bool {
	id, known := c.numbers[dimensioned{d, value}]
	return known && c.seen[pairOf(id, id)]
}

// pair is two values of a case: the number of each in one half of the bits, because Go finds integers in a map
// faster than structs. A value paired with itself is that value.
type pair uint64

func pairOf(a, b int) pair { return pair(a)<<32 | pair(b) }

// number numbers the values of a case.
func (c *cover) number(of *Case) {
	of.ids = make([]int, len(of.values))
	for i, value := range of.values {
		id, known := c.numbers[value]
		if !known {
			id = len(c.numbers)
			c.numbers[value] = id
			c.fresh = append(c.fresh, freshWeight(value.Dimension))
		}
		of.ids[i] = id
	}
}

func freshWeight(d Dimension) int {
	switch d {
	case Alone, Same:
		return freshSame
	case UnitType:
		return freshUnit
	default:
		return freshValue
	}
}

// pairs returns the pairs of values of two dimensions. It leaves out the day, because there are too
// many.
func pairs(of Case) iter.Seq[pair] {
	return func(yield func(pair) bool) {
		single := of.ids[:len(of.ids)-1]
		for i, a := range single {
			for _, b := range single[i+1:] {
				if !yield(pairOf(a, b)) {
					return
				}
			}
		}
	}
}

// CountValues returns the number of values of each dimension in these offers.
func CountValues(offers []discover.Offer, repeats int) map[Dimension]int {
	c := newCover(offers)
	found := map[Dimension]map[string]bool{}
	note := func(d Dimension, value string) {
		if found[d] == nil {
			found[d] = map[string]bool{}
		}
		found[d][value] = true
	}
	for _, of := range c.options {
		for _, offer := range of.slots {
			note(Product, offer.Product.ID)
			note(Option, offer.OptionKey())
			note(Day, dayOf(offer))
			note(Slot, of.place(offer, dayOf(offer)))
			for _, unit := range offer.Option.Units {
				note(UnitType, of.sale(unit.ID))
				note(Alone, of.guest(unit.ID))
			}
			for kinds := range min(3, len(offer.Option.Units)) {
				note(Party, strconv.Itoa(kinds+1))
			}
		}
	}
	of := map[Dimension]int{Quantity: len(quantities()), Same: len(quantities()), Order: 2 * len(allBetweenCalls()), Connection: 2, Body: len(partner.Bodies()), Repeat: repeats}
	for d, values := range found {
		of[d] = len(values)
	}
	return of
}
