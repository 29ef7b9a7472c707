package suite

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/schemas/partnerapi"
)

// What a run usually makes, of a partner that keeps the contract while nobody else
// is at work on it.
const (
	usualHolds    = 30
	usualBookings = 7
	usualCalls    = 400
	usualReads    = 45 // where nothing is held or booked
)

// Plan is what a run is going to do to the partner's platform.
type Plan struct {
	BaseURL       string              `json:"base_url"`
	AuthType      partnerapi.AuthType `json:"auth_type"`
	Holds         int                 `json:"holds"`             // usually, about
	MaxHolds      int                 `json:"max_holds"`         // never more
	Bookings      int                 `json:"bookings"`          // usually, about
	MaxBookings   int                 `json:"max_bookings"`      // never more
	Stories       int                 `json:"stories,omitempty"` // random lifecycles, whose holds and bookings come on top
	CallsAtOnce   int                 `json:"calls_at_once"`     // of those that hold, book, release and cancel
	CallsASecond  int                 `json:"calls_a_second"`    // 0: no bound
	From          string              `json:"from"`              // dates, both inclusive, by this machine's clock in UTC
	To            string              `json:"to"`
	Products      []string            `json:"products,omitempty"` // ids; absent: all
	Options       []string            `json:"options,omitempty"`
	MovesTheClock bool                `json:"moves_the_clock"`
	Ledger        string              `json:"ledger,omitempty"`
	Warning       string              `json:"warning,omitempty"` // why not all can be judged

	Visited []PlannedVisit `json:"visited,omitempty"` // options that get a hold each; the others of the run are for slots of these and of others like them
}

// PlannedVisit is an option that is going to be held, and the slot that suits best now.
type PlannedVisit struct {
	ProductID      string `json:"product_id"`
	OptionID       string `json:"option_id"`
	Slots          int    `json:"slots"` // that can be booked
	AvailabilityID string `json:"availability_id"`
	Start          string `json:"start"`
	SeatsLeft      *int64 `json:"seats_left,omitempty"` // absent where they are not counted
}

// Plan says what a run of this configuration is going to do; no call is made.
func (c Config) Plan() Plan {
	c = c.withDefaults()
	window, _ := c.Bounds.window(time.Now(), time.UTC)
	p := Plan{
		BaseURL: c.BaseURL.Redacted(), AuthType: c.AuthType,
		MaxHolds: c.Bounds.maxHolds(), MaxBookings: c.Bounds.maxBookings(), Stories: c.Explore, CallsAtOnce: mostCallers, CallsASecond: c.Bounds.MaxRPS,
		From: cmp.Or(c.Bounds.From, window.From), To: cmp.Or(c.Bounds.To, window.To), Products: c.Bounds.Products, Options: c.Bounds.Options,
		MovesTheClock: c.ClockURL != "", Ledger: c.Ledger.Name(),
	}
	switch {
	case c.Bounds.ReadOnly:
		p.MaxHolds, p.MaxBookings, p.Stories, p.CallsAtOnce, p.MovesTheClock = 0, 0, 0, 0, false
	case c.NoRaces:
		p.CallsAtOnce = 1
	}
	p.Holds, p.Bookings = min(usualHolds, p.MaxHolds), min(usualBookings, p.MaxBookings)
	p.Warning = c.tooSlow()
	return p
}

// tooSlow says that so few calls a second take longer than the run may, or "".
func (c Config) tooSlow() string {
	calls := usualCalls
	if c.Bounds.ReadOnly {
		calls = usualReads
	}
	if c.Bounds.MaxRPS == 0 {
		return ""
	}
	if takes := time.Duration(calls) * time.Second / time.Duration(c.Bounds.MaxRPS); takes > c.MaxDuration {
		return fmt.Sprintf("about %d calls at %d a second take %s, and the run may take %s (--max-duration): not all rules will be judged", calls, c.Bounds.MaxRPS, takes.Round(time.Second), c.MaxDuration)
	}
	return ""
}

// Foresee is Plan with what can be said only when the catalog and availability
// have been read, which are all that it calls. The error says why they cannot be.
func Foresee(ctx context.Context, config Config) (Plan, error) {
	if err := config.Check(); err != nil {
		return Plan{}, err
	}
	plan := config.Plan()
	readOnly := config.withDefaults()
	readOnly.Bounds.ReadOnly = true
	s := newSession(ctx, readOnly)
	defer s.client.Close()
	ctx, cancel := s.within(ctx)
	defer cancel()
	survey := s.surveyed(ctx)
	switch {
	case survey.stopped != nil:
		return plan, fmt.Errorf("the catalog could not be read: %s", s.words(survey.stopped.Message))
	case s.outside != "":
		return plan, fmt.Errorf("%s", s.words(s.outside))
	case survey.slotsStopped != nil && len(survey.offers) == 0:
		return plan, fmt.Errorf("availability could not be read: %s", s.words(survey.slotsStopped.Message))
	}
	if plan.MaxHolds > 0 {
		for _, key := range s.visited(ctx) {
			plan.Visited = append(plan.Visited, s.plannedVisit(key))
		}
	}
	return plan, nil
}

func (s *session) plannedVisit(optionKey string) PlannedVisit {
	offers := discover.Pick(s.survey.offers, discover.Want{Now: s.now(), Seats: 1, Counted: true, OptionKey: optionKey})
	best := offers[0]
	visit := PlannedVisit{
		ProductID: s.words(best.Product.ID), OptionID: s.words(best.Option.ID), Slots: len(offers),
		AvailabilityID: s.words(best.Slot.ID), Start: s.words(best.Slot.StartText),
	}
	if seats := best.Slot.Seats(best.Product); seats.Counted {
		visit.SeatsLeft = &seats.Left
	}
	return visit
}
