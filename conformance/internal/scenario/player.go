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
	Stories     int // random lifecycles to be played
	Depth       plan.Depth
	Seed        uint64 // of the first of them
}

// Player plays scenarios, each of them once.
type Player struct {
	Config
	Book  *Booker
	Seats *Seats

	// Explored is what came of random lifecycles; nil until they are played.
	Explored *report.Exploration

	calls  *caller
	read   *reader
	survey *Survey                   // nil until it was made
	on     *plan.Case                // that stories are played on; nil: on what is easiest to try
	keeps  bool                      // something was made early, to be looked at again late
	sites  map[string]discover.Offer // the slots on which races are repeated, by their name
	memory map[string]any            // what was played so far, by name and attempt
}

// Played is how many scenarios were played so far: one that is asked for again is not.
func (p *Player) Played() int { return len(p.memory) }

func NewPlayer(config Config) *Player {
	calls := &caller{Config: config, paces: newPaces(config.LimitScale)}
	read := &reader{calls: calls}
	return &Player{
		Config: config, Book: &Booker{calls: calls, traits: &Traits{}}, Seats: newSeats(read), calls: calls, read: read, memory: map[string]any{}, sites: map[string]discover.Offer{},
	}
}

// played returns the scenario of that name and attempt, which the first caller plays.
// Attempt 0 is the scenario itself; further ones play it again on other slots of the same
// option: what is broken for one option must be seen again there.
func played[T any](p *Player, name string, attempt int, perform func(story *T, option string)) *T {
	key := fmt.Sprintf("%s/%d", name, attempt)
	if known, ok := p.memory[key]; ok {
		return known.(*T)
	}
	option := ""
	if first, ok := p.memory[name+"/0"].(interface{ OptionKey() string }); ok {
		option = first.OptionKey()
	}
	story := new(T)
	p.memory[key] = story
	perform(story, option)
	return story
}

func (p *Player) Surveyed() *Survey { return p.survey }

// Explore begins the random lifecycles.
func (p *Player) Explore() *report.Exploration {
	p.Explored = &report.Exploration{Stories: p.Stories, Seed: p.Seed}
	return p.Explored
}

func (p *Player) UnknownHold() *Hold { return p.Book.Unknown(p.anyOffer()) }

// Words returns text as a report shows it: without the key, and cut.
func (p *Player) Words(text string) string { return p.calls.Client.Redactor().Words(text) }

func (p *Player) Bookings() int { return p.Book.made }

// Undoing is what undoes all that was held and booked.
func (p *Player) Undoing() undo.Undoing {
	return undo.Undoing{Client: p.calls.Client, Ledger: p.Ledger, Now: p.Clock.Now, LimitScale: p.calls.LimitScale}
}
