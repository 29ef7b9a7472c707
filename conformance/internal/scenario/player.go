// Package scenario plays what a marketplace does with a partner: one booking, one hold, a second
// booking, a race, a hold that expires, a slot that is sold out, malformed requests. Each scenario
// returns a value: what was sent, what was received, and how many seats were counted. The package
// judges nothing and knows no rules.
//
// A scenario is played once for each attempt, when the first rule requests it. What it plays about holds and bookings is
// in its ActLog, act by act, and every rule judges it. A scenario that cannot continue returns a Stop with the reason.
//
// Every hold and booking is recorded in a ledger before it is used.
package scenario

import (
	"fmt"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/inbox"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/conformance/report"
)

// Config configures a Player.
type Config struct {
	Client      *probe.Client
	Ledger      *ledger.Ledger
	Clock       *partner.Clock
	Time        *partner.Time
	Scope       plan.Scope
	Bounds      Bounds
	ReadOnly    bool // hold and book nothing
	NoRaces     bool // send no concurrent calls
	IncludeSlow bool // wait for holds to expire if the clock cannot be moved
	Expiry      bool // test how holds expire
	Tickets     bool // the partner delivers its own tickets
	LimitScale  float64
	Observer    Observer
	Lifecycles  int // number of random lifecycles to play
	Depth       plan.Depth
	Seed        uint64 // of the first random lifecycle

	Inbox       *inbox.Inbox  // takes the partner's webhooks; nil: they are not judged
	WebhookWait time.Duration // how long to wait for the notification of a change
}

// Player plays scenarios, each of them once.
type Player struct {
	Config
	Calls   *partner.Caller
	Account *Account
	Book    *Booker
	Seats   *Seats

	// Explored is the result of the random lifecycles; nil until they are played.
	Explored *report.Exploration

	read    *reader
	survey  *Survey    // nil until it is made
	on      *plan.Case // that expiring holds are of; nil: what is easiest to try
	kept    int        // number of parties for which holds were made early, to be checked again late
	sites   *raceSlots
	tried   map[string]bool // options that were tried with parties of several sizes, if they refused one
	others  map[string]bool // slots that have refused a party, by offer key, and whether they take another
	limited bool            // an option takes no party of one
	memory  map[string]any  // scenarios played so far, by name and attempt
}

// CountPlayed returns the number of scenarios played so far. A repeated request is not counted.
func (p *Player) CountPlayed() int { return len(p.memory) }

// NewPlayer returns a player that has played nothing yet.
func NewPlayer(config Config) *Player {
	calls := partner.NewCaller(config.Client, config.Time, config.LimitScale)
	calls.ReadOnly, calls.Sparing = config.ReadOnly, config.Depth == plan.Quick
	account := &Account{ledger: config.Ledger, bounds: config.Bounds, readOnly: config.ReadOnly, lifecycles: config.Lifecycles > 0}
	read := &reader{calls: calls, observer: config.Observer}
	seats := newSeats(read)
	calls.Crowded, account.crowded = seats.OthersSeen, seats.OthersSeen
	p := &Player{
		Config: config, Calls: calls, Account: account, Seats: seats, read: read,
		Book:   &Booker{calls: calls, account: account, observer: config.Observer, clock: config.Clock, tickets: config.Tickets, traits: &Traits{without: map[string]bool{}}},
		memory: map[string]any{}, tried: map[string]bool{}, others: map[string]bool{}, sites: &raceSlots{seats: seats, known: map[string]discover.Offer{}},
	}
	p.Time.Keep(p.lifecyclesTime())
	return p
}

// keptCalls are kept for reading the seats after everything was undone.
const keptCalls = 20

// LimitFootprint limits what the run still makes, once a rule is known to be broken, if its depth says so.
func (p *Player) LimitFootprint() {
	if most, limited := p.Depth.MostOnceBroken(); limited {
		p.Calls.LimitCalls(most.Calls - keptCalls)
		p.Account.footprint = &Bounds{MaxHolds: most.Holds, MaxBookings: most.Bookings}
	}
}

// lifecycleTime is kept for each random lifecycle, of about 20 calls.
const lifecycleTime = time.Second

func (p *Player) lifecyclesTime() time.Duration { return time.Duration(p.Lifecycles) * lifecycleTime }

// playOnce returns the scenario of that name and attempt; the first caller plays it. Attempt 0 is the
// scenario itself. Further attempts play it again on other slots of the same option: a breach at
// one option must be reproduced there.
func playOnce[T any](p *Player, name string, attempt int, perform func(result *T, option string)) *T {
	key := fmt.Sprintf("%s/%d", name, attempt)
	if known, ok := p.memory[key]; ok {
		return known.(*T)
	}
	option := ""
	if first, ok := p.memory[name+"/0"].(interface{ OptionKey() string }); ok {
		option = first.OptionKey()
	}
	result := new(T)
	p.memory[key] = result
	perform(result, option)
	return result
}

// isLateFor reports whether a scenario was not played yet, and there is no time for it.
func (p *Player) isLateFor(name string) bool {
	_, known := p.memory[name+"/0"]
	return !known && p.Time.LateForMore()
}

// LastSurvey returns the survey, or nil if it is not made yet.
func (p *Player) LastSurvey() *Survey { return p.survey }

// Explore starts the random lifecycles.
func (p *Player) Explore() *report.Exploration {
	p.Time.Unreserve(p.lifecyclesTime())
	p.Explored = &report.Exploration{Lifecycles: p.Lifecycles, Seed: p.Seed}
	return p.Explored
}

// UnknownHold returns a hold that does not exist, of the first slot of the survey.
func (p *Player) UnknownHold() *Hold {
	var offer discover.Offer
	if p.survey != nil && len(p.survey.Offers) > 0 {
		offer = p.survey.Offers[0]
	}
	return p.Account.UnknownHold(offer)
}

// Words returns text as a report shows it: without the key, and shortened.
func (p *Player) Words(text string) string { return p.Calls.Client.Redactor().Words(text) }

// NewUndoing returns what is needed to undo every hold and booking of the run.
func (p *Player) NewUndoing() undo.Undoing {
	return undo.Undoing{Client: p.Calls.Client, Ledger: p.Ledger, Now: p.Clock.Now, LimitScale: p.LimitScale}
}

// KeepsSeats accepts offers of products whose holds keep seats, if the holds of any product do.
func (p *Player) KeepsSeats(o discover.Offer) bool {
	return !p.Book.traits.keeps || !p.Book.traits.without[o.Product.ID]
}
