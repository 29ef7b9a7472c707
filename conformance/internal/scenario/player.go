// Package scenario plays what a marketplace does with a partner: one booking, one
// hold, a second booking, a race, a hold that expires, a slot that is sold out, calls
// that make no sense. Each returns a value: what was sent, what came, and how many
// seats were counted. It judges nothing and knows no rule.
//
// A scenario is played once for each attempt, when the first rule asks for it, and
// every rule judges one fact of it. One that cannot go on returns a Stop, which says
// what stood in the way.
//
// Every hold and booking is entered in a ledger before it is used.
package scenario

import (
	"context"
	"fmt"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/conformance/report"
)

type Config struct {
	Client      *probe.Client
	Ledger      *ledger.Ledger
	Clock       *Clock
	Time        *Time
	Scope       plan.Scope
	Bounds      Bounds
	ReadOnly    bool // nothing is held or booked
	NoRaces     bool // no calls are sent at the same time
	IncludeSlow bool // holds are waited for until they expire, where the clock cannot be moved
	Expiry      bool // what becomes of holds that expire is to be seen
	Tickets     bool // the partner delivers its own tickets
	LimitScale  float64
	Witness     Witness
	Stories     int    // random lifecycles to be played
	Seed        uint64 // of the first of them
}

// Player plays scenarios, each of them once.
type Player struct {
	Book  *Booker
	Seats *Seats
	Clock *Clock
	Time  *Time

	// Explored is what came of random lifecycles; nil until they are played.
	Explored *report.Exploration
	stories  report.Exploration

	calls       *caller
	read        *reader
	scope       plan.Scope
	survey      *Survey // nil until it was made
	includeSlow bool
	expiry      bool
	memory      map[string]any // what was played so far, by name and attempt
}

func NewPlayer(config Config) *Player {
	calls := &caller{
		client: config.Client, paces: newPaces(config.LimitScale), time: config.Time, scale: config.LimitScale,
		readOnly: config.ReadOnly, alone: config.NoRaces,
	}
	read := &reader{calls: calls, witness: config.Witness}
	return &Player{
		Book: &Booker{
			calls: calls, ledger: config.Ledger, bounds: config.Bounds, clock: config.Clock,
			tickets: config.Tickets, traits: &Traits{}, witness: config.Witness,
		},
		Seats: newSeats(read), Clock: config.Clock, Time: config.Time, calls: calls, read: read,
		scope: config.Scope, includeSlow: config.IncludeSlow, expiry: config.Expiry,
		stories: report.Exploration{Stories: config.Stories, Seed: config.Seed}, memory: map[string]any{},
	}
}

// played returns the scenario of that name and attempt, which the first caller plays.
// Attempt 0 is the scenario itself; further ones play it again on other slots.
func played[T any](p *Player, name string, attempt int, perform func(*T)) *T {
	key := fmt.Sprintf("%s/%d", name, attempt)
	if known, ok := p.memory[key]; ok {
		return known.(*T)
	}
	story := new(T)
	p.memory[key] = story
	perform(story)
	return story
}

func (p *Player) Surveyed() *Survey { return p.survey }

// Explore begins the random lifecycles.
func (p *Player) Explore() *report.Exploration {
	p.Explored = &p.stories
	return p.Explored
}

func (p *Player) UnknownHold() *Hold { return p.Book.Unknown(p.anyOffer()) }

// Words returns text as a report shows it: without the key, and cut.
func (p *Player) Words(text string) string { return p.calls.client.Redactor().Words(text) }

func (p *Player) Bookings() int { return p.Book.made }

// Undoing is what undoes all that was held and booked.
func (p *Player) Undoing() undo.Undoing {
	return undo.Undoing{Client: p.calls.client, Ledger: p.Book.ledger, Now: p.Clock.Now, LimitScale: p.calls.scale}
}

// steps runs the steps of a scenario one after another, until one is stopped.
func steps(stop **Stop, step ...func() *Stop) {
	for _, next := range step {
		if *stop != nil {
			return
		}
		*stop = next()
	}
}

// count is the step that counts a slot's seats.
func (p *Player) count(ctx context.Context, offer discover.Offer, when string, into **Reading) func() *Stop {
	return func() (stop *Stop) {
		*into, stop = p.Seats.seats(ctx, offer, when)
		return stop
	}
}

// confirms is the step that confirms a hold's code and takes any answer.
func (p *Player) confirms(ctx context.Context, purpose string, o *Opening, key probe.Key, into **probe.Answer) func() *Stop {
	return func() (stop *Stop) {
		*into, stop = p.Book.Confirm(ctx, purpose, o.Hold, true, key)
		return stop
	}
}

// releases is the step that releases a hold's code and takes any answer.
func (p *Player) releases(ctx context.Context, purpose string, o *Opening, key probe.Key, into **probe.Answer) func() *Stop {
	return func() (stop *Stop) {
		*into, stop = p.Book.Release(ctx, purpose, o.Hold.Code, key)
		return stop
	}
}

// gives is the step that releases a live hold.
func (p *Player) gives(ctx context.Context, purpose string, o *Opening, body bool, into **probe.Answer) func() *Stop {
	return func() (stop *Stop) {
		*into, stop = p.Book.releaseHold(ctx, purpose, o.Hold, body)
		return stop
	}
}

// cancels is the step that cancels a booking and takes any answer.
func (p *Player) cancels(ctx context.Context, purpose string, id *string, key probe.Key, into **probe.Answer) func() *Stop {
	return func() (stop *Stop) {
		*into, stop = p.Book.Cancel(ctx, purpose, *id, key)
		return stop
	}
}
