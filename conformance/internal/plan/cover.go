package plan

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/schemas/partnerapi"
)

// mostAll is the maximum number of seats that are taken when a case takes all seats left.
const mostAll = 12

// Cover returns at most n cases, the most valuable first. They cover every option, then every unit
// type and guests of each type alone, then the values of each other dimension, and then as many pairs
// of values of two dimensions as possible. The offers can be booked and are in catalog order. The same
// offers give the same cases.
func Cover(offers []discover.Offer, n int) []Case {
	c := newCover(offers)
	var cases []Case
	for len(c.options) > 0 && len(cases) < n {
		options := c.wanted()
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
	// freshValue is the worth, in pairs, of a value that no case has yet. freshSale is the worth of
	// a unit type, which partners keep in separate tables, and of guests of one type alone; half of it
	// is still more than all else that a case can add.
	freshValue, freshSale = 12, 1000
)

type cover struct {
	options []*optionSlots
	random  *rand.Rand
	numbers map[dimensioned]int // of the values
	sale    map[int]bool        // numbers of unit types, and of guests alone
	alone   map[string]bool     // guests that a case has without others
	seen    map[pair]bool
	used    map[string]int // slots, by offer key
}

type optionSlots struct {
	option discover.Option
	units  []string         // ids, the lead unit first
	slots  []discover.Offer // in the order of their starts
	days   map[string][]discover.Offer
	cases  int
	sold   map[string]bool // ids of the units that a case has
}

func newOptionSlots(option discover.Option) *optionSlots {
	of := &optionSlots{option: option, units: []string{option.Lead()}, days: map[string][]discover.Offer{}, sold: map[string]bool{}}
	for _, unit := range option.Units {
		if unit.ID != "" && !slices.Contains(of.units, unit.ID) {
			of.units = append(of.units, unit.ID)
		}
	}
	return of
}

// guest returns the type of the guests of a unit.
func (of *optionSlots) guest(unit string) string {
	return cmp.Or(string(of.option.Unit(unit).Type), unit)
}

func newCover(offers []discover.Offer) *cover {
	c := &cover{random: rand.New(rand.NewPCG(1, 2)), numbers: map[dimensioned]int{}, sale: map[int]bool{}, alone: map[string]bool{}, seen: map[pair]bool{}, used: map[string]int{}}
	byKey := map[string]int{}
	for _, offer := range offers {
		i, known := byKey[offer.OptionKey()]
		if !known {
			i = len(c.options)
			byKey[offer.OptionKey()] = i
			c.options = append(c.options, newOptionSlots(offer.Option))
		}
		of := c.options[i]
		of.slots = append(of.slots, offer)
		day := dayOf(offer)
		of.days[day] = append(of.days[day], offer)
	}
	for _, of := range c.options {
		byStart := func(a, b discover.Offer) int {
			return cmp.Or(a.Slot.Start.Compare(b.Slot.Start), cmp.Compare(a.Slot.ID, b.Slot.ID))
		}
		slices.SortStableFunc(of.slots, byStart)
		for _, slots := range of.days {
			slices.SortStableFunc(slots, byStart)
		}
	}
	return c
}

func dayOf(offer discover.Offer) string {
	return offer.Slot.Start.In(offer.Product.Zone).Format(partnerapi.DateLayout)
}

// wanted returns the options that the next case may have: those without a case; once there are none,
// those with a guest to be covered; and then all.
func (c *cover) wanted() []*optionSlots {
	for _, lacks := range []func(*optionSlots) bool{
		func(of *optionSlots) bool { return of.cases == 0 },
		func(of *optionSlots) bool { return len(c.lacking(of)) > 0 },
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

// lacking returns the ids of the units that no case of the option has. If there are none, it returns
// those for guests that no case has alone.
func (c *cover) lacking(of *optionSlots) (units []string) {
	for _, lacks := range []func(id string) bool{
		func(id string) bool { return !of.sold[id] },
		func(id string) bool { return !c.alone[of.guest(id)] },
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

// draw draws a case of an option.
func (c *cover) draw(of *optionSlots) Case {
	drawn := Case{Offer: of.slot(c.random), Fresh: c.random.IntN(4) == 0, Bare: c.random.IntN(3) == 0, Between: allBetweenCalls()[c.random.IntN(len(allBetweenCalls()))], option: of}
	quantity := c.party(&drawn)
	drawn.values = map[Dimension][]string{
		Product: {drawn.Offer.Product.ID}, Option: {drawn.Offer.OptionKey()}, Day: {dayOf(drawn.Offer)}, Slot: {of.place(drawn.Offer)},
		Quantity: {quantity}, Party: {strconv.Itoa(len(drawn.Units))}, Order: {string(drawn.Between)}, Connection: {connection(drawn.Fresh)}, Body: {body(drawn.Bare)},
	}
	for _, unit := range drawn.Units {
		drawn.values[UnitType] = append(drawn.values[UnitType], drawn.Offer.OptionKey()+"\x00"+unit.ID)
	}
	if len(drawn.Units) == 1 {
		drawn.values[Alone] = []string{of.guest(drawn.Units[0].ID)}
	}
	c.number(&drawn)
	return drawn
}

func body(bare bool) string {
	if bare {
		return "without"
	}
	return "with"
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
func (of *optionSlots) place(offer discover.Offer) string {
	day := of.days[dayOf(offer)]
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
func (c *cover) party(drawn *Case) (quantity string) {
	seats, units := drawn.Offer.Slot.Seats(drawn.Offer.Product), drawn.option.units
	each, kinds := []int{1, 1, 1, 2, 3, 0}[c.random.IntN(6)], 1+c.random.IntN(min(3, len(units)))
	quantity = strconv.Itoa(each)
	if each == 0 {
		quantity, kinds = "all that is left", 1
		if seats.Counted && seats.Left >= 2 && seats.Left <= mostAll {
			each = int(seats.Left)
		}
	}
	room := int64(each * kinds)
	if drawn.Between == SameSlot && quantity != "all that is left" {
		room++
	}
	if each == 0 || seats.Counted && seats.Left < room {
		quantity, each, kinds = "1", 1, 1
		if seats.Counted && seats.Left < 2 && drawn.Between == SameSlot {
			drawn.Between = Nothing
		}
	}
	first := units[0] // include a guest whom no partner refuses
	if each == 1 && kinds == 1 {
		single := units
		if lacking := c.lacking(drawn.option); len(lacking) > 0 {
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

// worth returns what a case adds to those already taken.
func (c *cover) worth(candidate Case) int {
	worth := 0
	for _, value := range candidate.ids {
		switch {
		case c.seen[pair{value, value}]:
		case c.sale[value] && candidate.roomy():
			worth += freshSale
		case c.sale[value]:
			worth += freshSale / 2
		default:
			worth += freshValue
		}
	}
	for _, both := range pairs(candidate) {
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
		c.seen[pair{value, value}] = true
	}
	for _, both := range pairs(taken) {
		c.seen[both] = true
	}
	c.used[taken.Offer.Key()]++
	taken.option.cases++
	for _, unit := range taken.Units {
		taken.option.sold[unit.ID] = true
	}
	for _, guest := range taken.values[Alone] {
		c.alone[guest] = true
	}
}

// pair is two values of a case, by number. A value paired with itself is that value.
type pair struct{ a, b int }

// number numbers the values of a case, those of the day last.
func (c *cover) number(of *Case) {
	for _, d := range dimensions() {
		for _, value := range of.values[d] {
			key := dimensioned{d, value}
			id, known := c.numbers[key]
			if !known {
				id = len(c.numbers)
				c.numbers[key] = id
				c.sale[id] = d == UnitType || d == Alone
			}
			of.ids = append(of.ids, id)
		}
	}
	of.days = len(of.values[Day])
}

type dimensioned struct {
	Dimension
	value string
}

func dimensions() []Dimension {
	return []Dimension{Product, Option, Slot, UnitType, Quantity, Party, Alone, Order, Connection, Body, Day}
}

// pairs returns the pairs of values of two dimensions. It leaves out days, because there are too
// many.
func pairs(of Case) (all []pair) {
	single := of.ids[:len(of.ids)-of.days]
	for i, a := range single {
		for _, b := range single[i+1:] {
			all = append(all, pair{a, b})
		}
	}
	return all
}

// Of returns the number of values of each dimension in these offers.
func Of(offers []discover.Offer, repeats int) map[Dimension]int {
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
			note(Slot, of.place(offer))
			for _, unit := range offer.Option.Units {
				note(UnitType, offer.OptionKey()+"\x00"+unit.ID)
				note(Alone, of.guest(unit.ID))
			}
			for kinds := range min(3, len(offer.Option.Units)) {
				note(Party, strconv.Itoa(kinds+1))
			}
		}
	}
	of := map[Dimension]int{Quantity: 4, Order: len(allBetweenCalls()), Connection: 2, Body: 2, Repeat: repeats}
	for d, values := range found {
		of[d] = len(values)
	}
	return of
}
