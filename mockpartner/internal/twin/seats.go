package twin

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// quirk is a quirk that was learned, and its evidence.
type quirk struct {
	platform.Quirk
	why string
}

// takes and gives are the cases that should take or return seats.
var (
	takes = []platform.Case{platform.OnReserve}
	gives = []platform.Case{platform.OnRelease, platform.OnCancel, platform.OnExpiry}
)

// quirks learns where seats move wrongly, and where the partner accepts a call that should be
// refused.
func (l *learner) quirks(s *tracker, products []product, noHolds bool) (found []quirk) {
	accepted := acceptedCases(s)
	l.acted = map[platform.Case]int{}
	byCase := map[platform.Case][]move{}
	for _, m := range s.moves {
		byCase[m.on] = append(byCase[m.on], m)
	}
	for _, on := range slices.Sorted(maps.Keys(byCase)) {
		if strings.HasPrefix(string(on), "stranger-") {
			continue
		}
		if of, isFailed := strings.CutPrefix(string(on), failed); isFailed {
			for _, m := range byCase[on] {
				if m.seats != 0 {
					l.acted[platform.Case(of)]++
				}
			}
			continue
		}
		if on == releaseUnknown || on == cancelUnknown || on == platform.OnConfirmUnknown {
			continue
		}
		if noHolds && (on == platform.OnReserve || on == platform.OnConfirm || on == platform.OnRelease || on == platform.OnExpiry) {
			continue
		}
		found = append(found, l.learnMoves(on, byCase[on], products, accepted)...)
	}
	found = append(found, l.drifts(products)...)
	for i := range found {
		if leavesUnchanged(found[i].Quirk, s) {
			found[i].Quirk = platform.Quirk{On: found[i].On, Does: platform.Nothing}
		}
	}
	found = append(found, l.races(noHolds)...)
	for _, again := range []struct {
		what  platform.Reuse
		times int
	}{{platform.ReuseCodes, s.codesAgain}, {platform.ReuseBookingIDs, s.idsAgain}} {
		if again.times > 0 {
			found = append(found, quirk{platform.Quirk{Reuse: again.what}, fmt.Sprintf("it happened %d times", again.times)})
		}
	}
	for _, on := range slices.Sorted(maps.Keys(accepted)) {
		if !slices.ContainsFunc(found, func(q quirk) bool { return q.On == on && q.Does == platform.Accept }) {
			found = append(found, quirk{platform.Quirk{On: on, Does: platform.Accept}, fmt.Sprintf("%s was answered as a success", plural.Count(accepted[on], "such call"))})
		}
	}
	return found
}

// leavesUnchanged reports whether a release or a cancellation that returns no seats also leaves its hold or
// booking unchanged.
func leavesUnchanged(q platform.Quirk, s *tracker) bool {
	after := map[platform.Case]platform.Case{platform.OnRelease: platform.OnConfirmReleased, platform.OnCancel: platform.OnConfirmCancelled}[q.On]
	if after == "" || q.Gives != platform.AmountNone || q.Product != "" {
		return false
	}
	still, ended := 0, 0
	for _, m := range s.met {
		switch {
		case m.on == after && m.succeeded2xx():
			still++
		case m.on == after:
			ended++
		}
	}
	return still > ended
}

// acceptedCases counts the cases that should be refused but were not.
func acceptedCases(s *tracker) map[platform.Case]int {
	should := []platform.Case{
		platform.OnReserveClosed, platform.OnReserveSoldOut, platform.OnReserveTooMany, platform.OnReserveBadSize,
		platform.OnConfirmReleased, platform.OnConfirmExpired, platform.OnConfirmCancelled, platform.OnConfirmUnknown,
	}
	did, not, count := map[platform.Case]int{}, map[platform.Case]int{}, map[platform.Case]int{}
	first := map[string]string{} // booking ids by code
	for _, m := range s.met {
		id := text(field(m.answer, "externalBookingId"))
		code := text(field(m.request, "reservationConfirmationCode"))
		switch {
		case slices.Contains(should, m.on) && m.succeeded2xx() && (id != "" && id != first[code] || m.endpoint == partnerapi.Reserve):
			did[m.on]++
		case slices.Contains(should, m.on):
			not[m.on]++
		case m.on == platform.OnConfirm && m.succeeded2xx():
			first[code] = id
		case m.on == platform.OnConfirmAgain && m.succeeded2xx() && id != "" && first[code] != "" && id != first[code]:
			did[m.on]++
		case m.on == platform.OnConfirmAgain && m.succeeded2xx():
			not[m.on]++
		}
	}
	for on := range did {
		if did[on] > not[on] {
			count[on] = did[on]
		}
	}
	return count
}

