package twin

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// conduct is how the partner does business, with a reason for each part.
type conduct struct {
	policy  []learnedLine // lines of the scenario's policy
	holdFor *learnedLine
}

// learnedLine is a line of a scenario, and its evidence.
type learnedLine struct{ line, why string }

// simpleCode matches codes that need no escapes in a path.
var simpleCode = regexp.MustCompile(`^[A-Za-z0-9_.~-]+$`)

// conductOf learns which optional features the partner has, and how long holds last.
func conductOf(s *tracker) (c conduct) {
	lives, codes, awkward, cancelled, refused, booked, ticketed := []time.Duration{}, 0, 0, 0, 0, 0, 0
	for _, m := range s.met {
		switch m.on {
		case platform.OnReserve:
			if !m.succeeded2xx() {
				continue
			}
			if expires, ok := readTime(text(field(m.answer, "expiresAt")), time.UTC); ok {
				lives = append(lives, expires.Sub(clockOf(m.call)))
			}
			if code := text(field(m.answer, "reservationConfirmationCode")); code != "" {
				codes++
				if !simpleCode.MatchString(code) || code == ".." {
					awkward++
				}
			}
		case platform.OnConfirm:
			if m.succeeded2xx() {
				booked++
				if field(m.answer, "tickets") != nil {
					ticketed++
				}
			}
		case platform.OnCancel:
			cancelled++
			if m.Status == 404 || m.Status == 405 || m.Status == 501 {
				refused++
			}
		}
	}
	if awkward > 0 {
		c.policy = append(c.policy, learnedLine{"codes: awkward", fmt.Sprintf("%d of %d codes need escapes in a path", awkward, codes)})
	}
	if cancelled > 0 && refused == cancelled {
		c.policy = append(c.policy, learnedLine{"noCancel: true", fmt.Sprintf("%d of %d cancellations were answered with 404, 405 or 501", refused, cancelled)})
	}
	if booked > 0 && ticketed == 0 {
		c.policy = append(c.policy, learnedLine{"noTickets: true", fmt.Sprintf("none of %d bookings has tickets", booked)})
	}
	c.holds(lives, s)
	return c
}

// holdless is the time until expiry beyond which a reservation may not be a hold (RSV-8).
const holdless = 2 * time.Hour

func (c *conduct) holds(lives []time.Duration, s *tracker) {
	if len(lives) == 0 {
		return
	}
	slices.Sort(lives)
	life := lives[len(lives)/2]
	keeps, seen := 0, 0
	for _, m := range s.moves {
		if m.on == platform.OnReserve {
			seen++
			if m.seats > 0 {
				keeps++
			}
		}
	}
	if life > holdless && seen > 0 && keeps == 0 {
		c.policy = append(c.policy, learnedLine{"noHolds: true", fmt.Sprintf("%d of %d reserves took no seats, and expiresAt is %s ahead", seen, seen, writeDuration(life.Round(time.Minute)))})
		return
	}
	if life = life.Round(time.Second); life < time.Second {
		return
	}
	if whole := life.Round(time.Minute); (life-whole).Abs() <= 2*time.Second && whole > 0 { // network latency
		life = whole
	}
	if life != platform.DefaultHoldFor {
		c.holdFor = &learnedLine{writeDuration(life), fmt.Sprintf("the median of %d holds", len(lives))}
	}
}

// seatsOfUnits learns which infants take seats. In the mock's defaults they do not.
func seatsOfUnits(p *product, o *option, s *tracker) {
	infant := map[string]bool{}
	for _, option := range p.sold.Options {
		if option.ID != o.id {
			continue
		}
		for _, unit := range option.Units {
			infant[unit.ID] = unit.Type == partnerapi.Infant
		}
	}
	takes, free := map[string]int{}, map[string]int{}
	for _, m := range s.moves {
		if m.on != platform.OnReserve || m.slot.product != p.asked || m.slot.option != o.asked {
			continue
		}
		all, others, id := 0, 0, ""
		for _, unit := range m.hold.units {
			if all += unit.Quantity; infant[unit.ID] {
				id = unit.ID
			} else {
				others += unit.Quantity
			}
		}
		switch {
		case id == "":
		case m.seats == all:
			takes[id]++
		case m.seats == others:
			free[id]++
		}
	}
	for id, times := range takes {
		if times > free[id] {
			if o.schedule.Seats == nil {
				o.schedule.Seats = map[string]int{}
			}
			o.schedule.Seats[id] = 1
			o.seen = append(o.seen, fmt.Sprintf("Infants take a seat: so did those of %d holds.", times))
		}
	}
}
