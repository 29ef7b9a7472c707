package suite

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/schemas/partnerapi"
)

// Plan is what a run will do to the partner's platform.
type Plan struct {
	BaseURL       string              `json:"base_url"`
	AuthType      partnerapi.AuthType `json:"auth_type"`
	Depth         string              `json:"depth"`
	Calls         int                 `json:"calls"`             // approximate, usual number
	Holds         int                 `json:"holds"`             // approximate, usual number
	MaxHolds      int                 `json:"max_holds"`         // upper limit
	Bookings      int                 `json:"bookings"`          // approximate, usual number
	MaxBookings   int                 `json:"max_bookings"`      // upper limit
	Lifecycles    int                 `json:"stories,omitempty"` // random lifecycles; their holds and bookings are added
	CallsAtOnce   int                 `json:"calls_at_once"`     // concurrent calls that hold, book, release or cancel
	CallsASecond  int                 `json:"calls_a_second"`    // 0: no limit
	From          string              `json:"from,omitempty"`    // dates, both inclusive, by this machine's clock in UTC; absent: the next 60 days by the target's clock
	To            string              `json:"to,omitempty"`
	Products      []string            `json:"products,omitempty"` // ids; absent: all
	Options       []string            `json:"options,omitempty"`
	MovesTheClock bool                `json:"moves_the_clock"`
	Webhooks      string              `json:"webhooks,omitempty"` // the integration's address, below which webhooks are received
	WebhookWait   string              `json:"webhook_wait,omitempty"`
	Ledger        string              `json:"ledger,omitempty"`
	Estimate      *Estimate           `json:"estimate,omitempty"` // by the answer times just seen; absent if none was seen
	Warning       string              `json:"warning,omitempty"`  // why not everything can be judged

	PlannedOptions []PlannedOption `json:"planned_options,omitempty"` // options that get one hold each; the run's other holds are for slots of these and similar options
}

// PlannedOption is an option that the run will hold, and the slot that fits best now.
type PlannedOption struct {
	ProductID      string `json:"product_id"`
	OptionID       string `json:"option_id"`
	Slots          int    `json:"slots"` // that can be booked
	AvailabilityID string `json:"availability_id"`
	Start          string `json:"start"`
	SeatsLeft      *int64 `json:"seats_left,omitempty"` // absent if seats are not counted
}

// Plan returns what a run with this configuration will do. It makes no call.
func (c Config) Plan() Plan {
	c = c.withDefaults()
	window := discover.Window{}
	if c.ClockURL == "" {
		window, _ = c.Bounds.scope().Window(time.Now(), time.UTC)
	}
	words := c.Redactor().Words
	p := Plan{
		BaseURL: words(c.BaseURL.Redacted()), AuthType: c.AuthType, Depth: c.Depth,
		MaxHolds: *c.Bounds.MaxHolds, MaxBookings: *c.Bounds.MaxBookings, Lifecycles: c.Explore, CallsAtOnce: partner.MostCallers, CallsASecond: c.Bounds.MaxRPS,
		From: cmp.Or(c.Bounds.From, window.From), To: cmp.Or(c.Bounds.To, window.To), Products: slices.Clone(c.Bounds.Products), Options: slices.Clone(c.Bounds.Options),
		MovesTheClock: c.ClockURL != "", Ledger: c.Ledger.Name(),
	}
	for _, ids := range [][]string{p.Products, p.Options} {
		for i, id := range ids {
			ids[i] = words(id)
		}
	}
	if w := c.Webhooks; w != nil && !c.Bounds.ReadOnly {
		p.Webhooks, p.WebhookWait = words(w.address()), w.wait().String()
	}
	switch {
	case c.Bounds.ReadOnly:
		p.MaxHolds, p.MaxBookings, p.Lifecycles, p.CallsAtOnce, p.MovesTheClock = 0, 0, 0, 0, false
	case c.NoRaces:
		p.CallsAtOnce = 1
	}
	usual := plan.Depth(c.Depth).UsualCalls()
	p.Holds, p.Bookings = min(usual.Holds, p.MaxHolds), min(usual.Bookings, p.MaxBookings)
	p.Calls = c.usualCalls()
	p.Warning = c.tooSlow()
	return p
}

func (c Config) tooSlow() string {
	calls := c.usualCalls()
	if c.Bounds.MaxRPS == 0 {
		return ""
	}
	if takes := time.Duration(calls) * time.Second / time.Duration(c.Bounds.MaxRPS); takes > c.MaxDuration {
		return fmt.Sprintf("about %d calls at %d a second take %s, and the run may take %s (--max-duration): not all rules will be judged", calls, c.Bounds.MaxRPS, takes.Round(time.Second), c.MaxDuration)
	}
	return ""
}

// Foresee returns Plan with what only the catalog and availability show. It calls nothing else. It
// returns an error if they cannot be read.
func Foresee(ctx context.Context, config Config) (Plan, error) {
	if err := config.Check(); err != nil {
		return Plan{}, err
	}
	plan := config.Plan()
	readOnly := config.withDefaults()
	readOnly.Bounds.ReadOnly = true
	r := newRun(ctx, readOnly)
	defer r.client.Close()
	ctx, cancel := r.player.Time.WithDeadline(ctx)
	defer cancel()
	words := r.client.Redactor().Words
	survey := scenario.PlaySurvey(ctx, r.player, 0)
	switch {
	case survey.Stop != nil:
		return plan, fmt.Errorf("the catalog could not be read: %s", words(survey.Stop.Message))
	case survey.Outside != "":
		return plan, fmt.Errorf("%s", words(survey.Outside))
	case survey.SlotsStop != nil && len(survey.Offers) == 0:
		return plan, fmt.Errorf("availability could not be read: %s", words(survey.SlotsStop.Message))
	}
	if e, known := config.withDefaults().estimate(r.client.Exchanges()); known {
		plan.Estimate = &e
	}
	if plan.MaxHolds > 0 {
		for _, key := range scenario.PlayOptionChecks(ctx, r.player) {
			plan.PlannedOptions = append(plan.PlannedOptions, plannedOption(survey.Offers, discover.Want{Now: r.player.Clock.Now(), Seats: 1, Counted: true, OptionKey: key}, words))
		}
	}
	return plan, nil
}

func plannedOption(all []discover.Offer, want discover.Want, words func(string) string) PlannedOption {
	offers := discover.Pick(all, want)
	best := offers[0]
	played := PlannedOption{
		ProductID: words(best.Product.ID), OptionID: words(best.Option.ID), Slots: len(offers),
		AvailabilityID: words(best.Slot.ID), Start: words(best.Slot.StartText),
	}
	if seats := best.Slot.Seats(best.Product); seats.Counted {
		played.SeatsLeft = &seats.Left
	}
	return played
}