// learnMoves learns what a case does to seats, from the moves that were wrong.
func (l *learner) learnMoves(on platform.Case, moves []move, products []product, accepted map[platform.Case]int) []quirk {
	wrong := map[[2]string][]move{}
	right := map[[2]string]int{}
	for _, m := range moves {
		option := [2]string{m.slot.product, m.slot.option}
		if m.seats == expectedSeats(on, m, products) {
			right[option]++
		} else {
			wrong[option] = append(wrong[option], m)
		}
	}
	if does := explainMoves(on, moves, wrong, products, accepted); does != nil {
		return []quirk{*does}
	}
	var all []move
	everywhere := true
	for option, list := range wrong {
		if len(list) <= right[option] {
			delete(wrong, option)
			continue
		}
		all = append(all, list...)
	}
	for option := range right {
		everywhere = everywhere && wrong[option] != nil
	}
	if len(all) == 0 {
		return nil
	}
	does := platform.Does("")
	if accepted[on] > 0 {
		does = platform.Accept
	}
	one := func(list []move, product, option string) []quirk {
		q := platform.Quirk{On: on, Does: does, Product: product, Option: option}
		if !amountOf(&q, list, products) {
			l.note("In the case %s the seats changed wrongly, in a way that the twin does not imitate.", on)
			return nil
		}
		return []quirk{{q, fmt.Sprintf("seen in %d of %d such cases", len(list), len(moves))}}
	}
	if everywhere {
		return one(all, "", "")
	}
	var found []quirk
	for _, option := range slices.SortedFunc(maps.Keys(wrong), func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) }) {
		product, id := twinOf(products, option)
		found = append(found, one(wrong[option], product, id)...)
	}
	return found
}

// explainMoves finds the one amount that explains all moves of a case, if some of them are wrong.
func explainMoves(on platform.Case, moves []move, wrong map[[2]string][]move, products []product, accepted map[platform.Case]int) *quirk {
	if len(wrong) == 0 {
		return nil
	}
	lawful := len(moves)
	for _, list := range wrong {
		lawful -= len(list)
	}
	back, out := slices.Contains(gives, on), slices.Contains(takes, on)
	for _, amount := range amounts {
		if amount == platform.AmountAll && (back || out) || amount == platform.AmountNone && !back && !out {
			continue // that is correct
		}
		fits := 0
		for _, m := range moves {
			seats := m.seats
			if back {
				seats = -seats
			}
			if seats == seatsOfAmount(amount, m, products) {
				fits++
			}
		}
		const nearly = 0.9                                                                      // other callers book too
		if float64(fits) < nearly*float64(len(moves)) || 2*(fits-lawful) <= len(moves)-lawful { // it must explain most of what is wrong
			continue
		}
		q := platform.Quirk{On: on, Takes: amount}
		if back {
			q.Takes, q.Gives = "", amount
		}
		if accepted[on] > 0 {
			q.Does = platform.Accept
		}
		return &quirk{q, fmt.Sprintf("seen in %d of %d such cases", fits, len(moves))}
	}
	return nil
}

// twinOf returns the twin's ids of a requested option.
func twinOf(products []product, asked [2]string) (productID, optionID string) {
	for _, p := range products {
		for _, o := range p.options {
			if p.asked == asked[0] && o.asked == asked[1] {
				return p.sold.ID, o.id
			}
		}
	}
	return asked[0], asked[1]
}

// expectedSeats returns the number of seats that a case should take out of the vacancies.
func expectedSeats(on platform.Case, m move, products []product) int {
	seats := partySeats(m, m.hold.units, products)
	if m.hold.taken != nil {
		seats = *m.hold.taken
	}
	switch {
	case slices.Contains(takes, on):
		return partySeats(m, m.hold.units, products)
	case slices.Contains(gives, on):
		return -seats
	}
	return 0
}

// partySeats returns how many seats the guests take.
func partySeats(m move, units []partnerapi.UnitQuantity, products []product) (seats int) {
	for _, p := range products {
		for i, o := range p.options {
			if p.asked != m.slot.product || o.asked != m.slot.option {
				continue
			}
			for _, unit := range units {
				each := 1
				for _, sold := range p.sold.Options[i].Units {
					if sold.ID == unit.ID && sold.Type == partnerapi.Infant {
						each = 0
					}
				}
				if own, ok := o.schedule.Seats[unit.ID]; ok {
					each = own
				}
				seats += each * unit.Quantity
			}
			return seats
		}
	}
	return 0
}

// amounts are tried in this order.
var amounts = []platform.Amount{
	platform.AmountNone, platform.AmountAll, platform.AmountTwice, platform.AmountAllAndOne, platform.AmountAllButOne, platform.AmountOne,
	platform.AmountEachUnit, platform.AmountFirstUnit, platform.AmountLastUnit,
}

// amountOf finds the amount that explains most moves, and reports whether one exists.
func amountOf(q *platform.Quirk, moves []move, products []product) bool {
	for _, amount := range amounts {
		back, fits := false, 0
		for _, m := range moves {
			seats := m.seats
			if seats < 0 {
				seats, back = -seats, true
			}
			if seats == seatsOfAmount(amount, m, products) {
				fits++
			}
		}
		if fits*2 <= len(moves) {
			continue
		}
		if back || amount == platform.AmountNone && slices.Contains(gives, q.On) {
			q.Gives = amount
		} else {
			q.Takes = amount
		}
		return true
	}
	return false
}

func seatsOfAmount(amount platform.Amount, m move, products []product) int {
	units := m.hold.units
	all := partySeats(m, units, products)
	switch amount {
	case platform.AmountAll:
		return all
	case platform.AmountTwice:
		return 2 * all
	case platform.AmountAllAndOne:
		return all + 1
	case platform.AmountAllButOne:
		return all - 1
	case platform.AmountOne:
		return 1
	case platform.AmountEachUnit:
		return len(units)
	case platform.AmountFirstUnit:
		return partySeats(m, units[:1], products)
	case platform.AmountLastUnit:
		return partySeats(m, units[len(units)-1:], products)
	}
	return 0
}
